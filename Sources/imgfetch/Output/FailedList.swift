import ImgfetchCore

/// `--failed-list`: the failed lines as given and, after an interrupted run, the lines that were not tried. It is the next run's
/// input.
///
/// The file is created only if there are such lines, readable by its owner only (URLs may contain credentials). It gets its name
/// when the run has ended, so that it may be the list that the run reads.
final class FailedList: Sendable {
  /// The result of closing the list.
  enum Ending {
    /// The list was written, or there was nothing to write.
    case fine
    case failed(FetchError)
    /// Nothing failed, and the existing file was not written by this program.
    case leftAlone(path: String)
  }

  private struct State: ~Copyable {
    var file: AtomicFile?
    var buffer: [UInt8] = []
    var failure: FetchError?
    /// The lines without an answer, by their numbers.
    var unanswered: [Int: [UInt8]] = [:]
    var hasLines = false
    var isClosed = false
  }

  private let path: String?
  /// The delimiter of records, the same as in the input.
  private let delimiter: UInt8
  private let state = Guarded(State())

  /// Large enough to keep system calls few.
  private static let bufferSize = 32 << 10

  init(path: String?, isNullEnded: Bool = false) {
    self.path = path
    delimiter = isNullEnded ? 0 : UInt8(ascii: "\n")
  }

  /// Begins a line. Until ``end(_:isFailure:)`` it counts as failed, since the run may be interrupted.
  ///
  /// - Parameter stem: the name it got, if that is to be kept with it.
  func begin(_ number: Int, _ line: some Sequence<UInt8>, stem: String? = nil) {
    guard path != nil else { return }
    let line = Array(line) + (stem.map { Array("\tstem=\($0)".utf8) } ?? [])
    state.withLock { $0.unanswered[number] = line }
  }

  /// Ends a line: it has an answer, or belongs to another shard.
  func end(_ number: Int, isFailure: Bool) {
    guard let path else { return }
    state.withLock { state in
      guard let line = state.unanswered.removeValue(forKey: number), isFailure else { return }
      add(line, to: &state, path)
    }
  }

  /// Adds a line that is not tried at all.
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

  /// Writes the rest and gives the file its name. If nothing needs to be tried again, removes the list of an earlier run.
  ///
  /// - Parameters:
  ///   - isComplete: whether every line of the lists was read.
  ///   - unread: the lists that were read only in part. None of them is replaced, since the rest of it would be lost.
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
        // A device or pipe is never removed and so needs no mark: its reader gets the lines only.
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
  /// Why the list cannot be written; nil if it can. A list that several shards read must not be replaced by one of them.
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

  /// The first line: a comment for list readers, and the mark by which a later run knows that it may remove the file.
  static let mark = Array(
    "# imgfetch --failed-list: to be tried again. A run that has all of it removes this file.".utf8)

  /// Removes the list of an earlier run. Only the user can know whether any other file of that name is still needed.
  private func removeEarlier(_ path: String) -> Ending {
    do throws(SystemError) {
      let place = try AtomicFile.place(of: path)
      guard let kind = try place.folder.file.status(of: place.name)?.kind else { return .fine }
      // A pipe or a device keeps nothing.
      if AtomicFile.isStream(kind, in: place.folder.file) { return .fine }
      guard kind == .regular else { return .leftAlone(path: path) }
      let file = try place.folder.file.open(place.name, [.read, .noFollow, .nonBlocking])
      let status = try file.status()
      if status.size == 0 { return .fine }
      var start: [UInt8] = []
      // The delimiter belongs to the mark: a run with another delimiter reads the whole file as one comment, and so has not tried
      // its lines.
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
