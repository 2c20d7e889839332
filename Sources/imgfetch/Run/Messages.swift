import ImgfetchCore

/// What is said on standard error: a line each, made harmless, begun with the program's name.
final class Messages: Sendable {
  private let printer: Printer
  private let isQuiet: Bool
  /// What was warned of already, by its hash: the same sentence for each of a thousand images is said once.
  private let warned = Guarded<Set<UInt64>>([])

  /// - Parameter bars: what is drawn on standard error besides.
  init(isQuiet: Bool = false, bars: ProgressDisplay? = nil) {
    self.isQuiet = isQuiet
    printer = Printer(.standardError, flushing: .eachLine, bars: bars)
  }

  /// An error.
  func say(_ message: String) { printer.print("imgfetch: \(Harmless.text(message))") }

  /// What went well only in part.
  func warn(_ message: String) {
    if isQuiet || !warned.withLock({ $0.insert(ContentHash(of: message).low).inserted }) { return }
    printer.print("imgfetch: warning: \(Harmless.text(message))")
  }

  /// What somebody asked to hear of (`-v`), or a closing remark.
  func note(_ message: String) {
    if !isQuiet { printer.print(Harmless.text(message)) }
  }

  /// Lines that belong together.
  func note(lines: [String]) {
    if isQuiet { return }
    printer.print { buffer in
      for line in lines { buffer.append(text: Harmless.text(line) + "\n") }
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
