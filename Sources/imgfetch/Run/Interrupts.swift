import ImgfetchCore
import Synchronization

/// The first SIGINT, SIGTERM or SIGHUP ends the run in order, the second one at once. The run also ends, silently, when
/// the reader of the results goes away. On SIGTSTP (Ctrl-Z) progress bars are removed, or a picture is left, before the
/// process stops, so that the shell finds a clean terminal.
///
/// A dedicated thread waits for the signals: nothing is done in a signal handler, and a main thread that is blocked in
/// a read of standard input does not matter.
final class Interrupts: Sendable {
  // The numbers are the same on every Linux that Swift supports.
  private static let hangUp: Int32 = 1
  private static let interrupt: Int32 = 2
  private static let quit: Int32 = 3
  private static let terminate: Int32 = 15
  private static let stop: Int32 = 20

  /// The reason why a run ends before its list does.
  enum Cause: Hashable, Sendable {
    case signal(Int32)
    /// The reader of the results has gone.
    case closedOutput
    /// The results cannot be written.
    case brokenOutput
  }

  private let signals: Signals
  private let output: SharedDescriptor?
  private let isListening = Atomic<Bool>(false)
  private let first = Guarded<Cause?>(nil)
  private let action = Guarded<(@Sendable (Cause) -> Void)?>(nil)
  private let lastAction = Guarded<(@Sendable () -> Void)?>(nil)
  private let stopAction = Guarded<(@Sendable (_ stop: () -> Void) -> Void)?>(nil)

  /// Blocks the signals for this thread and for threads started later. They are first waited for in ``listen()``.
  ///
  /// - Parameters:
  ///   - handlesStop: True if something is done before the process stops: see ``onStop(_:)``.
  ///   - handlesQuit: True if something is done before Ctrl-\ ends the process: see ``beforeEndingAtOnce(_:)``.
  ///   - output: The stream that gets the results, if there is one.
  init(handlesStop: Bool = false, handlesQuit: Bool = false, output: SharedDescriptor? = nil) {
    self.output = output
    let keys = (handlesStop ? [Self.stop] : []) + (handlesQuit ? [Self.quit] : [])
    signals = Signals(blocking: [Self.hangUp, Self.interrupt, Self.terminate] + keys)
  }

  /// The reason why the run is ending; nil if it is not.
  var cause: Cause? { first.withLock { $0 } }

  /// Sets the action on the first cause. It runs on a separate thread.
  func onCause(_ action: @escaping @Sendable (Cause) -> Void) { self.action.withLock { $0 = action } }

  /// Sets the action before a second signal, or SIGQUIT, ends the process. It must take no time.
  func beforeEndingAtOnce(_ action: @escaping @Sendable () -> Void) { lastAction.withLock { $0 = action } }

  /// Leaves the terminal to the shell, calls the closure that stops the process, and takes the terminal back when that
  /// returns.
  func onStop(_ action: @escaping @Sendable (_ stop: () -> Void) -> Void) { stopAction.withLock { $0 = action } }

  /// Ends the run, on another thread, since the calling one is in the middle of something.
  func end(because cause: Cause) {
    guard isFirst(cause) else { return }
    _ = try? Threads.start(name: "imgfetch-end") { [self] in action.withLock { $0 }?(cause) }
  }

  /// Begins to wait for signals, once.
  func listen() {
    guard !isListening.exchange(true, ordering: .relaxed) else { return }
    let thread = try? Threads.start(name: "imgfetch-signal") { [self] in
      // An output's ability to lose its reader does not change.
      let cause = next(watching: output?.file.hasLostReader() == nil ? nil : output)
      if isFirst(cause) {
        let clock = SystemClock()
        let earliest = clock.now() + Self.oneSignal
        _ = try? Threads.start(name: "imgfetch-again") { [self] in
          var cause = next(watching: nil)
          while clock.now() < earliest { cause = next(watching: nil) }
          endAtOnce(cause)
        }
        action.withLock { $0 }?(cause)
      } else {
        endAtOnce(cause)
        endAtOnce(next(watching: nil))
      }
    }
    // A run that no key ends is worse than one that leaves no parts behind.
    if thread == nil { signals.release() }
  }

  /// A signal that comes sooner after the first one is the same one: `timeout` sends its own to the program and to its
  /// group, and a closed terminal to both, too.
  private static let oneSignal = Instant.Span.milliseconds(100)

  private func isFirst(_ cause: Cause) -> Bool {
    first.withLock { first in
      if first != nil { return false }
      first = cause
      return true
    }
  }

  /// Ends the process on the second signal. A reader that goes away does not make the end more urgent.
  private func endAtOnce(_ cause: Cause) {
    guard case .signal(let number) = cause else { return }
    lastAction.withLock { $0 }?()
    ProcessEnvironment.exit(ExitCode.ended(by: number))
  }

  /// The next signal that ends the run, or the loss of the reader. The reader is checked each second: a write would
  /// notice the loss, but rows may be rare.
  private func next(watching output: SharedDescriptor?) -> Cause {
    while true {
      guard let output else {
        switch signals.next() {
        case Self.stop: suspend()
        case Self.quit: quit()
        case let number: return .signal(number)
        }
        continue
      }
      switch signals.next(within: .seconds(1)) {
      case Self.stop: suspend()
      case Self.quit: quit()
      case let number?: return .signal(number)
      case nil: if output.file.hasLostReader() == true { return .closedOutput }
      }
    }
  }

  /// Ends the process by the signal of Ctrl-\, which the kernel answers with a core dump where these are wanted.
  private func quit() {
    lastAction.withLock { $0 }?()
    signals.pass(Self.quit)
  }

  private func suspend() {
    // Nothing is drawn until the process continues.
    if let action = stopAction.withLock({ $0 }) { action { signals.pass(Self.stop) } } else { signals.pass(Self.stop) }
  }
}

/// Set when nothing more is to be tried: after a signal, or after the first failure with --fail-fast.
final class StopFlag: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Wakes the reading thread; nil if that never sleeps.
  private let waker: Waker?

  init(_ settings: Settings) {
    // Two requests are always sent at once, even with few file descriptors. Lines that are tried again are in no list.
    let hasList = !settings.list.inputs.isEmpty || settings.dataSet.isAgain
    waker = !hasList && settings.operands.count <= 2 ? nil : Waker()
  }

  var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Returns whether this call was the first.
  @discardableResult
  func set() -> Bool {
    let isFirst = !flag.exchange(true, ordering: .acquiringAndReleasing)
    wake()
    return isFirst
  }

  /// Wakes the reading thread from ``wait(for:)``.
  func wake() { waker?.wake() }

  /// Waits until a stream can be read, or until ``wake()``. Returns whether it can be read.
  func wait(for stream: SharedDescriptor?) -> Bool { waker.map { $0.wait(for: stream) == .ready } ?? true }
}
