import ImgfetchCore

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
    guard let at = bytes.place(of: mark) else { return 0 }
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
    Array(text.utf8).place(of: Array(mark.utf8)).map { Substring(text.utf8.dropFirst($0)) } ?? ""
  }

  private static let listMark = ",\"list\":"
  private static let optionsMark = ",\"options\":"

  /// The name of the member that holds it, the first one. It has no dot: Hugging Face's reader takes every name with
  /// one for a part of a sample.
  package static let member = "__imgfetch__/job"
  /// The name that version 1 gave it.
  static let formerMember = "__imgfetch__/job.json"

  /// The member's bytes. The version is stated and not compared: a later version makes the same from the same, or
  /// changes ``makes``.
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
