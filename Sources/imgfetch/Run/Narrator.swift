import ImgfetchCore

/// Tells, for `-v`, why each cache decision fell as it did; for `-vv` what was sent and answered.
struct Narrator: Sendable {
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
