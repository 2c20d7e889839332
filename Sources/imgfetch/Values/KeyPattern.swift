import ImgfetchCore

/// A pattern of cache keys: `*` stands for any text, everything else for itself. It is compared byte by byte.
struct KeyPattern: Sendable {
  private let pattern: Glob
  /// True if the pattern begins with a scheme, with `*`, or with the bar of a key that is no URL. Any other pattern is
  /// compared with the part of a key after the scheme.
  private let isWhole: Bool

  init(_ text: String) {
    let bytes = Array(text.utf8)
    pattern = Glob(bytes)
    let hasScheme = bytes.indices.contains { bytes[$0...].starts(with: "://".utf8) }
    isWhole = hasScheme || bytes.first == Glob.wildcard || bytes.first == UInt8(ascii: "|")
  }

  func matches(_ key: String) -> Bool {
    let key = Array(key.utf8)
    if pattern.matches(key[...]) { return true }
    // A key that the user gave matches as it was given, too.
    if key.first == UInt8(ascii: "|") { return pattern.matches(key.dropFirst()) }
    guard !isWhole, let slash = key.firstIndex(of: UInt8(ascii: "/")), slash + 1 < key.count,
      key[slash + 1] == UInt8(ascii: "/")
    else { return false }
    return pattern.matches(key[(slash + 2)...])
  }
}
