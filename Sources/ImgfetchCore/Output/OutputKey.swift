/// Identifies the image of an output: the first 16 bytes of the SHA-256 of its key. Unlike the cache's hash, it cannot
/// be made to collide on purpose.
package struct OutputKey: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  /// 32 hex digits.
  package var hex: String { ContentHash(high: high, low: low).hex }
}

extension OutputKey {
  package init(of key: String) { (high, low) = SHA256.prefix(of: key.utf8Span.span) }

  /// The key with the other one of http and https, or nil if it has neither. Sites that move to https
  /// keep their images' names.
  package static func otherScheme(of key: String) -> String? {
    let end = schemeEnd(of: key)
    if end == 0 { return nil }
    return (end == secure.utf8.count ? plain : secure) + String(Substring(key.utf8.dropFirst(end)))
  }

  /// The offset of the key's rest behind http or https, in bytes, or 0 if it has neither. Keys that agree from there on
  /// count as one when names are given out.
  package static func schemeEnd(of key: String) -> Int {
    let bytes = key.utf8Span.span
    // The byte behind `http` tells which of them it can be.
    guard bytes.count > plain.utf8.count else { return 0 }
    let scheme = bytes[4] == UInt8(ascii: "s") ? secure : plain
    guard bytes.count >= scheme.utf8.count else { return 0 }
    var index = 0
    for byte in scheme.utf8 {
      if bytes[index] != byte { return 0 }
      index += 1
    }
    return index
  }

  private static let plain = "http://"
  private static let secure = "https://"
}
