/// An ETag, byte for byte as it came: a server that sends odd ones wants exactly those back.
package struct EntityTag: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Marked as weak: equal tags mean bodies that will do for each other, not equal bytes.
  package var isWeak: Bool { bytes.starts(with: [UInt8(ascii: "W"), UInt8(ascii: "/")]) }

  /// Neither weak nor odd: `"…"`. Only such a tag says that the bytes are the same.
  package var isStrong: Bool {
    let quote = UInt8(ascii: "\"")
    return bytes.count >= 2 && bytes.first == quote && bytes.last == quote
      && !bytes.dropFirst().dropLast().contains(quote)
  }

  /// RFC 9110 §8.8.3.2: the bytes are the same.
  package func stronglyMatches(_ other: EntityTag) -> Bool { isStrong && bytes == other.bytes }

  /// RFC 9110 §8.8.3.2: one will do for the other.
  package func weaklyMatches(_ other: EntityTag) -> Bool {
    bytes.dropFirst(isWeak ? 2 : 0).elementsEqual(other.bytes.dropFirst(other.isWeak ? 2 : 0))
  }
}
