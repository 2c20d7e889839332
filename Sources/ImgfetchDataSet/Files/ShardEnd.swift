/// The number of rows in a shard, and the start of those of failed lines. It is the last member, of a fixed size, so
/// that a reader of ranges finds it at a fixed distance from the end.
package struct ShardEnd: Hashable, Sendable {
  package var images = 0
  package var failed = 0
  package var bytes: Int64 = 0
  /// The offset in the file at which the rows of failed lines begin.
  package var failedOffset: Int64 = 0
  package var failedBytes: Int64 = 0
  /// Images that others stand for. Their rows are among those of failed lines, and they are no failures.
  package var duplicates = 0

  package init() {}

  package static let member = "__imgfetch__/end"
  package static let failedMember = "__imgfetch__/failed"
  /// The names that version 1 gave them.
  static let formerMember = "__imgfetch__/end.json"
  static let formerFailedMember = "__imgfetch__/failed.jsonl"
  package static let size = 512
  /// The distance from the start of its bytes to the end of the file.
  package static var distance: Int64 { Int64(size + TarFormat.end.count) }

  /// The number of rows in the member of failed lines.
  var listedRows: Int { failed + duplicates }

  /// The member's bytes. Duplicates are mentioned only if there are any, so that shards without them do not change.
  package var content: [UInt8] {
    let others = duplicates > 0 ? ",\"duplicates\":\(duplicates)" : ""
    var bytes = Array(
      ("{\"rows\":\(images + listedRows),\"images\":\(images),\"failed\":\(failed),\"bytes\":\(self.bytes),"
        + "\"failed_offset\":\(failedOffset),\"failed_bytes\":\(failedBytes)\(others)}").utf8)
    bytes += [UInt8](repeating: UInt8(ascii: " "), count: max(0, Self.size - 1 - bytes.count))
    return bytes + [UInt8(ascii: "\n")]
  }

  /// Nil if the bytes are no such member.
  package init?(content: [UInt8]) {
    // Six numbers in their order, or seven with duplicates.
    var numbers: [Int64] = []
    for digits in content.split(whereSeparator: { !(0x30...0x39 ~= $0) }) {
      guard let number = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
      numbers.append(number)
    }
    // Other attempts have written it. No sum of numbers below the bound overflows.
    guard numbers.count == 6 || numbers.count == 7, content.count == Self.size,
      numbers.allSatisfy({ $0 <= Self.greatest }),
      let images = Int(exactly: numbers[1]), let failed = Int(exactly: numbers[2]),
      let duplicates = Int(exactly: numbers.count == 7 ? numbers[6] : 0)
    else { return nil }
    self.images = images
    self.failed = failed
    self.duplicates = duplicates
    (bytes, failedOffset, failedBytes) = (numbers[3], numbers[4], numbers[5])
    guard self.content == content else { return nil }
  }

  /// A quintillion: more than any file has bytes.
  static let greatest: Int64 = 1 << 60
}
