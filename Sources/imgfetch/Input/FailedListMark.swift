/// The first line of a list of failures.
enum FailedListMark {
  /// The beginning of the line, by which every version's lists are known.
  static let beginning = "# imgfetch --failed-list"
  /// The line: a comment for list readers, and the mark by which a later run knows that it may replace or remove the
  /// file.
  static let line = beginning + ": to be tried again. A run that has all of it removes this file."
}
