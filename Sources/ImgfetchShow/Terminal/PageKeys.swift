/// The keys that a user types below a page, as `more` and `less` take them. A pure value.
///
/// Keys that mean nothing here are passed over. Keys after the answer are kept for the next page.
package struct PageKeys {
  package enum Answer: Hashable, Sendable {
    /// Space, Return, the arrow down and their like.
    case next
    /// q, or Ctrl-D.
    case end
  }

  /// The bytes that were typed and not yet looked at.
  package private(set) var typed: [UInt8] = []

  package init() {}

  private static let escape: UInt8 = 0x1B

  package mutating func take(_ bytes: [UInt8]) { typed += bytes }

  /// The next answer; nil if none was typed yet.
  package mutating func next() -> Answer? {
    while !typed.isEmpty {
      let key = takeKey()
      switch key {
      case [UInt8(ascii: " ")], [10], [13], [UInt8(ascii: "n")], [UInt8(ascii: "f")], [UInt8(ascii: "j")]: return .next
      // The arrow down in both modes of a terminal's keys, and the page down.
      case Array("\u{1B}[B".utf8), Array("\u{1B}OB".utf8), Array("\u{1B}[6~".utf8): return .next
      case [UInt8(ascii: "q")], [UInt8(ascii: "Q")], [4]: return .end
      default: continue
      }
    }
    return nil
  }

  /// Takes the bytes of one key: a byte, or a sequence.
  private mutating func takeKey() -> [UInt8] {
    var count = 1
    if typed[0] == Self.escape, typed.count > 2 {
      switch typed[1] {
      case UInt8(ascii: "O"): count = 3
      case UInt8(ascii: "["):
        let end = typed.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }
        count = end.map { $0 + 1 } ?? typed.count
      default: break
      }
    }
    defer { typed.removeFirst(count) }
    return Array(typed.prefix(count))
  }
}
