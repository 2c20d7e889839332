extension HeaderFields {
  /// Appends a field. Line breaks and NUL in the value become spaces, and white space around it is dropped. Nothing is
  /// appended if the name is not a token (RFC 9110 §5.6.2), or if the block would exceed 256 KB or 1,000 fields.
  public mutating func append(_ name: String, _ value: String) {
    append(name, bytes: value.utf8Span.span)
  }

  /// The same for a value that need not be UTF-8.
  package mutating func append(_ name: String, bytes value: borrowing Span<UInt8>) {
    let name = name.utf8Span.span
    for index in 0..<name.count where !Self.isToken(name[index]) { return }
    add(name, value)
  }

  /// Removes every field with that name.
  public mutating func remove(_ name: String) {
    places = places.filter { !isName(name, at: $0) }
  }

  /// Replaces all fields with that name by one.
  public mutating func replace(_ name: String, with value: String) {
    remove(name)
    append(name, value)
  }

  /// Appends one raw header line as it came from the network, with or without its line end. A line that is not a field
  /// (an empty line, a status line, garbage) is ignored; a folded line (RFC 9112 §5.2) extends the field before it.
  ///
  /// - Returns: False if the block would exceed `byteLimit`. Nothing was appended then, and the response should be
  ///   rejected.
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
    // White space before the colon is an error, and not part of the name. RFC 9112 §5.1 requires a proxy to repair it.
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

  /// Parses what `encoded()` returned. From other bytes it takes what looks like fields, up to `byteLimit`.
  package init(encoded bytes: borrowing Span<UInt8>) {
    var start = 0
    for index in 0..<bytes.count where bytes[index] == 0x0A {
      guard appendLine(bytes.extracting(start..<index)) else { return }
      start = index + 1
    }
  }

  /// The name must be a token.
  private mutating func add(_ name: borrowing Span<UInt8>, _ value: borrowing Span<UInt8>) {
    guard !name.isEmpty, places.count < Self.countLimit,
      buffer.count + name.count + value.count + 2 <= Self.byteLimit
    else { return }
    if buffer.isEmpty {
      // Room for what image servers usually send, in one allocation each.
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

  /// Whatever follows the last field in the buffer belongs to removed fields, so only that field's end moves.
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

  /// The range of the value without white space and forbidden bytes at its ends.
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

  /// The bytes for which RFC 9110 §5.5 requires a recipient to replace them or to reject the message.
  private static func isForbidden(_ byte: UInt8) -> Bool {
    // One comparison suffices for nearly every byte.
    byte <= 0x0D && (byte == 0x0A || byte == 0x0D || byte == 0)
  }

  /// RFC 9110 §5.6.2.
  static func isToken(_ byte: UInt8) -> Bool {
    guard byte < 128 else { return false }
    return (byte < 64 ? lowTokens : highTokens) >> UInt64(byte & 63) & 1 == 1
  }

  // Digits and !#$%&'*+-. below 64, letters and ^_`|~ above: one bit each, since every byte of every name is tested.
  private static let lowTokens: UInt64 = 0x03FF_6CFA_0000_0000
  private static let highTokens: UInt64 = 0x57FF_FFFF_C7FF_FFFE
}
