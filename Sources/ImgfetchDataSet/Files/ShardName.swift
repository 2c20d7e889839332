/// The name of a shard: its number, the machine's part under `--shard-by host`, and which repetition it is.
package struct ShardName: Hashable, Sendable, Comparable {
  /// The part whose hosts it holds, or nil if shards are runs of lines.
  package var part: Int?
  package var number: Int
  /// 0 for the shard itself, 1 and so on for shards with images that were fetched later.
  package var again = 0

  package init(part: Int? = nil, number: Int, again: Int = 0) {
    self.part = part
    self.number = number
    self.again = again
  }

  /// `00012`, `3-00012`, `00012.r1`.
  package var text: String {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, Self.digits - digits.utf8.count))
    return (part.map { "\($0)-" } ?? "") + zeros + digits + (again > 0 ? ".r\(again)" : "")
  }

  package var file: String { text + Self.ending }

  /// The shard whose file has this name, or nil if it is none.
  package init?(file name: String) {
    guard name.hasSuffix(Self.ending) else { return nil }
    var rest = name.dropLast(Self.ending.utf8.count)
    var again = 0
    if let dot = rest.lastIndex(of: ".") {
      let mark = rest[rest.index(after: dot)...]
      guard mark.hasPrefix("r"), let count = Self.number(mark.dropFirst()), count > 0 else { return nil }
      again = count
      rest = rest[..<dot]
    }
    var part: Int?
    if let dash = rest.firstIndex(of: "-") {
      guard let index = Self.number(rest[..<dash]), index > 0 else { return nil }
      part = index
      rest = rest[rest.index(after: dash)...]
    }
    guard rest.utf8.count >= Self.digits, let number = Self.number(rest) else { return nil }
    self.init(part: part, number: number, again: again)
    // One name each: `000001` is not 1.
    guard text + Self.ending == name else { return nil }
  }

  package static func < (left: ShardName, right: ShardName) -> Bool {
    (left.part ?? 0, left.number, left.again) < (right.part ?? 0, right.number, right.again)
  }

  /// The shard itself, of which this may be a repetition.
  package var first: ShardName { ShardName(part: part, number: number) }

  private static let digits = 5
  private static let ending = ".tar"

  /// The most digits of a number in a name, so that no sum or product of them overflows.
  private static let mostDigits = 12

  private static func number(_ text: Substring) -> Int? {
    guard (1...mostDigits).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }
}
