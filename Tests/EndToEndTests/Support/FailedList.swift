import TestSupport
import Testing

/// What `--failed-list` writes.
enum FailedList {
  /// The comment that it begins with, by which an earlier one is known.
  static let mark = "# imgfetch --failed-list: to be tried again. A run that has all of it removes this file."

  /// The lines to be tried again; nil where there is no list, or it does not begin as it should.
  static func lines(of path: String, end: Character = "\n") -> [String]? {
    guard let text = Command.text(of: path), text.hasPrefix("\(mark)\(end)"), text.last == end else { return nil }
    return text.split(separator: end).dropFirst().map(String.init)
  }
}
