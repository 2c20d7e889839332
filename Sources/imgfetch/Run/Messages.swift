import ImgfetchCore

/// What is said on standard error: a line each, made harmless, begun with the program's name; or an object each, for a program.
final class Messages: Sendable {
  /// What kind of line it is, by the name of its object's only field.
  private enum Kind: String { case error, warning, note }

  private let printer: Printer
  private let isJSON: Bool
  private let isQuiet: Bool
  /// What was warned of already: the same sentence for each of a thousand images is said once. By a hash that has a key of this process,
  /// or a server that knows the words of a warning could look for a name whose warning hides it.
  private let warned = Guarded<Set<UInt64>>([])
  /// What is said in the end of a quiet run.
  private let matters = Guarded(OwnerMatters())

  /// - Parameters:
  ///   - isJSON: a program reads standard error as a stream of objects (`--progress json`).
  ///   - bars: what is drawn on standard error besides.
  init(isQuiet: Bool = false, isJSON: Bool = false, bars: ProgressDisplay? = nil) {
    self.isQuiet = isQuiet
    self.isJSON = isJSON
    printer = Printer(.standardError, flushing: .eachLine, bars: bars)
  }

  /// An error.
  func say(_ message: String) { print([message], as: .error) }

  /// What went well only in part.
  func warn(_ message: String) {
    if isQuiet || !warned.withLock({ $0.insert(Self.digest(of: message)).inserted }) { return }
    print([message], as: .warning)
  }

  /// What the cache's owner must know: once for all of its kind in the end, where only such things are to be said.
  func warn(_ message: String?, of matter: OwnerMatters.Matter) {
    if isQuiet {
      matters.withLock { $0.note(matter, message) }
    } else if let message {
      warn(message)
    }
  }

  /// What the owner must know of a quiet run that is over.
  func tellOwner() { print(matters.withLock { $0.lines }, as: .warning) }

  private static func digest(of message: String) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(message)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// What somebody asked to hear of (`-v`), or a closing remark.
  func note(_ message: String) {
    note(lines: [message])
  }

  /// Lines that belong together.
  func note(lines: [String]) {
    if !isQuiet { print(lines, as: .note) }
  }

  /// Lines that nothing comes between.
  private func print(_ lines: [String], as kind: Kind) {
    if lines.isEmpty { return }
    printer.print { buffer in
      for line in lines {
        if isJSON {
          buffer.append(text: "{\"\(kind.rawValue)\":")
          buffer.append(json: line)
          buffer.append(text: "}\n")
        } else {
          buffer.append(text: Self.lead(kind) + Harmless.text(line) + "\n")
        }
      }
    }
  }

  private static func lead(_ kind: Kind) -> String {
    switch kind {
    case .error: "imgfetch: "
    case .warning: "imgfetch: warning: "
    case .note: ""
    }
  }

  /// Whether what is written to a stream is coloured: on a terminal that can, unless somebody objects.
  static func hasColour(_ choice: Choices.Color, _ descriptor: Int32, _ environment: Environment) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto:
      Surroundings.isTerminal(descriptor) && environment.filled("NO_COLOR") == nil && environment["TERM"] != "dumb"
    }
  }
}
