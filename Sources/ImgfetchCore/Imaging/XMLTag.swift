/// A start tag: the names and values as bytes, which is how XML compares them. Only the beginning
/// of a long value is kept.
///
/// All texts stand one after the other in one piece of memory, which the next tag uses again.
package struct XMLTag: Sendable {
  /// An attribute's places in the text.
  private struct Attribute: Sendable {
    var start: Int32
    var valueStart: Int32
    var end: Int32
  }

  private var text: [UInt8] = []
  private var nameLength = 0
  private var attributes: [Attribute] = []

  package var name: ArraySlice<UInt8> { text[..<nameLength] }

  /// The name behind a prefix of its namespace.
  package var localName: ArraySlice<UInt8> { Self.local(name) }

  package var count: Int { attributes.count }

  package func attributeName(_ index: Int) -> ArraySlice<UInt8> {
    text[Int(attributes[index].start)..<Int(attributes[index].valueStart)]
  }

  package func value(_ index: Int) -> ArraySlice<UInt8> {
    text[Int(attributes[index].valueStart)..<Int(attributes[index].end)]
  }

  /// The value of an attribute; nil if there is none of the name.
  package subscript(name: String) -> ArraySlice<UInt8>? {
    (0..<count).first { attributeName($0).elementsEqual(name.utf8) }.map(value)
  }

  /// A name without the prefix of its namespace.
  package static func local(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let colon = name.lastIndex(of: UInt8(ascii: ":")) else { return name }
    return name[(colon + 1)...]
  }

  // MARK: While it comes

  /// Forgets the tag before.
  mutating func begin() {
    text.removeAll(keepingCapacity: text.capacity <= Self.mostKept)
    attributes.removeAll(keepingCapacity: true)
    nameLength = 0
  }

  mutating func setName(_ bytes: [UInt8]) {
    text += bytes
    nameLength = text.count
  }

  /// Begins an attribute. Its value follows.
  mutating func beginAttribute(_ name: [UInt8]) {
    let start = Int32(clamping: text.count)
    text += name
    let valueStart = Int32(clamping: text.count)
    attributes.append(Attribute(start: start, valueStart: valueStart, end: valueStart))
  }

  /// Adds a byte to the value of the last attribute.
  mutating func append(_ byte: UInt8) { text.append(byte) }

  /// The length of the last attribute's value by now.
  var valueLength: Int { text.count - Int(attributes.last?.valueStart ?? 0) }

  mutating func endAttribute() {
    guard !attributes.isEmpty else { return }
    attributes[attributes.count - 1].end = Int32(clamping: text.count)
  }

  /// True if two attributes have one name.
  var repeatsName: Bool {
    guard count > 8 else {
      for later in 1..<max(1, count) {
        for earlier in 0..<later where attributeName(earlier) == attributeName(later) { return true }
      }
      return false
    }
    var names = Set<ArraySlice<UInt8>>(minimumCapacity: count)
    return !(0..<count).allSatisfy { names.insert(attributeName($0)).inserted }
  }

  private static let mostKept = 1 << 14
}
