/// Lays out text for a terminal or a pager. It is the program's own text, so that one character is one column.
enum TextLayout {
  /// Breaks text into lines of at most `width` columns, each after `indent`. Longer words are not broken. Between
  /// paragraphs there is an empty line.
  static func wrapped(_ text: String, width: Int, indent: String = "") -> String {
    text.split(separator: "\n").map { paragraph(String($0), width: width, indent: indent) }.joined(separator: "\n")
  }

  private static func paragraph(_ text: String, width: Int, indent: String) -> String {
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

  /// Lays out rows of cells in columns of the given widths, two spaces apart; the last column gets the rest of `width`.
  /// In a longer row, cells continue on further lines.
  static func table(_ rows: [[String]], columns: [Int], width: Int) -> String {
    rows.map { row in
      let line = joined(row, columns)
      if line.count <= width { return line + "\n" }
      let room = width - columns.reduce(0) { $0 + $1 + 2 }
      let cells = row.indices.map { at in
        if at < columns.count { return pieces(of: row[at], width: columns[at], marks: " /,") }
        // If a path does not fit anyway, the cell stays on one line, so that a search for it finds the whole cell.
        let pieces = pieces(of: row[at], width: room, marks: " ")
        return pieces.allSatisfy { $0.count <= room } ? pieces : [row[at]]
      }
      let height = cells.map(\.count).max() ?? 0
      return (0..<height).map { number in
        joined(cells.map { number < $0.count ? $0[number] : "" }, columns) + "\n"
      }.joined()
    }.joined()
  }

  /// A line of cells. A cell that is too wide moves the rest of its line.
  private static func joined(_ cells: [String], _ columns: [Int]) -> String {
    var line = ""
    for (at, cell) in cells.enumerated() where !cell.isEmpty {
      let start = columns.prefix(at).reduce(0) { $0 + $1 + 2 }
      line = line.isEmpty ? String(repeating: " ", count: start) + cell : padded(line, to: start) + cell
    }
    return line
  }

  /// Splits text into pieces of at most `width` characters, at spaces or else after one of the marks. Text without
  /// either is not split.
  private static func pieces(of text: String, width: Int, marks: String) -> [String] {
    var pieces: [String] = []
    var rest = text[...]
    while rest.count > width {
      let head = rest.prefix(width + 1)
      let end = head.lastIndex(of: " ") ?? head.dropLast().lastIndex { marks.contains($0) }
      guard let end = end ?? rest.firstIndex(where: { marks.contains($0) }) else { break }
      let next = rest.index(after: end)
      pieces.append(String(rest[..<(rest[end] == " " ? end : next)]))
      rest = rest[next...]
    }
    if !rest.isEmpty || pieces.isEmpty { pieces.append(String(rest)) }
    return pieces
  }

  /// Text padded with spaces to a column, with at least two.
  static func padded(_ text: String, to column: Int) -> String {
    text + String(repeating: " ", count: max(column - text.count, 2))
  }
}
