/// Lays out words for a terminal or a pager. Text of ours only, so a character is a column.
enum TextLayout {
  /// Breaks text into lines of at most `width` columns, each behind `indent`. A word that is longer stays whole.
  static func wrapped(_ text: String, width: Int, indent: String = "") -> String {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if line.isEmpty {
        line = indent + word
      } else if line.count + 1 + word.count <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = indent + word
      }
    }
    if !line.isEmpty { lines.append(line) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Text filled up with blanks to a column, with two at least.
  static func padded(_ text: String, to column: Int) -> String {
    text + String(repeating: " ", count: max(column - text.count, 2))
  }
}
