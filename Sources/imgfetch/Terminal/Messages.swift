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
  private let matters = Guarded(QuietWarnings())

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
  func warn(_ message: String?, of matter: QuietWarnings.Matter) {
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
          buffer.append(text: Self.lead(kind) + SafeText.text(line) + "\n")
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

/// What the owner of a cache must know of a run that was told to be quiet: images were had, and all is not well. A line for each
/// matter, however often it came.
struct QuietWarnings {
  enum Matter: CaseIterable {
    /// There is no cache, or not the one that was meant.
    case noCache
    /// An image could not be put into the cache.
    case notCached
    /// A stored image was served past its age.
    case stale
  }

  private var found: [Matter: (count: Int, first: String?)] = [:]

  /// - Parameter message: nil where another image of the same answer has told already.
  mutating func note(_ matter: Matter, _ message: String?) {
    let before = found[matter]
    found[matter] = ((before?.count ?? 0) + 1, before?.first ?? message)
  }

  /// One line for each matter.
  var lines: [String] {
    Matter.allCases.compactMap { matter in
      guard let (count, first) = found[matter], let first else { return nil }
      if count == 1 { return first }
      let number = Amount.grouped(count)
      return switch matter {
      case .noCache: "\(number) caches cannot be used; the first: \(first)"
      case .notCached: "\(number) images could not be put into the cache; the first: \(first)"
      case .stale: "\(number) stored images past their age were served; the first: \(first)"
      }
    }
  }
}

/// Tells, for `-v`, why each cache decision fell as it did; for `-vv` what was sent and answered.
struct VerboseLog: Sendable {
  private let verbosity: Int
  private let messages: Messages

  /// Nil where nobody wants to hear it: then no event is even made.
  init?(_ settings: MessageSettings, _ messages: Messages) {
    guard settings.verbosity > 0, !settings.quiet else { return nil }
    verbosity = settings.verbosity
    self.messages = messages
  }

  /// Whether header fields are wanted too.
  var tellsHeaders: Bool { verbosity > 1 }

  func tell(_ event: FetchEvent) {
    switch event {
    case .explained(let url, let sentence): messages.note("* \(url): \(sentence)")
    case .redirected(_, let target): messages.note("* redirected to \(target)")
    case .retrying(_, let reason, let milliseconds): messages.note("* \(reason); again in \(milliseconds) ms")
    case .warned(let sentence): messages.warn(sentence)
    case .started(_, let url, let attempt):
      messages.note("* \(url): \(attempt > 1 ? "asked again (attempt \(attempt))" : "asked")")
    case .responded(_, let status, let total, _):
      messages.note("* answered \(status)\(total.map { ", \($0) bytes" } ?? "")")
    case .headers(_, let lines): messages.note(lines: lines)
    case .progressed, .ended: break
    }
  }
}
