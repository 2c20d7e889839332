import ImgfetchCore

/// The way in which progress is shown: the user's wish, limited by the abilities of the terminal.
enum ProgressMode: Hashable, Sendable {
  case none
  /// Bars that are redrawn in place.
  case bars
  /// A line every few seconds.
  case plain
  /// A line now and then, and none of a short run.
  case sparse
  /// An object each second.
  case json

  /// - Parameters:
  ///   - isTerminal: True if standard error is a terminal.
  ///   - isRead: True if standard output goes to another program, which may print on the same terminal.
  ///   - kind: The terminal's type (`TERM`); nil if unset.
  init(_ requested: Choices.Progress, isTerminal: Bool, isRead: Bool, kind: String?) {
    // A dumb terminal cannot move its cursor, and one without a type may not.
    let canDraw = isTerminal && kind != nil && kind != "" && kind != "dumb"
    switch requested {
    case .none: self = .none
    case .plain: self = .plain
    case .json: self = .json
    case .auto: self = !canDraw ? .none : isRead ? .sparse : .bars
    // Where bars cannot be drawn: no control characters in a pipe, but no silence either.
    case .bar: self = canDraw ? .bars : .plain
    }
  }

  /// The time from one redraw, line or object to the next.
  var interval: Instant.Span {
    switch self {
    case .bars, .none: .milliseconds(100)
    case .json: .seconds(1)
    case .plain: .seconds(5)
    case .sparse: .seconds(10)
    }
  }

  /// The time from the first download to the first redraw: a run that ends sooner needs no bar, and a brief flash is of
  /// no use.
  var patience: Instant.Span { self == .bars ? .milliseconds(300) : interval }

  /// True if the terminal uses UTF-8, by the locale variables in their order of precedence.
  static func isUnicode(_ variable: (String) -> String?) -> Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = variable(name), !value.isEmpty else { continue }
      // LANGUAGE_COUNTRY.CODESET@MODIFIER; some systems set only the code set.
      let codeset = value.prefix { $0 != "@" }.split(separator: ".").last?.lowercased()
      return codeset == "utf-8" || codeset == "utf8"
    }
    return false
  }
}
