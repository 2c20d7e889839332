/// The fields of a message's header, or of a stored entry: in order, with repeats, byte for byte.
///
/// Names are compared without regard to case. One buffer holds the fields as `name:value` lines, with the offsets
/// beside it. A block of fifteen fields costs two allocations, and is written to an entry and read back as it is. No
/// value contains a line break or NUL.
///
/// A value that is not UTF-8 is read as Latin-1, which keeps all bytes distinct. Where the bytes themselves matter (an
/// ETag that goes back to its server), they can be read as such.
public struct HeaderFields: Sendable {
  /// One field as received.
  public struct Field: Hashable, Sendable {
    /// The name, in the case in which it was received.
    public let name: String
    /// The value without the white space around it.
    public let value: String
  }

  /// A larger header is rejected, so that an endless one cannot fill the memory.
  package static let byteLimit = 256 * 1024
  /// Ten times what occurs in practice. Searching and merging two blocks of this many fields takes well under 5 ms.
  package static let countLimit = 1000

  /// The place of a field in `buffer`: the colon is at `nameEnd`, the line feed at `valueEnd`. The limit
  /// keeps offsets within 32 bits.
  struct Place: Sendable {
    var nameStart: UInt32
    var nameEnd: UInt32
    var valueEnd: UInt32

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(nameEnd) + 1..<Int(valueEnd) }
    var line: Range<Int> { Int(nameStart)..<Int(valueEnd) + 1 }
  }

  var buffer: [UInt8] = []
  var places: [Place] = []

  /// No fields.
  public init() {}

  /// Fields with these names and values, in this order; see ``append(_:_:)``.
  public init(_ fields: [(name: String, value: String)]) {
    for field in fields { append(field.name, field.value) }
  }

  /// The value of the first field with that name.
  public func first(_ name: String) -> String? { places.first { isName(name, at: $0) }.map { text($0.value) } }

  /// The values of all fields with that name, in order.
  public func all(_ name: String) -> [String] { places.filter { isName(name, at: $0) }.map { text($0.value) } }

  /// The values of all fields with that name as one list, joined by `, ` (RFC 9110 §5.3), or nil if there is none.
  public func combined(_ name: String) -> String? {
    var joined: String?
    for place in places where isName(name, at: place) {
      joined = joined.map { "\($0), \(text(place.value))" } ?? text(place.value)
    }
    return joined
  }

  /// True if there is a field with that name.
  public func contains(_ name: String) -> Bool { places.contains { isName(name, at: $0) } }

  package func firstBytes(_ name: String) -> [UInt8]? {
    places.first { isName(name, at: $0) }.map { [UInt8](buffer[$0.value]) }
  }

  /// Calls `body` with the bytes of each field with that name, without copying them.
  package func forEach<Failure: Error>(
    _ name: String, _ body: (ArraySlice<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    for place in places where isName(name, at: place) { try body(buffer[place.value]) }
  }

  /// Calls `body` with the bytes of each field's name and value, in order, without copying them.
  func forEachLine(_ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
    for place in places { body(buffer[place.name], buffer[place.value]) }
  }

  /// Inlined for the comparison of lengths, which rules out nearly all names.
  @inline(__always)
  func isName(_ name: String, at place: Place) -> Bool {
    Int(place.nameEnd &- place.nameStart) == name.utf8.count && hasLetters(of: name, at: place)
  }

  private func hasLetters(of name: String, at place: Place) -> Bool {
    let wanted = name.utf8
    var index = Int(place.nameStart)
    for byte in wanted {
      if URLHost.lower(byte) != URLHost.lower(buffer[index]) { return false }
      index += 1
    }
    return true
  }

  func text(_ range: Range<Int>) -> String { Self.text(buffer[range]) }

  /// Decodes UTF-8, or else Latin-1.
  static func text(_ bytes: ArraySlice<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
    return String(scalars)
  }
}

extension HeaderFields: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of fields.
  public var endIndex: Int { places.count }

  /// The field at `position`, in the order received.
  public subscript(position: Int) -> Field {
    let place = places[position]
    return Field(name: text(place.name), value: text(place.value))
  }
}

extension HeaderFields: Hashable {
  /// True if both blocks have the same bytes in the same order; the case of names counts.
  public static func == (left: HeaderFields, right: HeaderFields) -> Bool { left.encoded() == right.encoded() }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(encoded()) }
}

extension HeaderFields {
  /// List fields that are parsed member by member, several times for a response.
  private static let lists = ["cache-control", "connection", "vary", "www-authenticate"]
  /// No server needs longer lists, and each pass over a list of two thousand names costs a millisecond.
  static let listLimit = 4 * 1024

  /// True if a list field is too long to be parsed.
  package var hasEndlessList: Bool {
    // Nearly every header is shorter as a whole.
    guard buffer.count > Self.listLimit else { return false }
    return Self.lists.contains { name in
      var size = 0
      forEach(name) { size += $0.count }
      return size > Self.listLimit
    }
  }

  /// Appends a field. Line breaks and NUL in the value become spaces, and white space around it is dropped. Nothing is
  /// appended if the name is not a token (RFC 9110 §5.6.2), or if the block would exceed 256 KB or 1,000 fields.
  public mutating func append(_ name: String, _ value: String) { append(name, bytes: value.utf8Span.span) }

  /// Appends a field whose value need not be UTF-8.
  package mutating func append(_ name: String, bytes value: borrowing Span<UInt8>) {
    let name = name.utf8Span.span
    for index in 0..<name.count where !Self.isToken(name[index]) { return }
    add(name, value)
  }

  /// Removes every field with that name.
  public mutating func remove(_ name: String) { places = places.filter { !isName(name, at: $0) } }

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

  /// Adds a field. The name must be a token.
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

  /// Appends a continued line to the last field. Whatever follows that field in the buffer belongs to removed
  /// fields, so only its end moves.
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
