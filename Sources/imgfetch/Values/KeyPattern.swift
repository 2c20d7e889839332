/// A pattern of cache keys: `*` stands for any text, everything else for itself. It is compared byte by byte.
struct KeyPattern: Sendable {
  private let pattern: [UInt8]
  /// True if the pattern begins with a scheme, with `*`, or with the bar of a key that is no URL. Any other pattern is
  /// compared with the part of a key after the scheme.
  private let isWhole: Bool

  static let wildcard = UInt8(ascii: "*")

  init(_ text: String) {
    let bytes = Array(text.utf8)
    pattern = bytes
    let hasScheme = bytes.indices.contains { bytes[$0...].starts(with: "://".utf8) }
    isWhole = hasScheme || pattern.first == Self.wildcard || pattern.first == UInt8(ascii: "|")
  }

  func matches(_ key: String) -> Bool {
    let key = Array(key.utf8)
    if matches(key[...]) { return true }
    guard !isWhole, let slash = key.firstIndex(of: UInt8(ascii: "/")), slash + 1 < key.count,
      key[slash + 1] == UInt8(ascii: "/")
    else { return false }
    return matches(key[(slash + 2)...])
  }

  /// Goes back to the last `*` only, which is enough: an earlier one could match no more than that.
  private func matches(_ text: ArraySlice<UInt8>) -> Bool {
    var (place, at) = (0, text.startIndex)
    var retry: (place: Int, at: Int)?
    while at < text.endIndex {
      if place < pattern.count, pattern[place] == Self.wildcard {
        retry = (place, at)
        place += 1
      } else if place < pattern.count, pattern[place] == text[at] {
        place += 1
        at += 1
      } else if let last = retry {
        retry = (last.place, last.at + 1)
        place = last.place + 1
        at = last.at + 1
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == Self.wildcard }
  }
}
