/// The first line of a list of failures.
enum FailedListMark {
  /// The beginning of the line, by which every version's lists are known.
  static let beginning = "# imgfetch --failed-list"
  /// The first line of a list of failures: a comment for readers of lists, and the mark that lets a later run replace
  /// or remove the file.
  static let line = beginning + ": to be tried again. A run that has all of it removes this file."
  /// The beginning of the comment before a record of a table. It states the failure, for which the table has no column.
  static let failure = "# imgfetch was="
  /// The beginning of a comment in place of a record for which tables have no column either.
  static let unsafe = "# a page at a public address named it, which no column can say (give --from again): "

  /// True if a record is the comment that states a failure.
  static func isFailure(_ record: borrowing Span<UInt8>) -> Bool {
    guard record.count > failure.utf8.count, record[0] == UInt8(ascii: "#") else { return false }
    for (place, byte) in failure.utf8.enumerated() where record[place] != byte { return false }
    return true
  }
}
