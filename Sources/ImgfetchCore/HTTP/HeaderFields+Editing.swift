extension HeaderFields {
  /// Adds a field behind those that there are. What may not stand in a value (line breaks, NUL) becomes a space, white
  /// space around it is dropped. A name that is no token (RFC 9110 §5.6.2) adds nothing, nor does what would bring the
  /// block over 300 KB.
  public mutating func append(_ name: String, _ value: String) {
    append(name, bytes: value.utf8Span.span)
  }

  /// The same for a value that need not be UTF-8.
  package mutating func append(_ name: String, bytes value: borrowing Span<UInt8>) {
    let name = name.utf8Span.span
    add(name, 0..<name.count, value, 0..<value.count)
  }

  /// Removes every field of that name.
  public mutating func remove(_ name: String) {
    places = places.filter { !isName(name, at: $0) }
  }

  /// Puts one field in the place of all of that name.
  public mutating func replace(_ name: String, with value: String) {
    remove(name)
    append(name, value)
  }

  /// Takes one raw line of a header as it came from the network, with or without its line end. What is no field (an empty
  /// line, a status line, garbage) is passed over; a folded line (RFC 9112 §5.2) goes on the field before it.
  ///
  /// - Returns: false when the block is over `byteLimit`, and nothing was taken: a reason to give the answer up.
  @discardableResult
  package mutating func appendLine(_ line: borrowing Span<UInt8>) -> Bool {
    guard buffer.count + line.count <= Self.byteLimit else { return false }
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    guard end > 0 else { return true }
    if Self.isBlank(line[0]) {
      fold(line, 0..<end)
      return true
    }
    var colon = 0
    while colon < end, line[colon] != UInt8(ascii: ":") { colon += 1 }
    guard colon < end else { return true }
    // White space before the colon is an error that RFC 9112 §5.1 has a proxy repair: it is no part of the name.
    var nameEnd = colon
    while nameEnd > 0, Self.isBlank(line[nameEnd - 1]) { nameEnd -= 1 }
    add(line, 0..<nameEnd, line, colon + 1..<end)
    return true
  }

  /// The fields as bytes, each as `name:value` and a line feed.
  package func encoded() -> [UInt8] {
    var live = 0
    for place in places { live += place.line.count }
    if live == buffer.count { return buffer }
    var output: [UInt8] = []
    output.reserveCapacity(live)
    for place in places { output.append(contentsOf: buffer[place.line]) }
    return output
  }

  /// Fields from what `encoded()` gave. Anything else gives what of it looks like fields, and never more than `byteLimit`.
  package init(encoded bytes: borrowing Span<UInt8>) {
    var start = 0
    for index in 0..<bytes.count where bytes[index] == 0x0A {
      guard appendLine(bytes.extracting(start..<index)) else { return }
      start = index + 1
    }
  }

  private mutating func add(
    _ name: borrowing Span<UInt8>, _ nameRange: Range<Int>, _ value: borrowing Span<UInt8>, _ valueRange: Range<Int>
  ) {
    guard !nameRange.isEmpty, buffer.count + nameRange.count + valueRange.count + 2 <= Self.byteLimit else { return }
    for index in nameRange where !Self.isToken(name[index]) { return }
    if buffer.isEmpty {
      // What an image server usually sends, in one allocation each.
      buffer.reserveCapacity(768)
      places.reserveCapacity(24)
    }
    let start = buffer.count
    // By the piece: byte by byte an array asks each time whether it is its only owner and has room.
    buffer.append(addingCapacity: nameRange.count) { output in
      for index in nameRange { output.append(name[index]) }
    }
    let nameEnd = buffer.count
    buffer.append(UInt8(ascii: ":"))
    append(value: value, valueRange)
    places.append(
      Place(
        nameStart: UInt32(truncatingIfNeeded: start), nameEnd: UInt32(truncatingIfNeeded: nameEnd),
        valueEnd: UInt32(truncatingIfNeeded: buffer.count)))
    buffer.append(0x0A)
  }

  /// What stands in the buffer behind the last field was removed, so a folded line only moves that field's end.
  private mutating func fold(_ line: borrowing Span<UInt8>, _ range: Range<Int>) {
    guard var last = places.popLast() else { return }
    buffer.removeSubrange(Int(last.valueEnd)...)
    if !last.value.isEmpty { buffer.append(0x20) }
    append(value: line, range)
    if buffer.last == 0x20, buffer.count > Int(last.nameEnd) + 1 { buffer.removeLast() }
    last.valueEnd = UInt32(truncatingIfNeeded: buffer.count)
    buffer.append(0x0A)
    places.append(last)
  }

  private mutating func append(value: borrowing Span<UInt8>, _ range: Range<Int>) {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, Self.isBlank(value[start]) || Self.isForbidden(value[start]) { start += 1 }
    while end > start, Self.isBlank(value[end - 1]) || Self.isForbidden(value[end - 1]) { end -= 1 }
    buffer.append(addingCapacity: end - start) { output in
      for index in start..<end { output.append(Self.isForbidden(value[index]) ? 0x20 : value[index]) }
    }
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// What RFC 9110 §5.5 has a recipient replace, or refuse the message.
  private static func isForbidden(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0 }

  /// RFC 9110 §5.6.2.
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"),
      UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"),
      UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
