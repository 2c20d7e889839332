import ImgfetchCore
import Synchronization

/// `--report`: all rows as JSON, in a file that gets its name when the run ends. A run that is killed leaves its rows
/// under the name that the file has until then. A device or pipe is written directly.
///
/// It is created before anything is fetched, so that a file that cannot be written is noticed at once and not after
/// hours.
final class ReportFile: Sendable {
  private enum Destination: ~Copyable {
    case file(PartialFile)
    case stream(Descriptor)

    borrowing func write(_ bytes: borrowing Span<UInt8>, _ patience: ReaderPatience) throws(SystemError) {
      switch self {
      case .file(let file): try file.descriptor.write(bytes)
      case .stream(let stream):
        try patience.wait(for: stream)
        try stream.write(bytes)
      }
    }

    borrowing func discard() {
      switch self {
      case .file(let file): file.discard()
      case .stream: break
      }
    }

    borrowing func publish() throws(SystemError) {
      switch self {
      case .file(let file): try file.publish()
      case .stream: break
      }
    }
  }

  private struct State: ~Copyable {
    var destination: Destination
    var buffer: [UInt8] = []
    var failure: SystemError?
  }

  private let path: String
  private let json: ResultJSON
  private let state: Guarded<State>
  private let patience = ReaderPatience()
  /// Kept outside the lock, since it is read after each row.
  private let broken = Atomic<Bool>(false)
  private let closed = Atomic<Bool>(false)

  /// The size of the buffer, the same as standard output's.
  private static let bufferSize = 4096

  init(_ path: String, _ json: ResultJSON) throws(FetchError) {
    self.path = path
    self.json = json
    do throws(SystemError) { state = Guarded(State(destination: try Self.destination(path))) } catch {
      throw Self.failure(error, path)
    }
  }

  private static func destination(_ path: String) throws(SystemError) -> Destination {
    if let stream = ProcessEnvironment.stream(named: path) { return .stream(try .duplicate(of: stream)) }
    let place = try AtomicFile.place(of: path)
    if AtomicFile.isStream(try place.folder.file.status(of: place.name)?.kind, in: place.folder.file) {
      return .stream(try AtomicFile.openedStream(path))
    }
    return .file(try PartialFile(place))
  }

  /// True if a write failed, so that the file will never be complete.
  var isBroken: Bool { broken.load(ordering: .acquiring) }

  /// True if the reader of a pipe has gone. It wants no message about that.
  var hasLostReader: Bool { closed.load(ordering: .acquiring) }

  func add(_ row: ResultRow) { add { json.append(row, to: &$0) } }

  func add(_ append: (inout [UInt8]) -> Void) {
    state.withLock { state in
      guard state.failure == nil else { return }
      append(&state.buffer)
      if state.buffer.count >= Self.bufferSize { write(&state) }
    }
  }

  /// Writes out the added rows.
  func flush() { state.withLock { write(&$0) } }

  /// Gives up a reader that takes nothing for a second: the run ends.
  func stopWaiting() { patience.end() }

  /// Writes the rest and gives the file its name.
  func close() throws(FetchError) {
    let failure = state.withLock { state in
      write(&state)
      if state.failure == nil {
        do throws(SystemError) { try state.destination.publish() } catch { state.failure = error }
      }
      return state.failure
    }
    if let failure { throw Self.failure(failure, path) }
  }

  /// Leaves nothing behind of a run that did not begin.
  func discard() { state.withLock { $0.destination.discard() } }

  private func write(_ state: inout State) {
    guard state.failure == nil, !state.buffer.isEmpty else { return }
    // The room is kept for the next rows.
    defer { state.buffer.removeAll(keepingCapacity: true) }
    do throws(SystemError) { try state.destination.write(state.buffer.span, patience) } catch {
      state.failure = error
      if error.code == .brokenPipe { closed.store(true, ordering: .releasing) }
      broken.store(true, ordering: .releasing)
    }
  }

