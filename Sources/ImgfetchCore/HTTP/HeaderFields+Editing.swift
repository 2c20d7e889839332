extension HeaderFields {
  /// Adds a field behind those that there are. What may not stand in a value (line breaks, NUL) becomes a space, white
  /// space around it is dropped. A name that is no token (RFC 9110 §5.6.2) adds nothing, nor does what would bring the
  /// block over 256 KB or 1,000 fields.
  public mutating func append(_ name: String, _ value: String) {
    append(name, bytes: value.utf8Span.span)
  }

  /// The same for a value that need not be UTF-8.
  package mutating func append(_ name: String, bytes value: borrowing Span<UInt8>) {
    let name = name.utf8Span.span
    for index in 0..<name.count where !Self.isToken(name[index]) { return }
    add(name, value)
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
    var nameEnd = 0
    while nameEnd < end, Self.isToken(line[nameEnd]) { nameEnd += 1 }
    // White space before the colon is an error that RFC 9112 §5.1 has a proxy repair: it is no part of the name.
    var colon = nameEnd
    while colon < end, Self.isBlank(line[colon]) { colon += 1 }
    guard colon < end, line[colon] == UInt8(ascii: ":") else { return true }
    add(line.extracting(0..<nameEnd), line.extracting(colon + 1..<end))
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

  /// The name is a token.
  private mutating func add(_ name: borrowing Span<UInt8>, _ value: borrowing Span<UInt8>) {
    guard !name.isEmpty, places.count < Self.countLimit,
      buffer.count + name.count + value.count + 2 <= Self.byteLimit
    else { return }
    if buffer.isEmpty {
      // What an image server usually sends, in one allocation each.
      buffer.reserveCapacity(512)
      places.reserveCapacity(16)
    }
    let start = buffer.count
    let nameEnd = start + name.count
    let value = value.extracting(Self.trimmed(value))
    buffer.append(addingCapacity: name.count + value.count + 2) { output in
      output.append(copying: name)
      output.append(UInt8(ascii: ":"))
      Self.append(value, to: &output)
      output.append(0x0A)
    }
    places.append(
      Place(
        nameStart: UInt32(truncatingIfNeeded: start), nameEnd: UInt32(truncatingIfNeeded: nameEnd),
        valueEnd: UInt32(truncatingIfNeeded: buffer.count - 1)))
  }

  /// What stands in the buffer behind the last field was removed, so a folded line only moves that field's end.
  private mutating func fold(_ line: borrowing Span<UInt8>, _ range: Range<Int>) {
    guard var last = places.popLast() else { return }
    buffer.removeSubrange(Int(last.valueEnd)...)
    if !last.value.isEmpty { buffer.append(0x20) }
    let value = line.extracting(range)
    let kept = value.extracting(Self.trimmed(value))
    buffer.append(addingCapacity: kept.count) { output in Self.append(kept, to: &output) }
    if buffer.last == 0x20, buffer.count > Int(last.nameEnd) + 1 { buffer.removeLast() }
    last.valueEnd = UInt32(truncatingIfNeeded: buffer.count)
    buffer.append(0x0A)
    places.append(last)
  }

  /// The value without what may not stand at its ends.
  private static func trimmed(_ value: borrowing Span<UInt8>) -> Range<Int> {
    var start = 0
    var end = value.count
    while start < end, isBlank(value[start]) || isForbidden(value[start]) { start += 1 }
    while end > start, isBlank(value[end - 1]) || isForbidden(value[end - 1]) { end -= 1 }
    return start..<end
  }

  private static func append(_ value: borrowing Span<UInt8>, to output: inout OutputSpan<UInt8>) {
    var clean = 0
    while clean < value.count, !isForbidden(value[clean]) { clean += 1 }
    if clean == value.count { return output.append(copying: value) }
    for index in 0..<value.count { output.append(isForbidden(value[index]) ? 0x20 : value[index]) }
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// What RFC 9110 §5.5 has a recipient replace, or refuse the message.
  private static func isForbidden(_ byte: UInt8) -> Bool {
    // One look is enough for nearly every byte.
    byte <= 0x0D && (byte == 0x0A || byte == 0x0D || byte == 0)
  }

  /// RFC 9110 §5.6.2.
  static func isToken(_ byte: UInt8) -> Bool {
    guard byte < 128 else { return false }
    return (byte < 64 ? lowTokens : highTokens) >> UInt64(byte & 63) & 1 == 1
  }

  // Digits and !#$%&'*+-. below 64, letters and ^_`|~ above: a bit each, as every byte of every name is looked at.
  private static let lowTokens: UInt64 = 0x03FF_6CFA_0000_0000
  private static let highTokens: UInt64 = 0x57FF_FFFF_C7FF_FFFE
}
