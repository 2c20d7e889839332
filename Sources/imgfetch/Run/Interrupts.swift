import ImgfetchCore
import Synchronization

/// The first SIGINT or SIGTERM breaks off what is under way, in order; the second ends the program at once. A SIGTSTP (Ctrl-Z)
/// takes the bars away before the process stops, so that the shell finds a clean terminal.
///
/// A thread of its own waits for the signals, so nothing is done in a signal handler, and a main thread that sleeps in a read of
/// standard input is not in the way.
final class Interrupts: Sendable {
  // The same on every Linux that Swift runs on.
  private static let interrupt: Int32 = 2
  private static let terminate: Int32 = 15
  private static let stop: Int32 = 20

  private let signals: Signals
  private let bars: ProgressDisplay?
  private let isListening = Atomic<Bool>(false)
  private let received = Atomic<Int32>(0)
  private let action = Guarded<(@Sendable (Int32) -> Void)?>(nil)

  /// Blocks the signals for threads that are started from now on, and for this one. Nobody waits for them before ``listen()``.
  init(bars: ProgressDisplay? = nil) {
    self.bars = bars
    signals = Signals(blocking: [Self.interrupt, Self.terminate] + (bars == nil ? [] : [Self.stop]))
  }

  /// The signal that came, if one did.
  var signal: Int32? {
    let number = received.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  /// Exit code for a run that a signal broke off: 128 and its number, as shells have it.
  static func status(_ signal: Int32) -> Int32 { 128 + signal }

  /// What the first signal does, on the listening thread.
  func onSignal(_ action: @escaping @Sendable (Int32) -> Void) { self.action.withLock { $0 = action } }

  /// Begins to wait for signals; once is enough.
  func listen() {
    guard !isListening.exchange(true, ordering: .relaxed) else { return }
    _ = try? Threads.start(name: "imgfetch-signal") { [self] in
      let first = next()
      received.store(first, ordering: .releasing)
      _ = try? Threads.start(name: "imgfetch-again") { [self] in Surroundings.exit(Self.status(next())) }
      action.withLock { $0 }?(first)
    }
  }

  /// The next signal that asks for the end.
  private func next() -> Int32 {
    while true {
      let number = signals.next()
      if number != Self.stop { return number }
      // Nothing is drawn before the process goes on.
      if let bars { bars.whileCleared { signals.pass(number) } } else { signals.pass(number) }
    }
  }
}
