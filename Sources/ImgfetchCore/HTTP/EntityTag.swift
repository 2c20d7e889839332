/// An ETag, byte for byte as received: a server that sends malformed ones expects exactly those back.
package struct EntityTag: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// True if the tag is marked as weak: equal weak tags mean equivalent bodies, not equal bytes.
  package var isWeak: Bool { bytes.starts(with: [UInt8(ascii: "W"), UInt8(ascii: "/")]) }

  /// True if the tag is well-formed and not weak: `"…"`. Only equal strong tags mean equal bytes.
  package var isStrong: Bool {
    let quote = UInt8(ascii: "\"")
    return bytes.count >= 2 && bytes.first == quote && bytes.last == quote
      && !bytes.dropFirst().dropLast().contains(quote)
  }

  /// The strong comparison of RFC 9110 §8.8.3.2: the bytes are equal.
  package func stronglyMatches(_ other: EntityTag) -> Bool { isStrong && bytes == other.bytes }

  /// The weak comparison of RFC 9110 §8.8.3.2: the bodies are equivalent.
  package func weaklyMatches(_ other: EntityTag) -> Bool {
    bytes.dropFirst(isWeak ? 2 : 0).elementsEqual(other.bytes.dropFirst(other.isWeak ? 2 : 0))
  }
}
