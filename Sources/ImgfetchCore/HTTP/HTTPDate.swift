/// Parses dates of header fields in the three forms of RFC 9110 §5.6.7, and writes the preferred one.
///
/// Caches must not guess (RFC 9111 §4.2): a date in any other form, in another zone than GMT or with an impossible day
/// is rejected. Case is ignored, and the day of the week need not fit the date.
package enum HTTPDate {
  /// Parses a date.
  ///
  /// - Parameter now: decides the century of RFC 850's two-digit years: a date more than fifty years ahead is past.
  package static func parse(_ text: String, now: WallTime) -> WallTime? {
    var scanner = Scanner(text)
    return scanner.date(now: now)
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func format(_ time: WallTime) -> String {
    let seconds = floorDivision(time.nanoseconds, by: 1_000_000_000).quotient
    let (day, second) = floorDivision(seconds, by: 86400)
    let civil = CalendarDay(dayNumber: day)
    // Day 0 was a Thursday.
    let weekday = Int(floorDivision(day + 3, by: 7).remainder)
    let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
    let name = weekdays[weekday].prefix(3)
    return "\(name), \(padded(civil.day, 2)) \(months[Int(civil.month) - 1]) \(padded(civil.year, 4)) \(clock) GMT"
  }

  private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  static func floorDivision(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// Parses a date from the front; every step is nil or false if the text does not match.
  private struct Scanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = [UInt8](text.utf8)[...] }

    mutating func date(now: WallTime) -> WallTime? {
      let weekday = word()
      let isLong = weekdays.contains { same(weekday, $0.utf8) }
      guard isLong || weekdays.contains(where: { same(weekday, $0.utf8.prefix(3)) }) else { return nil }
      let time: WallTime?
      if literal(", ") { time = isLong ? obsolete(now: now) : preferred() } else { time = isLong ? nil : ansi() }
      return rest.isEmpty ? time : nil
    }

    /// `06 Nov 1994 08:49:37 GMT`
    private mutating func preferred() -> WallTime? {
      guard let day = number(2), literal(" "), let month = month(), literal(" "), let year = number(4), literal(" "),
        let second = clock(), literal(" GMT")
      else { return nil }
      return time(year, month, day, second)
    }

    /// `06-Nov-94 08:49:37 GMT`
    private mutating func obsolete(now: WallTime) -> WallTime? {
      guard let day = number(2), literal("-"), let month = month(), literal("-"), let short = number(2), literal(" "),
        let second = clock(), literal(" GMT")
      else { return nil }
      let today = CalendarDay(dayNumber: floorDivision(now.seconds, by: 86400).quotient)
      let year = today.year - today.year % 100 + short
      // A year has 365.2425 days.
      let fiftyYears: Int64 = 50 * 31_556_952
      guard let found = time(year, month, day, second) else { return nil }
      return found.seconds - now.seconds > fiftyYears ? time(year - 100, month, day, second) : found
    }

    /// `Nov 6 08:49:37 1994`
    private mutating func ansi() -> WallTime? {
      guard literal(" "), let month = month(), literal(" ") else { return nil }
      let day = literal(" ") ? number(1) : number(2)
      guard let day, literal(" "), let second = clock(), literal(" "), let year = number(4) else { return nil }
      return time(year, month, day, second)
    }

    private func time(_ year: Int64, _ month: Int64, _ day: Int64, _ second: Int64) -> WallTime? {
      guard let date = CalendarDay(year: year, month: month, day: day) else { return nil }
      // Years of four digits exceed what 64 bits of nanoseconds can hold (1677 to 2262); they are clamped.
      return WallTime(seconds: date.dayNumber * 86400 + second)
    }

    /// The second of the day. A leap second (60) counts as the first second of the next minute.
    private mutating func clock() -> Int64? {
      guard let hour = number(2), literal(":"), let minute = number(2), literal(":"), let second = number(2),
        hour < 24, minute < 60, second <= 60
      else { return nil }
      return hour * 3600 + minute * 60 + second
    }

    private mutating func month() -> Int64? {
      let name = word()
      return months.firstIndex { same(name, $0.utf8) }.map { Int64($0) + 1 }
    }

    private mutating func word() -> ArraySlice<UInt8> {
      let letters = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
      rest = rest[letters.endIndex...]
      return letters
    }

    private func same(_ word: ArraySlice<UInt8>, _ name: some Collection<UInt8>) -> Bool {
      word.count == name.count && zip(word, name).allSatisfy { URLHost.lower($0) == URLHost.lower($1) }
    }

    private mutating func number(_ digits: Int) -> Int64? {
      guard rest.count >= digits else { return nil }
      var value: Int64 = 0
      for byte in rest.prefix(digits) {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      }
      rest = rest.dropFirst(digits)
      return value
    }

    private mutating func literal(_ text: String) -> Bool {
      guard same(rest.prefix(text.utf8.count), text.utf8) else { return false }
      rest = rest.dropFirst(text.utf8.count)
      return true
    }
  }
}

extension WallTime {
  /// `2026-11-21T10:44:55Z` (RFC 3339, UTC), which sorts as text and which every date parser reads.
  package var timestamp: String {
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: Self.timestampLength) { output in
      appendToTheSecond(to: &output)
      output.append(UInt8(ascii: "Z"))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The length of a timestamp with three decimals.
  package static var timestampLength: Int { 24 }

  /// Appends the same with three decimals, which is as exact as rows are: `2026-11-21T10:44:55.017Z`. As
  /// bytes, since each row has one.
  package func appendExactTimestamp(to bytes: inout OutputSpan<UInt8>) {
    appendToTheSecond(to: &bytes)
    bytes.append(UInt8(ascii: "."))
    let milliseconds = HTTPDate.floorDivision(nanoseconds, by: 1_000_000_000).remainder / 1_000_000
    Self.append(milliseconds, digits: 3, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  package func appendExactTimestamp(to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: Self.timestampLength) { appendExactTimestamp(to: &$0) }
  }

  private func appendToTheSecond(to bytes: inout OutputSpan<UInt8>) {
    let days = HTTPDate.floorDivision(nanoseconds, by: 86_400_000_000_000)
    let day = CalendarDay(dayNumber: days.quotient)
    let second = days.remainder / 1_000_000_000
    Self.append(day.year, digits: 4, to: &bytes)
    append("-", day.month)
    append("-", day.day)
    append("T", second / 3600)
    append(":", second / 60 % 60)
    append(":", second % 60)
    func append(_ mark: Unicode.Scalar, _ value: Int64) {
      bytes.append(UInt8(ascii: mark))
      Self.append(value, digits: 2, to: &bytes)
    }
  }

  /// Appends the digits of a value. If it has more digits, which no caller's has, the last ones are appended.
  private static func append(_ value: Int64, digits: Int, to bytes: inout OutputSpan<UInt8>) {
    var unit: Int64 = 1
    for _ in 1..<digits { unit *= 10 }
    while unit > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / unit % 10))
      unit /= 10
    }
  }
}
