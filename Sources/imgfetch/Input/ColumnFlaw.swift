/// The reasons why it is not known which column of a table holds the URLs.
enum ColumnFlaw {
  /// The column that was asked for is not among these.
  static func missing(_ wanted: String, among names: [String]) -> String {
    "its first line does not name a column \(SafeText.text(wanted)); it names \(shown(names))"
  }

  /// None was asked for, and all of these hold URLs.
  static func several(_ names: [String]) -> String {
    "no column is named url, and several hold URLs: \(shown(names)); --url-column says which"
  }

  private static func shown(_ names: [String]) -> String {
    names.prefix(20).map { SafeText.text($0) }.joined(separator: ", ")
  }
}
