import ImgfetchCore

/// Asks the terminal for its abilities, and takes care that no answer is left for the shell.
///
/// While answers are due, the terminal does not echo. Text that is typed meanwhile is given back at the end.
package final class TerminalConversation: Sendable {
  private let terminal: QuietTerminal
  private struct State {
    var answers = TerminalAnswers()
    /// True once a thread sees to it that the terminal is as before, or it is.
    var isOver = false
    var isRestored = false
  }
  private let answers = Guarded(State())
  private let clock: any Clock
  private let asked: Instant

  /// The time for which answers are waited for before the first picture.
  static let patience = Instant.Span.milliseconds(200)
  /// The time for which late answers are waited for at the end of the run, from the question on. A line to the other
  /// side of the world takes a third of it.
  static let lastPatience = Instant.Span.seconds(1)

  /// Nil if the terminal cannot be asked.
  package init?(_ terminal: QuietTerminal, clock: any Clock) {
    // Text that was typed before would have to be read to get at the answers, and not every kernel takes it back.
    guard terminal.ask(true), !terminal.hasInput, terminal.write(Array(TerminalQuestions.text.utf8)) else {
      _ = terminal.ask(false)
      return nil
    }
    self.terminal = terminal
    self.clock = clock
    asked = clock.now()
  }

  /// Returns the answers that come within their time. If all have come, the terminal is restored.
  package func listen() -> TerminalAnswers {
    wait(until: asked + Self.patience)
    let answers = answers.withLock { $0.answers }
    if answers.areComplete {
      close()
    } else {
      // A download may take minutes, and the terminal should not be silent for so long.
      _ = try? Threads.start(name: "imgfetch-answer") { [self] in end() }
    }
    return answers
  }

  /// Swallows late answers, and lets the terminal echo again. Further calls have no effect.
  package func end() {
    if !answers.withLock({ $0.answers.areComplete }) { wait(until: asked + Self.lastPatience) }
    close()
  }

  /// Ends the conversation even if the terminal still owes answers.
  package func endAtOnce() { close() }

  private func wait(until deadline: Instant) {
    while answers.withLock({ !$0.answers.areComplete && !$0.isOver }) {
      let left = (deadline - clock.now()).nanoseconds / 1_000_000
      if left <= 0 { return }
      let bytes = terminal.read(within: Int(left))
      answers.withLock { $0.answers.take(bytes) }
    }
  }

  private func close() {
    // Once: text that is typed afterwards is the shell's.
    let isFirst = answers.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    guard isFirst else { return answers.wait { $0.isRestored ? () : nil } ?? () }
    // Text is given back last, so all of it is.
    let rest = terminal.read(within: 0)
    let typed = answers.withLock { state in
      state.answers.take(rest)
      state.answers.end()
      return state.answers.takeTyped()
    }
    terminal.giveBack(typed)
    _ = terminal.ask(false)
    answers.withLock { $0.isRestored = true }
    answers.broadcast()
  }
}
