/// Writes mdoc(7): what of our text would mean something to it is escaped.
enum Roff {
  /// A paragraph as text lines: a sentence begins on a new line, as mdoc wants it, and lines stay under 80 columns.
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
      // At the beginning of a line these two begin a request.
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

  /// Lines as they are: commands and files.
  static func display(_ text: String) -> String {
    var lines = ".Bd -literal -offset indent\n"
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = escapedDashes(line)
      lines += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
    }
    return lines + ".Ed\n"
  }

  /// One word of a macro line, which could otherwise be a macro or end in punctuation that is set apart.
  static func argument(_ text: some StringProtocol) -> String {
    "\"" + escapedDashes(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq")
      + "\""
  }

  /// A tagged list: what each item is called, as a macro line, and what is said of it.
  static func list(_ items: [(tag: String, body: String)], compact: Bool = false) -> String {
    guard !items.isEmpty else { return "" }
    let entries = items.map { ".It \($0.tag)\n" + $0.body }
    return ".Bl -tag -width Ds\(compact ? " -compact" : "")\n" + entries.joined() + ".El\n"
  }

  /// A word of text. A dash stays one that can be copied where it begins an option; elsewhere it is a hyphen.
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
