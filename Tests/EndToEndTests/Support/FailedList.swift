import TestSupport
import Testing

/// The output of `--failed-list`.
enum FailedList {
  /// The comment that it begins with, which identifies earlier lists.
  static let mark = "# imgfetch --failed-list: to be tried again. A run that has all of it removes this file."

  /// The lines to try again, without the names they were given because of others and without the reports of their
  /// failures, or nil if there is no list, or if it does not begin as it should.
  static func lines(of path: String, end: Character = "\n") -> [String]? {
    guard let text = Command.text(of: path), text.hasPrefix("\(mark)\(end)"), text.last == end else { return nil }
    return text.split(separator: end).dropFirst().map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).filter {
        !$0.hasPrefix("stem=") && !$0.hasPrefix("was=")
      }
      .joined(separator: "\t")
    }
  }
}
