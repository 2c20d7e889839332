/// A pattern that is compared byte by byte: `*` stands for any text and, where asked for, `?` for any one byte.
package struct Glob: Hashable, Sendable {
  private let pattern: [UInt8]
  private let hasSingle: Bool

  package static let wildcard = UInt8(ascii: "*")

  package init(_ pattern: [UInt8], hasSingle: Bool = false) {
    self.pattern = pattern
    self.hasSingle = hasSingle
  }

  /// Goes back to the last `*` only: an earlier one could match no more than that, and would take exponential time.
  package func matches(_ text: ArraySlice<UInt8>) -> Bool {
    var (place, at) = (0, text.startIndex)
    var retry: (place: Int, at: Int)?
    while at < text.endIndex {
      if place < pattern.count, pattern[place] == Self.wildcard {
        retry = (place, at)
        place += 1
      } else if place < pattern.count, pattern[place] == text[at] || hasSingle && pattern[place] == UInt8(ascii: "?") {
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
