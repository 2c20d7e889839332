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

  /// What a pipe takes in one piece (PIPE_BUF). Several processes may share one, and of a larger write the parts could come to lie
  /// between those of another: with 64 KB, 13 of 2,008 rows of eight processes were broken.
  private static let pieceSize = 4096

  /// - Parameter bars: what is drawn on the same terminal, and stays below what is written.
  init(_ descriptor: SharedDescriptor, flushing: Flushing, bars: ProgressDisplay? = nil) {
    self.descriptor = descriptor
    self.flushing = flushing
    self.bars = bars
  }

  /// Has a row appended to the buffer: whole lines, mostly one. Rows leave in pieces of at most ``pieceSize`` bytes and never in
  /// parts; one that is longer goes out by itself, with one write.
  ///
  /// The buffer is written out under the lock: what the lock guards is the order of the bytes at the other end, and whoever
  /// prints too fast for the reader has to wait anyway.
  func print(_ append: (inout [UInt8]) -> Void) {
    state.withLock { state in
      if state.failure != nil { return }
      let start = state.buffer.count
      append(&state.buffer)
      if state.buffer.count > Printer.pieceSize { write(&state, upTo: start) }
      if flushing == .eachLine || state.buffer.count >= Printer.pieceSize { write(&state, upTo: state.buffer.count) }
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
  func flush() { state.withLock { write(&$0, upTo: $0.buffer.count) } }

  /// Why nothing is printed any more; nil while all is well. With ``Errno/brokenPipe`` there is nothing to be said: the reader has
  /// seen enough.
  var failure: SystemError? {
    hasFailed.load(ordering: .acquiring) ? state.withLock { $0.failure } : nil
  }

  private func write(_ state: inout State, upTo end: Int) {
    guard end > 0, state.failure == nil else { return }
    do {
      if let bars {
        try bars.print(Array(state.buffer[..<end]), on: descriptor)
      } else {
        try descriptor.file.write(state.buffer.span.extracting(0..<end))
      }
    } catch {
      state.failure = error
      hasFailed.store(true, ordering: .releasing)
    }
    state.buffer.removeFirst(end)
  }
}
