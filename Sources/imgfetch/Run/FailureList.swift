import ImgfetchCore

/// `--failed-list`: the lines that failed, as they were given, ready to be the next run's input.
///
/// The file is made only if something failed, readable by its owner only (URLs may hold what gives access). It stands under its
/// name when the run has ended, so that it may be the very list that the run reads.
final class FailureList: Sendable {
  private struct State: ~Copyable {
    var file: WholeFile?
    var buffer: [UInt8] = []
    var failure: FetchError?
  }

  private let path: String?
  /// What ends a record: what ended those of the input.
  private let delimiter: UInt8
  private let state = Guarded(State())

  /// Enough lines for a call to be worth it.
  private static let bufferSize = 32 << 10

  init(path: String?, isNullEnded: Bool = false) {
    self.path = path
    delimiter = isNullEnded ? 0 : UInt8(ascii: "\n")
  }

  func add(_ line: some Sequence<UInt8>) {
    guard let path else { return }
    state.withLock { state in
      state.buffer.append(contentsOf: line)
      state.buffer.append(delimiter)
      if state.buffer.count >= Self.bufferSize { Self.write(&state, path) }
    }
  }

  /// Writes what is left, and has the file take its name. The answer is what went wrong, if anything did.
  func close() -> FetchError? {
    guard let path else { return nil }
    return state.withLock { state in
      if !state.buffer.isEmpty { Self.write(&state, path) }
      if state.failure == nil {
        do throws(SystemError) { try state.file?.publish() } catch { state.failure = Self.failure(error, path) }
      }
      return state.failure
    }
  }

  private static func write(_ state: inout State, _ path: String) {
    let lines = state.buffer
    state.buffer = []
    do throws(SystemError) {
      if state.file == nil { state.file = try WholeFile.create(path, mode: .ownersOnly) }
      try state.file?.write(lines.span)
    } catch {
      state.failure = failure(error, path)
    }
  }

  private static func failure(_ error: SystemError, _ path: String) -> FetchError {
    FetchError(.file, path, "the list of failures cannot be written: \(error.code)")
  }
}
