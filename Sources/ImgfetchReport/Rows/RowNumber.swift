/// Reads the numbers in rows.
enum RowNumber {
  /// The number that stands in a range; nil where there is none, or `null`.
  static func value(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Double? {
    var at = start
    let isNegative = at < end && bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    guard at < end, bytes[at] &- 0x30 < 10 else { return nil }
    var value = 0.0
    while at < end, bytes[at] &- 0x30 < 10 {
      value = value * 10 + Double(bytes[at] &- 0x30)
      at += 1
    }
    if at < end, bytes[at] == UInt8(ascii: ".") {
      at += 1
      var unit = 0.1
      while at < end, bytes[at] &- 0x30 < 10 {
        value += unit * Double(bytes[at] &- 0x30)
        unit /= 10
        at += 1
      }
    }
    if at < end { return exotic(bytes, start, end) }
    return isNegative ? -value : value
  }

  private static func exotic(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Double? {
    guard end - start <= 64 else { return nil }
    var text: [UInt8] = []
    for at in start..<end { text.append(bytes[at]) }
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }

  /// The seconds since 1970 of a time as in RFC 3339; nil where the text is none.
  static func seconds(_ bytes: Span<UInt8>, _ text: Row.Text) -> Int64? {
    let start = Int(text.start)
    guard text.end - text.start >= 20, text.end - text.start <= 40 else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int64? {
      var value: Int64 = 0
      for at in (start + offset)..<(start + offset + count) {
        guard bytes[at] &- 0x30 < 10 else { return nil }
        value = value * 10 + Int64(bytes[at] - 0x30)
      }
      return value
    }
    guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
      let minute = number(14, 2), let second = number(17, 2), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var zone: Int64 = 0
    let last = Int(text.end) - 6
    if last > start + 18, bytes[last] == UInt8(ascii: "+") || bytes[last] == UInt8(ascii: "-"),
      let hours = number(last + 1 - start, 2), let minutes = number(last + 4 - start, 2)
    {
      zone = (hours * 60 + minutes) * (bytes[last] == UInt8(ascii: "+") ? 60 : -60)
    }
    return Day.number(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - zone
  }
}
