/// The fields of a message's header, or of a stored entry: in order, with repeats, byte for byte.
///
/// Names are compared without regard to case. One buffer holds the fields as `name:value` lines, with the offsets beside it. A block of
/// fifteen fields costs two allocations, and is written to an entry and read back as it is. No value contains a line break or NUL.
///
/// A value that is not UTF-8 is read as Latin-1, which keeps all bytes distinct. Where the bytes themselves matter (an ETag that goes back
/// to its server), they can be read as such.
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

  /// The place of a field in `buffer`: the colon is at `nameEnd`, the line feed at `valueEnd`. The limit keeps offsets within 32 bits.
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
  public func first(_ name: String) -> String? {
    places.first { isName(name, at: $0) }.map { text($0.value) }
  }

  /// The values of all fields with that name, in order.
  public func all(_ name: String) -> [String] {
    places.filter { isName(name, at: $0) }.map { text($0.value) }
  }

  /// The values of all fields with that name as one list, joined by `, ` (RFC 9110 §5.3); nil if there is none.
  public func combined(_ name: String) -> String? {
    var joined: String?
    for place in places where isName(name, at: place) {
      joined = joined.map { "\($0), \(text(place.value))" } ?? text(place.value)
    }
    return joined
  }

  /// Whether there is a field with that name.
  public func contains(_ name: String) -> Bool { places.contains { isName(name, at: $0) } }

  /// The bytes of the first field with that name.
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
  /// Whether both blocks have the same bytes in the same order; the case of names counts.
  public static func == (left: HeaderFields, right: HeaderFields) -> Bool { left.encoded() == right.encoded() }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(encoded()) }
}

extension HeaderFields {
  /// List fields that are parsed member by member, several times for a response.
  private static let lists = ["cache-control", "connection", "vary", "www-authenticate"]
  /// No server needs longer lists, and each pass over a list of two thousand names costs a millisecond.
  static let listLimit = 4 * 1024

  /// Whether a list field is too long to be parsed.
  package var hasEndlessList: Bool {
    // Nearly every header is shorter as a whole.
    guard buffer.count > Self.listLimit else { return false }
    return Self.lists.contains { name in
      var size = 0
      forEach(name) { size += $0.count }
      return size > Self.listLimit
    }
  }
}
