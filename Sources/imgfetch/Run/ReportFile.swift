import ImgfetchCore
import Synchronization

/// `--report`: all rows as JSON in a file that stands under its name when the run has ended, in whatever way.
///
/// It is begun before anything is fetched: that it cannot be written should not show when hours of work are done.
final class ReportFile: Sendable {
  private struct State: ~Copyable {
    var file: WholeFile
    var buffer: [UInt8] = []
    var failure: SystemError?
  }

  private let path: String
  private let json: ResultJSON
  private let state: Guarded<State>
  /// Beside the lock: asked after each row.
  private let broken = Atomic<Bool>(false)

  /// Enough rows for a call to be worth it.
  private static let bufferSize = 32 << 10

  init(_ path: String, _ json: ResultJSON) throws(FetchError) {
    self.path = path
    self.json = json
    do throws(SystemError) { state = Guarded(State(file: try .create(path, mode: .everybodys))) } catch {
      throw Self.failure(error, path)
    }
  }

  /// Whether something could not be written, so that it will never be whole.
  var isBroken: Bool { broken.load(ordering: .acquiring) }

  func add(_ row: ReportRow) { add { json.append(row, to: &$0) } }

  /// Has a line appended.
  func add(_ append: (inout [UInt8]) -> Void) {
    state.withLock { state in
      guard state.failure == nil else { return }
      append(&state.buffer)
      if state.buffer.count >= Self.bufferSize { write(&state) }
    }
  }

  /// Writes what is left, and has the file take its name.
  func close() throws(FetchError) {
    let failure = state.withLock { state in
      write(&state)
      if state.failure == nil { do throws(SystemError) { try state.file.publish() } catch { state.failure = error } }
      return state.failure
    }
    if let failure { throw Self.failure(failure, path) }
  }

  private func write(_ state: inout State) {
    guard state.failure == nil, !state.buffer.isEmpty else { return }
    let rows = state.buffer
    state.buffer = []
    do throws(SystemError) { try state.file.write(rows.span) } catch {
      state.failure = error
      broken.store(true, ordering: .releasing)
    }
  }

  private static func failure(_ error: SystemError, _ path: String) -> FetchError {
    FetchError(.file, path, "the report cannot be written: \(error.code)")
  }
}
