/// The first line of a list of failures.
enum FailedListMark {
  /// The beginning of the line, by which every version's lists are known.
  static let beginning = "# imgfetch --failed-list"
  /// The line: a comment for list readers, and the mark by which a later run knows that it may replace or remove the
  /// file.
  static let line = beginning + ": to be tried again. A run that has all of it removes this file."
  /// The beginning of the comment that stands before a record of a table, with the record's failure: a table has no
  /// place for it, and its columns stay what they are.
  static let failure = "# imgfetch was="

  /// True for that comment.
  static func isFailure(_ record: borrowing Span<UInt8>) -> Bool {
    guard record.count > failure.utf8.count, record[0] == UInt8(ascii: "#") else { return false }
    for (place, byte) in failure.utf8.enumerated() where record[place] != byte { return false }
    return true
  }
}
