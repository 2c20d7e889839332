import ImgfetchCore

/// `--failed-list`: the lines that failed, as they were given, ready to be the next run's input.
///
/// The file is made with the first failure, readable by its owner only (URLs may hold what gives access), and empty of what an earlier
/// run left.
final class FailureList: Sendable {
  private struct State {
    var file: SharedDescriptor?
    var buffer: [UInt8] = []
    var failure: FetchError?
  }

  private let path: String?
  private let state = Guarded(State())

  /// Enough lines for a call to be worth it.
  private static let bufferSize = 32 << 10

  init(path: String?) { self.path = path }

  func add(_ line: String) {
    guard let path else { return }
    state.withLock { state in
      state.buffer.append(contentsOf: line.utf8)
      state.buffer.append(UInt8(ascii: "\n"))
      if state.buffer.count >= Self.bufferSize { Self.write(&state, path) }
    }
  }

  /// Writes what is left. The answer is what went wrong, if anything did.
  func close() -> FetchError? {
    guard let path else { return nil }
    return state.withLock { state in
      if !state.buffer.isEmpty { Self.write(&state, path) }
      return state.failure
    }
  }

  private static func write(_ state: inout State, _ path: String) {
    do throws(SystemError) {
      if state.file == nil {
        state.file = SharedDescriptor(try .open(path, [.write, .create, .truncate], mode: 0o600))
      }
      try state.file?.file.write(state.buffer.span)
    } catch {
      state.failure = FetchError(.file, path, "the list of failures cannot be written: \(error.code)")
    }
    state.buffer.removeAll(keepingCapacity: true)
  }
}
