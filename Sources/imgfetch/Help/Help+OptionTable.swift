extension Help {
  /// `imgfetch help options`: every option with its value, its default and its source.
  static func options(_ resolved: ResolvedOptions) -> String {
    var rows = [["OPTION", "VALUE", "DEFAULT", "FROM"]]
    for flag in Flag.all where flag.id != .help && flag.id != .version && flag.shorthand == nil {
      rows.append([
        flag.long, value(of: flag, resolved[flag.id]), standard(of: flag), origin(of: flag, resolved[flag.id]),
      ])
    }
    return TextLayout.table(rows, columns: optionColumns, width: width)
  }

  /// The first and the fourth column fit the longest option name and the longest variable name (key-ignore-param).
  /// Values and defaults share the rest.
  private static let optionColumns = [16, 16, 17]

  private static func standard(of flag: Flag) -> String {
    switch flag.kind {
    case .toggle, .shorthand: flag.isOnByDefault ? "yes" : "no"
    case .counter: "0"
    case .argument: flag.defaultValue ?? flag.unset
    }
  }

  private static func value(of flag: Flag, _ entry: ResolvedOptions.Entry?) -> String {
    switch entry?.state {
    case nil: standard(of: flag)
    case .on?: "yes"
    case .off?: "no"
    case .counted(let count)?: "\(count)"
    case .negated?: flag.takesValue ? "none" : standard(of: flag)
    case .values(let values)?:
      values.map { Secrets.masked($0.text, of: flag).map(harmless).reduce("", +) }.joined(separator: ", ")
    }
  }

  private static func origin(of flag: Flag, _ entry: ResolvedOptions.Entry?) -> String {
    guard let entry else { return flag.sources == .commandLine ? "command line only" : "default" }
    guard case .values(let values) = entry.state else { return place(entry.source) }
    var places: [String] = []
    for place in values.map({ place($0.source) }) where !places.contains(place) { places.append(place) }
    return places.joined(separator: ", ")
  }

  private static func place(_ source: Source) -> String {
    switch source {
    case .defaultValue: "default"
    case .file(let path, let line): "\(path):\(line)"
    case .environment(let variable): variable
    case .commandLine(let spelling): spelling
    }
  }

  /// A control character in a variable must not reach the terminal.
  private static func harmless(_ character: Character) -> String {
    let isControl = character.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    return isControl ? "?" : String(character)
  }
}

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