  private static func failure(_ error: SystemError, _ path: String) -> FetchError {
    FetchError(.file, path, "the report cannot be written: \(OutputFailure.text(of: error.code))")
  }
}

/// A file that grows under a name of its own, `NAME.part`, and becomes `NAME` when it is complete.
///
/// A lock shows other runs that it is still being written: they take `NAME.part.1` and so on. The next run replaces
/// what a killed run has left; any other file of such a name is left alone.
struct PartialFile: ~Copyable {
  let descriptor: Descriptor
  private let place: AtomicFile.Place
  private let partialName: String

  /// The most attempts: more runs do not write one report at once.
  private static let mostAttempts = 1_000

  init(_ place: AtomicFile.Place) throws(SystemError) {
    let earlier = try place.folder.file.status(of: place.name)
    // A report that could not get its name is not begun.
    if earlier?.kind == .directory { throw SystemError(.open, .isDirectory) }
    for number in 0..<Self.mostAttempts {
      let name = place.name + (number == 0 ? ".part" : ".part.\(number)")
      try Self.removeLeftover(name, in: place.folder)
      guard let file = try Self.create(name, in: place.folder) else { continue }
      // A file that is replaced keeps its rights: one that others may not read stays so.
      if let earlier, earlier.kind == .regular {
        try? FileRights(earlier, of: place.name, in: place.folder.file).give(to: file)
      }
      descriptor = file
      self.place = place
      partialName = name
      return
    }
    throw SystemError(.open, .fileExists)
  }

  /// Creates the file; nil if the name is taken.
  private static func create(_ name: String, in folder: SharedDescriptor) throws(SystemError) -> Descriptor? {
    do throws(SystemError) {
      let file = try folder.file.open(
        name, [.write, .create, .exclusive, .noFollow], mode: AtomicFile.Mode.readableByAll.rawValue)
      // Where there are no locks, names alone keep runs apart.
      guard (try? file.tryLock()) != false else { return nil }
      // A run that is killed before its first rows leaves a file without a beginning.
      try? file.setAttribute(mark, to: [1])
      // Before it was locked, another run may have taken it for a leftover.
      guard try folder.file.status(of: name)?.identity == file.status().identity else { return nil }
      return file
    } catch {
      if error.code == .fileExists { return nil }
      throw error
    }
  }

  /// The possible beginnings of a report: that of a row, and that of a report without rows.
  private static let beginnings = [#"{"url":"#, #"{"summary":"#].map { Array($0.utf8) }

  /// The attribute of a report that is not complete.
  private static let mark = "user.imgfetch.report"

  private static func removeLeftover(_ name: String, in folder: SharedDescriptor) throws(SystemError) {
    guard let status = try folder.file.status(of: name), status.kind == .regular, status.owner == Processes.user else {
      return
    }
    let file: Descriptor
    do throws(SystemError) { file = try folder.file.open(name, [.read, .noFollow, .nonBlocking]) } catch { return }
    guard (try? file.tryLock()) == true else { return }
    var start: [UInt8] = []
    _ = try file.read(into: &start, count: 16, at: 0)
    guard start.isEmpty ? file.attribute(mark) != nil : beginnings.contains(where: { start.starts(with: $0) }) else {
      return
    }
    guard try folder.file.status(of: name)?.identity == file.status().identity else { return }
    try folder.file.remove(name)
  }

  borrowing func discard() { _ = try? place.folder.file.remove(partialName) }

  borrowing func publish() throws(SystemError) {
    // A network's disk reports lost bytes now, or never.
    try descriptor.flush()
    guard try place.folder.file.status(of: partialName)?.identity == descriptor.status().identity else {
      throw SystemError(.open, .noSuchFile)
    }
    try? descriptor.removeAttribute(Self.mark)
    try place.folder.file.rename(partialName, to: place.name, in: place.folder.file)
  }
}
