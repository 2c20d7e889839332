import ImgfetchCore
import Synchronization

/// Prints messages on standard error: lines that begin with the program's name, made safe for a terminal; or JSON
/// objects for a program.
final class Messages: Sendable {
  /// The kind of a message, which is the name of the only field of its object.
  private enum Kind: String { case error, warning, note }

  private let printer: Printer
  private let isJSON: Bool
  private let isQuiet: Bool
  /// Warnings printed so far: the same sentence for each of a thousand images is printed once. The hash is keyed with a
  /// random key of the process; otherwise a server could construct a name whose warning suppresses another one.
  private let warned = Guarded<Set<UInt64>>([])
  /// Printed at the end of a quiet run.
  private let quietWarnings = Guarded(QuietWarnings())

  /// - Parameters:
  ///   - isJSON: True if a program reads standard error as a stream of objects (`--progress json`).
  ///   - bars: The progress bars on standard error.
  init(isQuiet: Bool = false, isJSON: Bool = false, bars: ProgressDisplay? = nil) {
    self.isQuiet = isQuiet
    self.isJSON = isJSON
    printer = Printer(.standardError, flushing: .eachLine, bars: bars)
  }

  /// Gives up a reader that takes nothing for a second: the run ends.
  func stopWaiting() { printer.stopWaiting() }

  func error(_ message: String) { print([message], as: .error) }

  /// Prints a warning, once.
  func warn(_ message: String) {
    if isQuiet || !warned.withLock({ $0.insert(Self.digest(of: message)).inserted }) { return }
    print([message], as: .warning)
  }

  /// Prints a warning that even --quiet does not suppress: then one line for each kind, at the end.
  func warn(_ message: String?, of kind: QuietWarnings.Kind) {
    if isQuiet {
      quietWarnings.withLock { $0.note(kind, message) }
    } else if let message {
      warn(message)
    }
  }

  func printQuietWarnings() { print(quietWarnings.withLock { $0.lines }, as: .warning) }

  private static func digest(of message: String) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(message)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Prints what `-v` asks for, or a closing remark.
  func note(_ message: String) { note(lines: [message]) }

  /// Prints the last lines of a run, also of a quiet one that has told of something.
  func digest(_ lines: [String]) { print(lines, as: .note) }

  /// Prints lines that belong together.
  func note(lines: [String]) {
    if !isQuiet { print(lines, as: .note) }
  }

  /// Prints lines without other output between them.
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

  /// True if output to a stream is coloured: on a capable terminal, unless the user disabled it.
  static func hasColour(_ choice: Choices.Color, _ descriptor: Int32, _ environment: Environment) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto:
      ProcessEnvironment.isTerminal(descriptor) && environment.filled("NO_COLOR") == nil
        && environment["TERM"] != "dumb"
    }
  }
}

/// Warnings about the cache that are printed even by a quiet run, in which all images may have been fetched: one line
/// for each kind.
struct QuietWarnings {
  enum Kind: CaseIterable {
    /// The warning that there is no cache, or not the intended one.
    case noCache
    /// An image could not be put into the cache.
    case notCached
    /// A stored image was served that its origin did not confirm.
    case stale
  }

  private var found: [Kind: (count: Int, first: String?)] = [:]

  /// Notes an answer.
  ///
  /// - Parameter message: the message, or nil if another image with the same answer has brought it already.
  mutating func note(_ kind: Kind, _ message: String?) {
    let before = found[kind]
    found[kind] = ((before?.count ?? 0) + 1, before?.first ?? message)
  }

  /// One line for each kind.
  var lines: [String] {
    Kind.allCases.compactMap { kind in
      guard let (count, first) = found[kind], let first else { return nil }
      if count == 1 { return first }
      let number = Amount.grouped(count)
      return switch kind {
      case .noCache: "\(number) caches cannot be used; the first: \(first)"
      case .notCached: "\(number) images could not be put into the cache; the first: \(first)"
      case .stale: "\(number) stored images were served that no origin confirmed; the first: \(first)"
      }
    }
  }
}
