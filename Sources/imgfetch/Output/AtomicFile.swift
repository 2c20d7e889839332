import ImgfetchCore
import Synchronization

/// A file that gets its name when it is complete. An existing file of that name stays until then, even if it is the list being
/// read. A device or pipe is written directly.
struct AtomicFile: ~Copyable {
  enum Mode: UInt32 {
    case ownersOnly = 0o600
    /// Restricted by the umask.
    case readableByAll = 0o666
  }

  private let name: String
  // One of the two is set.
  private var file: TemporaryFile?
  private var stream: Descriptor?

  /// A path, as a folder and a name in it.
  struct Place {
    let folder: SharedDescriptor
    let name: String
  }

  static func place(of path: String) throws(SystemError) -> Place {
    let slash = path.lastIndex(of: "/")
    let folder = try Descriptor.folder(slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
    return Place(folder: SharedDescriptor(folder), name: slash.map { String(path[path.index(after: $0)...]) } ?? path)
  }

  /// Whether what has the name is written directly because it is not a file. `/dev/stderr` is a link that must not be replaced.
  static func isStream(_ kind: FileStatus.Kind?, in folder: borrowing Descriptor) -> Bool {
    kind == .other || (kind == .symbolicLink && folder.isSystems())
  }

  /// - Parameter mode: who may read the file. One that may hold secrets is for its owner only.
  static func create(_ path: String, mode: Mode) throws(SystemError) -> AtomicFile {
    if let stream = ProcessEnvironment.stream(named: path) {
      return AtomicFile(name: path, file: nil, stream: try .duplicate(of: stream))
    }
    let place = try place(of: path)
    let name = place.name
    if isStream(try place.folder.file.status(of: name)?.kind, in: place.folder.file) {
      return AtomicFile(name: name, file: nil, stream: try .open(path, .write))
    }
    return AtomicFile(name: name, file: try TemporaryFile(in: place.folder, mode: mode.rawValue), stream: nil)
  }

  /// Whether it is a device or a pipe, whose name stays as it is.
  var isStream: Bool { stream != nil }

  mutating func write(_ bytes: borrowing Span<UInt8>) throws(SystemError) {
    try file?.descriptor.write(bytes)
    try stream?.write(bytes)
  }

  mutating func publish() throws(SystemError) {
    try file.take()?.publish(as: name, replacing: true)
  }
}

/// `--report`: all rows as JSON, in a file that gets its name when the run ends, in whatever way.
///
/// It is created before anything is fetched, so that a file that cannot be written is noticed at once and not after hours.
final class ReportFile: Sendable {
  private struct State: ~Copyable {
    var file: AtomicFile
    var buffer: [UInt8] = []
    var failure: SystemError?
  }

  private let path: String
  private let json: ResultJSON
  private let state: Guarded<State>
  /// Kept outside the lock, since it is read after each row.
  private let broken = Atomic<Bool>(false)

  /// Large enough to keep system calls few.
  private static let bufferSize = 32 << 10

  init(_ path: String, _ json: ResultJSON) throws(FetchError) {
    self.path = path
    self.json = json
    do throws(SystemError) { state = Guarded(State(file: try .create(path, mode: .readableByAll))) } catch {
      throw Self.failure(error, path)
    }
  }

  /// Whether a write failed, so that the file will never be complete.
  var isBroken: Bool { broken.load(ordering: .acquiring) }

  func add(_ row: ResultRow) { add { json.append(row, to: &$0) } }

  /// Appends a line.
  func add(_ append: (inout [UInt8]) -> Void) {
    state.withLock { state in
      guard state.failure == nil else { return }
      append(&state.buffer)
      if state.buffer.count >= Self.bufferSize { write(&state) }
    }
  }

  /// Writes the rest and gives the file its name.
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

/// `--cookie-jar`: writes the cookies back at the end of the run.
enum CookieFile {
  /// Writes the cookies to the file, all or nothing, readable by its owner only.
  static func write(_ jar: CookieJar, to path: String) throws(FetchError) {
    do throws(SystemError) {
      var file = try AtomicFile.create(path, mode: .ownersOnly)
      try file.write(Array(jar.text.utf8).span)
      try file.publish()
    } catch {
      throw FetchError(.file, path, "the cookies cannot be written: \(error.code)")
    }
  }
}
