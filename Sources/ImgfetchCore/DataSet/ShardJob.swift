/// The job of a shard, as stated in its file: the options that decide which images it holds and their bytes, and its
/// records. Two shards of one name whose jobs are the same are attempts at the same thing.
///
/// A pure value. Its text is compared to the letter.
package struct ShardJob: Hashable, Sendable {
  /// A JSON object.
  package let text: String

  init(text: String) { self.text = text }

  /// - Parameters:
  ///   - records: the hash over them.
  ///   - membership: the options that decide which records these are, as JSON.
  ///   - options: those that decide which images they become, and their bytes, as JSON.
  package init(
    _ shard: ShardName, records: RecordsHash, membership: String, options: String
  ) {
    text =
      "{\"makes\":\(Self.makes),\"shard\":\"\(shard.text)\",\"records\":\(records.count),\"hash\":\"\(records.value.hex)\""
      + Self.listMark + membership + Self.optionsMark + options + "}"
  }

  /// A number that goes up whenever an option's result for the same image changes, so that versions with equal results
  /// may share a set, and others never do. Version 1 called it a format, and had 1.
  package static let makes = 2

  /// True of a shard by a version that makes something else of the same options.
  package var isOfOtherVersion: Bool { !text.utf8.starts(with: "{\"makes\":\(Self.makes),".utf8) }

  /// The number of its records.
  package var records: Int {
    let mark = Array(",\"records\":".utf8)
    let bytes = Array(text.utf8.prefix(256))
    guard let at = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else { return 0 }
    let digits = bytes[(at + mark.count)...].prefix { 0x30...0x39 ~= $0 }
    return digits.count <= 12 ? Int(String(decoding: digits, as: UTF8.self)) ?? 0 : 0
  }

  /// The part that does not depend on the records, and so can be compared before the list is read.
  package var rules: Substring { text(from: Self.listMark) }

  /// The part that decides which images the records become, and their bytes.
  package var options: Substring { text(from: Self.optionsMark) }

  /// No text of a user precedes a mark that it could contain: the first options are numbers and words, and patterns of
  /// hosts hold no quotation marks.
  private func text(from mark: String) -> Substring {
    let (bytes, mark) = (text.utf8, Array(mark.utf8))
    var at = bytes.startIndex
    while let next = bytes[at...].firstIndex(of: mark[0]) {
      if bytes[next...].starts(with: mark) { return text[next...] }
      at = bytes.index(after: next)
    }
    return ""
  }

  private static let listMark = ",\"list\":"
  private static let optionsMark = ",\"options\":"

  /// The name of the member that holds it, the first one. It has no dot: Hugging Face's reader takes every name with
  /// one for a part of a sample.
  package static let member = "__imgfetch__/job"
  /// The name that version 1 gave it.
  static let formerMember = "__imgfetch__/job.json"

  /// The member's bytes. The version is told and not compared: a later one makes the same of the
  /// same, or changes ``makes``.
  package var content: [UInt8] {
    Array("\(Self.opening)\(text)\(Self.middle)\(ImgfetchVersion.number)\"}\n".utf8)
  }

  /// Nil if the bytes are no such member.
  package init?(content: [UInt8]) {
    guard content.starts(with: Self.opening.utf8) else { return nil }
    // The version holds no quotation mark, so that the last such text is the one that was written behind the job.
    let middle = Array(Self.middle.utf8)
    var end = content.count - middle.count
    while end >= Self.opening.utf8.count {
      if content[end] == middle[0], content[end...].starts(with: middle) { break }
      end -= 1
    }
    guard end >= Self.opening.utf8.count,
      let text = String(validating: content[Self.opening.utf8.count..<end], as: UTF8.self)
    else { return nil }
    self.text = text
  }

  private static let opening = "{\"job\":"
  private static let middle = ",\"imgfetch\":\""
}

