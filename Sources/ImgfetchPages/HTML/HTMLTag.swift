/// A start or end tag: its name and attributes in lower case, with references replaced.
///
/// One value is used for all tags of a page, so that a tag costs no allocation. Its size is limited, since a page
/// decides how much there is.
package struct HTMLTag: Sendable {
  /// The number of attributes that are kept. Each new name is compared with all of these, so without a limit the time
  /// would not be linear.
  static let mostAttributes = 64
  /// The number of bytes that are kept of all names and values together: a page of 16 MB may be one attribute.
  static let mostBytes = 1 << 20

  private struct Attribute: Sendable {
    let name: Range<Int>
    var value: Range<Int>
  }

  private var bytes: [UInt8] = []
  private var nameEnd = 0
  private var attributes: [Attribute] = []
  /// The place at which the attribute that is being read begins.
  private var attributeStart = 0
  private var isKeptAttribute = false
  private var isReadingValue = false

  package private(set) var isEnd = false
  /// True if there is an attribute whose name begins with `data-`.
  private(set) var hasData = false
  package internal(set) var isSelfClosing = false

  // MARK: Reading

  /// The name, in lower case.
  package var name: ArraySlice<UInt8> { bytes[..<nameEnd] }

  /// True if this is the tag's name, which is given in lower case.
  package func isNamed(_ other: String) -> Bool { name.span.isSame(as: other.utf8Span.span) }

  /// The number of attributes, repeated names aside.
  package var attributeCount: Int { attributes.count }

  /// The name and the value of an attribute, in the order of the page.
  package func attribute(_ index: Int) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
    (bytes[attributes[index].name], bytes[attributes[index].value])
  }

  /// The value of an attribute, whose name is given in lower case, or nil where the tag has none of that name.
  package func value(of name: String) -> ArraySlice<UInt8>? {
    // Often the length alone tells that there is none.
    let count = name.utf8.count
    for attribute in attributes where attribute.name.count == count {
      if bytes.span.extracting(attribute.name).isSame(as: name.utf8Span.span) { return bytes[attribute.value] }
    }
    return nil
  }

  // MARK: Being read

  mutating func begin(isEnd: Bool) {
    bytes.removeAll(keepingCapacity: true)
    if !attributes.isEmpty { attributes.removeAll(keepingCapacity: true) }
    nameEnd = 0
    self.isEnd = isEnd
    isSelfClosing = false
    isKeptAttribute = false
    hasData = false
  }

  mutating func appendToName(_ byte: UInt8) {
    guard bytes.count < Self.mostBytes else { return }
    bytes.append(byte)
    nameEnd = bytes.count
  }

  mutating func appendToName(_ piece: Span<UInt8>, _ range: Range<Int>) {
    append(piece, range)
    nameEnd = bytes.count
  }

  private mutating func append(_ piece: Span<UInt8>, _ range: Range<Int>) {
    bytes.append(copying: piece.extracting(range.prefix(max(0, Self.mostBytes - bytes.count))))
  }

  mutating func beginAttribute() {
    attributeStart = bytes.count
    isReadingValue = false
    isKeptAttribute = attributes.count < Self.mostAttributes
  }

  mutating func appendToAttributeName(_ byte: UInt8) {
    if isKeptAttribute, bytes.count < Self.mostBytes { bytes.append(byte) }
  }

  mutating func appendToAttributeName(_ piece: Span<UInt8>, _ range: Range<Int>) {
    if isKeptAttribute { append(piece, range) }
  }

  /// Ends the name of an attribute. The first of a name counts.
  mutating func endAttributeName() {
    guard isKeptAttribute, !isReadingValue else { return }
    isReadingValue = true
    let name = attributeStart..<bytes.count
    if attributes.contains(where: { $0.name.count == name.count && bytes[$0.name].elementsEqual(bytes[name]) }) {
      bytes.removeSubrange(name)
      isKeptAttribute = false
    } else {
      attributes.append(Attribute(name: name, value: bytes.count..<bytes.count))
      if bytes[name].first == UInt8(ascii: "d"), bytes[name].starts(with: "data-".utf8) { hasData = true }
    }
  }

  mutating func appendToValue(_ byte: UInt8) {
    guard isKeptAttribute, bytes.count < Self.mostBytes, let last = attributes.indices.last else { return }
    bytes.append(byte)
    attributes[last].value = attributes[last].value.lowerBound..<bytes.count
  }

  mutating func appendToValue(_ piece: Span<UInt8>, _ range: Range<Int>) {
    guard isKeptAttribute, let last = attributes.indices.last else { return }
    append(piece, range)
    attributes[last].value = attributes[last].value.lowerBound..<bytes.count
  }
}
