import ImgfetchCore

/// Prints for `-v` the reason of each cache decision, and for `-vv` the header fields as well. Each line names its URL,
/// since those of many images are mixed.
final class VerboseLog: Sendable {
  private let verbosity: Int
  private let messages: Messages
  /// The URLs of the flights under way, by their numbers.
  private let urls = Guarded<[UInt64: String]>([:])

  /// Nil if nothing is to be printed: then no events are created.
  init?(_ settings: MessageSettings, _ messages: Messages) {
    guard settings.verbosity > 0, !settings.quiet else { return nil }
    verbosity = settings.verbosity
    self.messages = messages
  }

  /// True if header fields are printed.
  var includesHeaders: Bool { verbosity > 1 }

  func print(_ event: FetchEvent) {
    switch event {
    case .explained(let url, let sentence): note(url, sentence)
    case .redirected(let flight, let target): note(flight, "redirected to \(target)")
    case .retrying(let flight, let reason, let milliseconds): note(flight, "\(reason); again in \(milliseconds) ms")
    case .started(let flight, let url, let attempt):
      urls.withLock { $0[flight] = url }
      note(url, attempt > 1 ? "asked again (attempt \(attempt))" : "asked")
    case .responded(let flight, let status, let total, _):
      note(flight, "answered \(status)\(total.map { ", \($0) bytes" } ?? "")")
    case .headers(let url, let lines): messages.note(lines: ["* \(url): header fields"] + lines)
    case .ended(let flight): urls.withLock { $0[flight] = nil }
    case .progressed: break
    }
  }

  private func note(_ flight: UInt64, _ sentence: String) { note(urls.withLock { $0[flight] } ?? "?", sentence) }

  private func note(_ url: String, _ sentence: String) {
    // A sentence that begins with the URL has named it.
    messages.note(sentence.hasPrefix("\(url): ") ? "* \(sentence)" : "* \(url): \(sentence)")
  }
}