/// The number of rows in a shard, and the start of those of failed lines. It is the last member, of a fixed size, so
/// that a reader of ranges finds it at a fixed distance from the end.
package struct ShardEnd: Hashable, Sendable {
  package var images = 0
  package var failed = 0
  /// Bytes of the images.
  package var bytes: Int64 = 0
  /// The offset in the file at which the rows of failed lines begin.
  package var failedOffset: Int64 = 0
  package var failedBytes: Int64 = 0

  package init() {}

  package static let member = "__imgfetch__/end"
  package static let failedMember = "__imgfetch__/failed"
  /// The names that version 1 gave them.
  static let formerMember = "__imgfetch__/end.json"
  static let formerFailedMember = "__imgfetch__/failed.jsonl"
  package static let size = 512
  /// The distance from the start of its bytes to the end of the file.
  package static var distance: Int64 { Int64(size + TarFormat.end.count) }

  /// The member's bytes.
  package var content: [UInt8] {
    var bytes = Array(
      ("{\"rows\":\(images + failed),\"images\":\(images),\"failed\":\(failed),\"bytes\":\(self.bytes),"
        + "\"failed_offset\":\(failedOffset),\"failed_bytes\":\(failedBytes)}").utf8)
    bytes += [UInt8](repeating: UInt8(ascii: " "), count: max(0, Self.size - 1 - bytes.count))
    return bytes + [UInt8(ascii: "\n")]
  }

  /// Nil if the bytes are no such member.
  package init?(content: [UInt8]) {
    // Six numbers in their order.
    var numbers: [Int64] = []
    var number: Int64?
    for byte in content {
      if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
        let (tenfold, isOver) = (number ?? 0).multipliedReportingOverflow(by: 10)
        let (sum, isOverToo) = tenfold.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
        if isOver || isOverToo { return nil }
        number = sum
      } else if let complete = number {
        numbers.append(complete)
        number = nil
      }
    }
    // Other attempts have written it. No sum of numbers below the bound overflows.
    guard numbers.count == 6, content.count == Self.size, numbers.allSatisfy({ $0 <= Self.greatest }),
      let images = Int(exactly: numbers[1]), let failed = Int(exactly: numbers[2])
    else { return nil }
    self.images = images
    self.failed = failed
    (bytes, failedOffset, failedBytes) = (numbers[3], numbers[4], numbers[5])
    guard self.content == content else { return nil }
  }

  /// A quintillion: more than any file has bytes.
  static let greatest: Int64 = 1 << 60
}

/// The hash over a shard's records, by which a list that was changed is noticed. A pure value.
///
/// Each record is hashed by itself, and that hash is folded in with the record's number: neither lines that moved nor
/// two that became one go unnoticed, and a list of ten million lines is compared in the time that reading it takes.
package struct RecordsHash: Sendable {
  package private(set) var count = 0
  private var high: UInt64 = 0
  private var low: UInt64 = 0
  /// The header that the last record stood under.
  private var header: ContentHash?
  /// The sums when there were as many as a shard that is there has, of which this may be a continuation.
  private var mark: (count: Int, high: UInt64, low: UInt64)?

  package init() {}

  /// - Parameter count: the number of records that ``beginning`` covers.
  package init(markAt count: Int) { mark = (count, 0, 0) }

  /// The hash over the first records, as many as were to be marked, or nil if there were fewer.
  package var beginning: RecordsHash? {
    guard let mark, count >= mark.count, mark.count > 0 else { return nil }
    var hash = RecordsHash()
    (hash.count, hash.high, hash.low) = mark
    return hash
  }

  /// Adds the next record.
  ///
  /// - Parameters:
  ///   - record: its number in the list.
  ///   - text: its text.
  ///   - header: the hash of the line that names its columns, or nil for none. The same record under other names is
  ///     another one.
  package mutating func add(record: Int, _ text: borrowing Span<UInt8>, under header: ContentHash? = nil) {
    if let header, count == 0 || header != self.header {
      high = Self.fold(high, header.high)
      low = Self.fold(low, header.low)
    }
    self.header = header
    let hash = ContentHash(of: text)
    high = Self.fold(high, hash.high ^ UInt64(truncatingIfNeeded: record))
    low = Self.fold(low, hash.low)
    count += 1
    if count == mark?.count { mark = (count, high, low) }
  }

  /// The odd factor (of the golden ratio) makes the order matter, the shift carries the upper bits,
  /// which it would lose, down.
  private static func fold(_ sum: UInt64, _ value: UInt64) -> UInt64 {
    let product = (sum ^ value) &* 0x9E37_79B9_7F4A_7C15
    return product ^ product >> 29
  }

  package var value: ContentHash { ContentHash(high: high, low: low) }
}
