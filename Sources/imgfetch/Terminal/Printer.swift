import ImgfetchCore
import Synchronization

/// Writes lines to standard output or standard error, several at once where nobody waits for each.
///
/// Safe to use from several threads; lines are never mixed. When the reader of a pipe has gone, the rest is dropped quietly,
/// and ``failure`` says so.
final class Printer: Sendable {
  /// When lines leave the buffer.
  enum Flushing: Sendable {
    /// Each at once: on a terminal, or where a program waits for each answer.
    case eachLine
    /// When there are enough of them, and with ``Printer/flush()``.
    case whenFull
  }

  private struct State {
    var buffer: [UInt8] = []
    var failure: SystemError?
  }

  private let descriptor: SharedDescriptor
  private let flushing: Flushing
  private let bars: ProgressDisplay?
  private let state = Guarded(State())
  /// Whether there is a failure: asked before each line of a list is read, beside the lock that those who print take.
  private let hasFailed = Atomic<Bool>(false)

  /// What a pipe holds: more at once would only wait for its reader.
  private static let fullSize = 64 << 10

  /// - Parameter bars: what is drawn on the same terminal, and makes way for each write.
  init(_ descriptor: SharedDescriptor, flushing: Flushing, bars: ProgressDisplay? = nil) {
    self.descriptor = descriptor
    self.flushing = flushing
    self.bars = bars
  }

  /// Has whole lines appended to the buffer.
  ///
  /// The buffer is written out under the lock: what the lock guards is the order of the bytes at the other end, and whoever
  /// prints too fast for the reader has to wait anyway.
  func print(_ append: (inout [UInt8]) -> Void) {
    state.withLock { state in
      if state.failure != nil { return }
      append(&state.buffer)
      if flushing == .eachLine || state.buffer.count >= Printer.fullSize { write(&state) }
    }
  }

  /// Prints a line of plain text.
  func print(_ line: String) {
    print { buffer in
      buffer.append(text: line)
      buffer.append(UInt8(ascii: "\n"))
    }
  }

  /// Writes out what has been printed so far.
  func flush() { state.withLock { write(&$0) } }

  /// Why nothing is printed any more; nil while all is well. ``Errno/brokenPipe`` is no failure of the run: the reader has
  /// seen enough.
  var failure: SystemError? {
    hasFailed.load(ordering: .acquiring) ? state.withLock { $0.failure } : nil
  }

  private func write(_ state: inout State) {
    guard !state.buffer.isEmpty, state.failure == nil else { return }
    if let bars { bars.whileCleared { send(&state) } } else { send(&state) }
    state.buffer.removeAll(keepingCapacity: true)
  }

  private func send(_ state: inout State) {
    do { try descriptor.file.write(state.buffer.span) } catch {
      state.failure = error
      hasFailed.store(true, ordering: .releasing)
    }
  }
}
