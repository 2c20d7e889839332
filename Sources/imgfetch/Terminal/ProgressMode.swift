/// How progress is shown, once wishes and surroundings have been weighed.
enum ProgressMode: Hashable, Sendable {
  case none
  /// Bars, drawn over one another.
  case bars
  /// A line now and then.
  case plain
  /// An object now and then.
  case json

  /// - Parameters:
  ///   - isTerminal: whether standard error is one.
  ///   - kind: the terminal's kind (`TERM`); nil where nobody said.
  init(_ wish: Choices.Progress, isTerminal: Bool, kind: String?) {
    // A dumb terminal knows no cursor to move, and one of no kind has promised nothing.
    let canDraw = isTerminal && kind != nil && kind != "" && kind != "dumb"
    switch wish {
    case .none: self = .none
    case .plain: self = .plain
    case .json: self = .json
    case .auto: self = canDraw ? .bars : .none
    // Asked for where it cannot be drawn: never a control character into a pipe, but not silence either.
    case .bar: self = canDraw ? .bars : .plain
    }
  }

  /// Whether the terminal's text is UTF-8, by the locale's variables in their order of precedence.
  static func isUnicode(_ variable: (String) -> String?) -> Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = variable(name), !value.isEmpty else { continue }
      // LANGUAGE_COUNTRY.CODESET@MODIFIER; some systems hand on the code set alone.
      let codeset = value.prefix { $0 != "@" }.split(separator: ".").last?.lowercased()
      return codeset == "utf-8" || codeset == "utf8"
    }
    return false
  }
}
