import ImgfetchCore
import Synchronization

/// Writes lines to standard output or standard error, several at once if possible.
///
/// Safe to use from several threads; lines are never mixed. When the reader of a pipe has gone, further output is
/// dropped silently, and ``failure`` is set.
final class Printer: Sendable {
  /// The time at which lines leave the buffer.
  enum Flushing: Sendable {
    /// Each line at once: on a terminal, or if a program waits for each answer.
    case eachLine
    /// Many lines at once: when enough are buffered, and on ``Printer/flush()``.
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
  private let patience = ReaderPatience()
  /// True if ``failure`` is set. Kept outside the lock, since it is read before each line of a list.
  private let hasFailed = Atomic<Bool>(false)

  /// The number of bytes that a pipe takes in one piece (PIPE_BUF). Several processes may share a pipe, and parts of a
  /// larger write can be interleaved with those of another process: with 64 KB, 13 of 2,008 rows of eight processes
  /// were broken.
  private static let pieceSize = 4096
  /// An image up to this size is copied behind its row: that is cheaper than a second write.
  private static let joinedSize = 256 << 10

  /// - Parameter bars: the progress bars on the same terminal, which stay below the output.
  init(_ descriptor: SharedDescriptor, flushing: Flushing, bars: ProgressDisplay? = nil) {
    self.descriptor = descriptor
    self.flushing = flushing
    self.bars = bars
  }

  /// Appends a row to the buffer: usually one whole line. Rows are written in pieces of at most ``pieceSize`` bytes
  /// that end with a row; a longer row is written by itself, in one write.
  ///
  /// The buffer is written under the lock, which protects the order of the output. A caller that prints faster than the
  /// reader reads has to wait anyway.
  func print(_ append: (inout [UInt8]) -> Void) {
    state.withLock { state in
      if state.failure != nil { return }
      let start = state.buffer.count
      append(&state.buffer)
      if state.buffer.count > Printer.pieceSize { write(&state, upTo: start) }
      if flushing == .eachLine || state.buffer.count >= Printer.pieceSize { write(&state, upTo: state.buffer.count) }
    }
  }

  /// Appends a row, and writes it with the bytes that follow it, so that nothing comes between the two.
  func print(followedBy body: ImageBody?, _ append: (inout [UInt8]) -> Void) {
    guard let body else { return print(append) }
    state.withLock { state in
      if state.failure != nil { return }
      append(&state.buffer)
      // One write for most images.
      let isJoined = body.count <= Printer.joinedSize
      if !isJoined { write(&state, upTo: state.buffer.count) }
      if state.failure != nil { return }
      do throws(BodyReadFailure) {
        try body.read { (piece) throws(SystemError) in
          if !isJoined { return try descriptor.file.write(piece) }
          state.buffer.append(copying: piece)
        }
      } catch {
        // Fewer bytes came than the row tells of, so that nothing can follow.
        switch error {
        case .damaged: state.failure = SystemError(.read, .inputOutput)
        case .source(let cause), .sink(let cause): state.failure = cause
        }
        hasFailed.store(true, ordering: .releasing)
      }
      write(&state, upTo: state.buffer.count)
    }
  }

  func print(_ line: String) {
    print { buffer in
      buffer.append(text: line)
      buffer.append(UInt8(ascii: "\n"))
    }
  }

  /// Writes out the text printed so far.
  func flush() { state.withLock { write(&$0, upTo: $0.buffer.count) } }

  /// The reason why output has stopped; nil if it has not. ``Errno/brokenPipe`` is not worth a message: the reader has
  /// seen enough.
  var failure: SystemError? { hasFailed.load(ordering: .acquiring) ? state.withLock { $0.failure } : nil }

  /// Gives up a reader that takes nothing for a second: the run ends.
  func stopWaiting() { patience.end() }

  private func write(_ state: inout State, upTo end: Int) {
    guard end > 0, state.failure == nil else { return }
    do {
      try patience.wait(for: descriptor.file)
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

extension Printer {
  /// The message about output that stopped, other than for a reader that has gone.
  static func message(of failure: SystemError) -> String {
    "standard output: cannot be written: \(OutputFailure.text(of: failure.code))"
  }

  /// Writes out what was printed, and returns the exit code of a run that ends here.
  func end(_ code: ExitCode, _ messages: Messages) -> Int32 {
    var code = code
    flush()
    if let failure {
      if failure.code == .brokenPipe { return ExitCode.brokenPipe }
      messages.error(Printer.message(of: failure))
      code.add(ExitCode.file)
    }
    return code.value
  }
}
