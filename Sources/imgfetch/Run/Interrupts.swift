import ImgfetchCore
import Synchronization

/// The first SIGINT or SIGTERM breaks off what is under way, in order; the second ends the program at once. So does a reader of the
/// results who goes away, without a word. A SIGTSTP (Ctrl-Z) takes the bars away before the process stops, so that the shell finds a
/// clean terminal.
///
/// A thread of its own waits for the signals, so nothing is done in a signal handler, and a main thread that sleeps in a read of
/// standard input is not in the way.
final class Interrupts: Sendable {
  // The same on every Linux that Swift runs on.
  private static let interrupt: Int32 = 2
  private static let terminate: Int32 = 15
  private static let stop: Int32 = 20

  /// Why a run ends before its list does.
  enum Cause: Hashable, Sendable {
    case signal(Int32)
    /// The results have lost their reader.
    case closedOutput
    /// The results cannot be written.
    case brokenOutput
  }

  private let signals: Signals
  private let bars: ProgressDisplay?
  private let output: SharedDescriptor?
  private let isListening = Atomic<Bool>(false)
  private let first = Guarded<Cause?>(nil)
  private let action = Guarded<(@Sendable (Cause) -> Void)?>(nil)

  /// Blocks the signals for threads that are started from now on, and for this one. Nobody waits for them before ``listen()``.
  ///
  /// - Parameter output: where the results go, if they go anywhere.
  init(bars: ProgressDisplay? = nil, output: SharedDescriptor? = nil) {
    self.bars = bars
    self.output = output
    signals = Signals(blocking: [Self.interrupt, Self.terminate] + (bars == nil ? [] : [Self.stop]))
  }

  /// Why the run is being broken off, if it is.
  var cause: Cause? { first.withLock { $0 } }

  /// What the first cause does, on a thread of its own.
  func onCause(_ action: @escaping @Sendable (Cause) -> Void) { self.action.withLock { $0 = action } }

  /// Has the run broken off. The thread that finds out why is in the middle of something, so another one does it.
  func end(because cause: Cause) {
    guard isFirst(cause) else { return }
    _ = try? Threads.start(name: "imgfetch-end") { [self] in action.withLock { $0 }?(cause) }
  }

  /// Begins to wait for signals; once is enough.
  func listen() {
    guard !isListening.exchange(true, ordering: .relaxed) else { return }
    _ = try? Threads.start(name: "imgfetch-signal") { [self] in
      // A socket or pipe stays one, and so does anything else.
      let cause = next(watching: output?.file.hasLostReader() == nil ? nil : output)
      if isFirst(cause) {
        _ = try? Threads.start(name: "imgfetch-again") { [self] in endAtOnce(next(watching: nil)) }
        action.withLock { $0 }?(cause)
      } else {
        endAtOnce(cause)
        endAtOnce(next(watching: nil))
      }
    }
  }

  private func isFirst(_ cause: Cause) -> Bool {
    first.withLock { first in
      if first != nil { return false }
      first = cause
      return true
    }
  }

  /// For the second signal. That the reader went away too is no reason to be quicker.
  private func endAtOnce(_ cause: Cause) {
    if case .signal(let number) = cause { Surroundings.exit(ExitCode.ended(by: number)) }
  }

  /// The next signal that asks for the end, or that the reader has gone, which is looked for each second: only a write would tell of
  /// it, and rows may be rare.
  private func next(watching output: SharedDescriptor?) -> Cause {
    while true {
      guard let output else {
        let number = signals.next()
        if number != Self.stop { return .signal(number) }
        suspend()
        continue
      }
      switch signals.next(within: .seconds(1)) {
      case Self.stop: suspend()
      case let number?: return .signal(number)
      case nil: if output.file.hasLostReader() == true { return .closedOutput }
      }
    }
  }

  private func suspend() {
    // Nothing is drawn before the process goes on.
    if let bars { bars.whileCleared { signals.pass(Self.stop) } } else { signals.pass(Self.stop) }
  }
}

/// Set once nothing more is to be tried: a signal came, or one failed and that is enough.
final class StopFlag: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Nil where the reading thread never sleeps.
  private let waker: Waker?

  init(_ settings: Settings) {
    // Two requests go out at once however few files may be open.
    waker = settings.list.inputs.isEmpty && settings.operands.count <= 2 ? nil : Waker()
  }

  var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Whether this call was the first.
  @discardableResult
  func set() -> Bool {
    let isFirst = !flag.exchange(true, ordering: .acquiringAndReleasing)
    wake()
    return isFirst
  }

  /// Has the reading thread come back from ``wait(for:)``.
  func wake() { waker?.wake() }

  /// Waits until a stream can be read, or for a reason to do something else. Whether it can.
  func wait(for stream: SharedDescriptor?) -> Bool {
    waker.map { $0.wait(for: stream) == .ready } ?? true
  }
}
