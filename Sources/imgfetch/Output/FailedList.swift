import ImgfetchCore

/// `--failed-list`: the lines that failed, as they were given, and after a run that was broken off those that were not tried: the
/// next run's input.
///
/// The file is made only if there is something to put into it, readable by its owner only (URLs may hold what gives access). It
/// stands under its name when the run has ended, so that it may be the very list that the run reads.
final class FailedList: Sendable {
  /// What became of it.
  enum Ending {
    /// It was written, or there was nothing to do.
    case fine
    case failed(FetchError)
    /// Every line was had, and what has the name is not a list of ours.
    case leftAlone(path: String)
  }

  private struct State: ~Copyable {
    var file: AtomicFile?
    var buffer: [UInt8] = []
    var failure: FetchError?
    /// The lines that have no answer yet, by their numbers.
    var unanswered: [Int: [UInt8]] = [:]
    var hasLines = false
    var isClosed = false
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

  /// A line is tried from now on. Until it has its answer it counts as one that failed: the run may end before.
  ///
  /// - Parameter stem: the name that it got, where that is to go with it.
  func begin(_ number: Int, _ line: some Sequence<UInt8>, stem: String? = nil) {
    guard path != nil else { return }
    let line = Array(line) + (stem.map { Array("\tstem=\($0)".utf8) } ?? [])
    state.withLock { $0.unanswered[number] = line }
  }

  /// The line has its answer, or is not this run's.
  func end(_ number: Int, isFailure: Bool) {
    guard let path else { return }
    state.withLock { state in
      guard let line = state.unanswered.removeValue(forKey: number), isFailure else { return }
      add(line, to: &state, path)
    }
  }

  /// A line that is not tried at all.
  func add(_ line: some Sequence<UInt8>) {
    guard let path else { return }
    state.withLock { add(line, to: &$0, path) }
  }

  private func add(_ line: some Sequence<UInt8>, to state: inout State, _ path: String) {
    if state.isClosed { return }
    state.hasLines = true
    state.buffer.append(contentsOf: line)
    state.buffer.append(delimiter)
    if state.buffer.count >= Self.bufferSize { write(&state, path) }
  }

  /// Writes what is left, and has the file take its name. Where there is nothing to be tried again, an earlier list of ours goes.
  ///
  /// - Parameters:
  ///   - isComplete: whether every line of the lists was read.
  ///   - unread: the lists that could be read in part only. None of them is replaced by this one, or the rest of it would be lost.
  func close(isComplete: Bool, unread: Set<FileStatus.Identity> = []) -> Ending {
    guard let path else { return .fine }
    return state.withLock { state in
      if state.isClosed { return state.failure.map { .failed($0) } ?? .fine }
      for (_, line) in state.unanswered.sorted(by: { $0.key < $1.key }) { add(line, to: &state, path) }
      state.unanswered = [:]
      state.isClosed = true
      if !state.hasLines { return isComplete ? removeEarlier(path) : .fine }
      if !state.buffer.isEmpty { write(&state, path) }
      if state.failure == nil, Self.isOne(of: unread, path) {
        state.failure = FetchError(.file, path, "this list could not be read to its end, and is left as it is")
      }
      if state.failure == nil {
        do throws(SystemError) { try state.file?.publish() } catch { state.failure = Self.failure(error, path) }
      }
      return state.failure.map { .failed($0) } ?? .fine
    }
  }

  private func write(_ state: inout State, _ path: String) {
    let lines = state.buffer
    state.buffer = []
    do throws(SystemError) {
      if state.file == nil {
        var file = try AtomicFile.create(path, mode: .ownersOnly)
        // What has no name to be removed under needs no mark: its reader gets the lines alone.
        if !file.isStream { try file.write((Self.mark + [delimiter]).span) }
        state.file = consume file
      }
      try state.file?.write(lines.span)
    } catch {
      state.failure = Self.failure(error, path)
    }
  }

  private static func isOne(of files: Set<FileStatus.Identity>, _ path: String) -> Bool {
    guard !files.isEmpty, let file = try? Descriptor.open(path, [.read, .nonBlocking]) else { return false }
    return (try? file.status().identity).map(files.contains) ?? false
  }

  private static func failure(_ error: SystemError, _ path: String) -> FetchError {
    FetchError(.file, path, "the list of failures cannot be written: \(error.code)")
  }
}

// The list of an earlier run.
extension FailedList {
  /// Why there can be no such list; nil: it can be. A list that several shards read may not become one shard's.
  static func objection(_ settings: Settings) -> String? {
    guard let path = settings.output.failedList, settings.list.shard != nil, let file = identity(path) else {
      return nil
    }
    guard settings.list.inputs.contains(where: { $0 != "-" && identity($0) == file }) else { return nil }
    return "--failed-list \(path): other shards read this list too, and their lines would be lost; name another file"
  }

  private static func identity(_ path: String) -> FileStatus.Identity? {
    guard let place = try? AtomicFile.place(of: path), let status = try? place.folder.file.status(of: place.name)
    else {
      return nil
    }
    return status.kind == .regular ? status.identity : nil
  }

  /// What it begins with: a comment for a program that reads it as a list, and the mark of what may be removed.
  static let mark = Array(
    "# imgfetch --failed-list: to be tried again. A run that has all of it removes this file.".utf8)

  /// Removes the list that an earlier run has left. Of what else may have that name only the user can say whether it is still needed.
  private func removeEarlier(_ path: String) -> Ending {
    do throws(SystemError) {
      let place = try AtomicFile.place(of: path)
      guard let kind = try place.folder.file.status(of: place.name)?.kind else { return .fine }
      // A pipe or a device keeps nothing.
      if AtomicFile.isStream(kind, at: path) { return .fine }
      guard kind == .regular else { return .leftAlone(path: path) }
      let file = try place.folder.file.open(place.name, [.read, .noFollow, .nonBlocking])
      let status = try file.status()
      if status.size == 0 { return .fine }
      var start: [UInt8] = []
      // With the end of the record: to a run whose records end otherwise all of it is one comment, and it has not had the lines.
      let mark = Self.mark + [delimiter]
      _ = try file.read(into: &start, count: mark.count, at: 0)
      guard start == mark, try place.folder.file.status(of: place.name)?.identity == status.identity else {
        return .leftAlone(path: path)
      }
      try place.folder.file.remove(place.name)
      return .fine
    } catch {
      switch error.code {
      case .noSuchFile, .notDirectory: return .fine
      case .accessDenied: return .leftAlone(path: path)
      default: break
      }
      return .failed(FetchError(.file, path, "the list of an earlier run cannot be removed: \(error.code)"))
    }
  }
}
