import ImgfetchCore

/// Writes mdoc(7) and escapes what has a meaning there.
enum Roff {
  /// Prose: each line of `text` that is not empty is a paragraph, unless a mark begins it.
  ///
  ///     # TITLE         a section; after ## a part of one
  ///     * TAG | TEXT    an item of a list, whose tag is a macro line; after + of a compact one
  ///     - TEXT          an item without a tag
  ///     > LINE          a command, or a line of a file
  static func paragraphs(_ text: String) -> String {
    var page = ""
    var last = "#"
    for line in text.split(separator: "\n") {
      let word = line.prefix { $0 != " " }
      let mark = ["#", "##", "*", "+", "-", ">"].first { $0 == word } ?? ""
      if mark != last {
        page += end(of: last) + beginning(of: mark, after: last)
      } else if mark.isEmpty {
        page += ".Pp\n"
      }
      page += marked(mark.isEmpty ? line : line.dropFirst(mark.count + 1), mark)
      last = mark
    }
    return page + end(of: last)
  }

  private static func beginning(of mark: String, after last: String) -> String {
    switch mark {
    case "*", "+": ".Bl -tag -width Ds\(mark == "+" ? " -compact" : "")\n"
    case "-": ".Bl -bullet\n"
    case ">": displayed
    case "": ["*", "+", "-"].contains(last) ? ".Pp\n" : ""
    default: ""
    }
  }

  private static func end(of mark: String) -> String {
    switch mark {
    case "*", "+", "-": ".El\n"
    case ">": ".Ed\n"
    default: ""
    }
  }

  private static func marked(_ line: Substring, _ mark: String) -> String {
    switch mark {
    case "#": return ".Sh \(line)\n"
    case "##": return ".Ss \(line)\n"
    case "*", "+":
      let bar = line.indices.first { line[$0...].hasPrefix(" | ") } ?? line.endIndex
      return ".It \(line[..<bar])\n" + text(String(line[bar...].dropFirst(3)))
    case "-": return ".It\n" + text(String(line))
    case ">": return display(line)
    default: return text(String(line))
    }
  }

  /// A phrase that is no sentence, on one line.
  static func line(_ text: String) -> String {
    let line = text.split(separator: " ").map(escaped).joined(separator: " ")
    return (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
  }

  /// A paragraph as text lines. mdoc wants each sentence to begin on a new line; lines stay under 80 columns.
  static func text(_ text: String) -> String {
    var lines: [String] = []
    var line = ""
    func end() {
      guard !line.isEmpty else { return }
      lines.append(line)
      line = ""
    }
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      let word = escaped(word)
      if !line.isEmpty && line.utf8.count + 1 + word.utf8.count > 78 { end() }
      // These two begin a request at the beginning of a line.
      if line.isEmpty {
        line = word.hasPrefix(".") || word.hasPrefix("'") ? "\\&" + word : word
      } else {
        line += " " + word
      }
      if word.hasSuffix(".") || word.hasSuffix(".)") { end() }
    }
    end()
    return lines.joined(separator: "\n") + "\n"
  }

  /// Commands and files, line by line.
  static func display(_ text: String) -> String {
    displayed + text.split(separator: "\n", omittingEmptySubsequences: false).map(display).joined() + ".Ed\n"
  }

  private static let displayed = ".Bd -literal -offset indent\n"

  private static func display(_ line: Substring) -> String {
    let line = escapedDashes(line)
    return (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
  }

  /// One word of a macro line, quoted so that it is neither a macro nor separated punctuation.
  static func argument(_ text: some StringProtocol) -> String {
    "\"" + escapedDashes(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq")
      + "\""
  }

  /// A tagged list: each tag is a macro line, followed by its text.
  static func list(_ items: [(tag: String, body: String)], compact: Bool = false) -> String {
    guard !items.isEmpty else { return "" }
    let entries = items.map { ".It \($0.tag)\n" + $0.body }
    return ".Bl -tag -width Ds\(compact ? " -compact" : "")\n" + entries.joined() + ".El\n"
  }

  /// A word of text. A dash stays copyable where it begins an option; elsewhere it is a hyphen.
  private static func escaped(_ word: Substring) -> String {
    let isOption = word.hasPrefix("-") || word.hasPrefix("'-") || word.hasPrefix("(-")
    return isOption ? escapedDashes(word) : escapedBackslashes(word)
  }

  private static func escapedBackslashes(_ text: some StringProtocol) -> String {
    text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\e")
  }

  private static func escapedDashes(_ text: some StringProtocol) -> String {
    escapedBackslashes(text).split(separator: "-", omittingEmptySubsequences: false).joined(separator: "\\-")
  }
}
