import ImgfetchCore

/// `--failed-list`: the failed lines as given, with their failures, and after an interrupted run the lines that were
/// not tried. It is the next run's input.
///
/// The file is created only if there are such lines, readable by its owner only (URLs may contain credentials). It gets
/// its name when the run has ended, so that it may be a list that the same run reads. A file that this program did not
/// write is never replaced.
final class FailedList: Sendable {
  /// The result of closing the list.
  enum Ending {
    /// The list was written, or there was nothing to write.
    case fine
    /// The list was written beside a file of that name, which is not this program's.
    case written(path: String, insteadOf: String)
    case failed(FetchError)
    /// The run had no failure, and the existing file was not written by this program.
    case leftAlone(path: String)
  }

  private struct State: ~Copyable {
    var lines: FailedLines?
    var stream: AtomicFile?
    var failure: FetchError?
    /// The lines without an answer, by their numbers.
    var unanswered: [Int: [UInt8]] = [:]
    var isClosed = false
    /// The table of the last records, if there was one. The list names its columns, if the table does.
    var table: ListTable?
  }

  private let path: String?
  /// The delimiter of records, the same as in the input.
  private let delimiter: UInt8
  /// True if a line may get further fields. A record of a table has its columns instead.
  private let takesFields: Bool
  /// The failures of the run before, if they are known. They hold for lines that this run does not try.
  private let earlier: EarlierFailures?
  /// True for a device, a pipe or a stream of this program.
  private let isStream: Bool
  private let state = Guarded(State())

  init(path: String?, isNullEnded: Bool = false, takesFields: Bool = true, earlier: EarlierFailures? = nil) {
    self.path = path
    self.earlier = earlier
    delimiter = isNullEnded ? 0 : UInt8(ascii: "\n")
    self.takesFields = takesFields
    isStream = path.map { (try? ListPlace.isStream($0)) == true } ?? false
  }

  /// Notes which columns the next records have. One list of failures has the columns of one table.
  func note(_ table: ListTable?) {
    guard let path, let table else { return }
    state.withLock { state in
      if state.table === table { return }
      if let known = state.table?.header, known != table.header, state.failure == nil {
        state.failure = FetchError(
          .file, path, "the lists have other columns, and one list of failures cannot name both")
      }
      state.table = table
    }
  }

  /// Begins a line. Until ``end(_:)`` it counts as failed, since the run may be interrupted.
  ///
  /// - Parameter stem: the name it got, if that is to be kept with it.
  func begin(_ number: Int, _ line: some Sequence<UInt8>, stem: String? = nil) {
    guard path != nil else { return }
    let line = Array(line) + (takesFields ? stem.map { Array("\tstem=\($0)".utf8) } ?? [] : [])
    state.withLock { $0.unanswered[number] = line }
  }

  /// Ends a line that has an answer, or belongs to another shard.
  func end(_ number: Int) {
    guard path != nil else { return }
    state.withLock { _ = $0.unanswered.removeValue(forKey: number) }
  }

  /// Ends a line that has failed.
  func end(_ number: Int, _ error: FetchError) {
    guard let path else { return }
    state.withLock { state in
      guard let line = state.unanswered.removeValue(forKey: number) else { return }
      add(error.kind == .cancelled ? untried(line, of: state.table) : failed(line, error), number, to: &state, path)
    }
  }

  /// Adds a line that is not tried at all.
  ///
  /// - Parameter number: The place in the list; nil for a line after all that were read.
  func add(_ line: some Sequence<UInt8>, number: Int? = nil) {
    guard let path else { return }
    state.withLock { add(untried(Array(line), of: $0.table), number ?? .max, to: &$0, path) }
  }

  /// A line with its failure in the field `was=`, which replaces the one of an earlier run, or in a comment before a
  /// record of a table.
  private func failed(_ line: [UInt8], _ error: FetchError) -> [UInt8] {
    guard takesFields else { return comment(error.kindAndStatus) + line }
    if line.first == UInt8(ascii: "#") { return line }
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    let others = fields.filter { !$0.starts(with: "was=".utf8) }.joined(separator: [UInt8(ascii: "\t")])
    return Array(others) + "\twas=\(error.kindAndStatus)".utf8
  }

  /// A line that this run has not tried, or not to the end. The failure of an earlier run is the last that is known of
  /// it.
  private func untried(_ line: [UInt8], of table: ListTable?) -> [UInt8] {
    guard let earlier else { return line }
    guard takesFields else {
      let url = (try? table?.line(line[...]))?.url.display
      return url.flatMap(earlier.failure(of:)).map { comment($0) + line } ?? line
    }
    if line.first == UInt8(ascii: "#") { return line }
    let fields = line.split(separator: UInt8(ascii: "\t"))
    guard !fields.contains(where: { $0.starts(with: "was=".utf8) }), let was = earlier.failure(ofLine: line[...]) else {
      return line
    }
    return line + "\twas=\(was)".utf8
  }

  /// Nothing for a stream, whose reader gets the records only.
  private func comment(_ failure: String) -> [UInt8] {
    isStream ? [] : Array((FailedListMark.failure + failure).utf8) + [delimiter]
  }

  private func add(_ line: [UInt8], _ number: Int, to state: inout State, _ path: String) {
    if state.isClosed || state.failure != nil { return }
    do throws(SystemError) {
      if state.lines == nil, state.stream == nil { try begin(&state, path) }
      try state.lines?.add(line, number)
      if state.stream != nil { try state.stream?.write((line + [delimiter]).span) }
    } catch { state.failure = Self.failure(error, path) }
  }

  private func begin(_ state: inout State, _ path: String) throws(SystemError) {
    if isStream {
      // A device or pipe is never removed and so needs no mark: its reader gets the lines only, as they come.
      state.stream = try .create(path, mode: .ownersOnly)
    } else {
      state.lines = try FailedLines(beside: path, delimiter: delimiter, header: state.table?.header)
    }
  }

  /// Writes the rest and gives the file its name. If nothing needs to be tried again, removes the list of an earlier
  /// run.
  ///
  /// - Parameters:
  ///   - isComplete: True if every line of the lists was read.
  ///   - unread: The lists that were read only in part. None of them is replaced, since the rest of it would be lost.
  func close(isComplete: Bool, unread: Set<FileStatus.Identity> = []) -> Ending {
    guard let path else { return .fine }
    return state.withLock { state in
      if state.isClosed { return state.failure.map { .failed($0) } ?? .fine }
      for (number, line) in state.unanswered.sorted(by: { $0.key < $1.key }) {
        add(untried(line, of: state.table), number, to: &state, path)
      }
      state.unanswered = [:]
      state.isClosed = true
      if let failure = state.failure { return .failed(failure) }
      guard let lines = state.lines.take() else {
        return state.stream == nil && isComplete ? ListPlace.removeEarlier(path, delimiter) : .fine
      }
      do throws(SystemError) {
        let place = try ListPlace(for: path, delimiter)
        if place.isOne(of: unread) {
          state.failure = FetchError(.file, path, "this list could not be read to its end, and is left as it is")
        } else {
          try lines.publish(as: place)
          if !place.path.hasBytes(of: path) { return .written(path: place.path, insteadOf: path) }
        }
      } catch { state.failure = Self.failure(error, path) }
      return state.failure.map { .failed($0) } ?? .fine
    }
  }

  private static func failure(_ error: SystemError, _ path: String, _ verb: String = "could not") -> FetchError {
    FetchError(.file, path, "the list of failures \(verb) be written: \(error.code)", cause: .init(errno: error.code))
  }
}

extension FailedList {
  /// The reason why the list could not be written; nil if it could. It is found before anything is fetched, since hours
  /// may pass until there is a list to write.
  static func obstacle(_ path: String) -> FetchError? {
    do throws(SystemError) {
      if try ListPlace.isStream(path) { return nil }
      // What has the name is no obstacle: the list then gets one beside it.
      _ = try TemporaryFile(in: AtomicFile.place(of: path).folder, mode: AtomicFile.Mode.ownersOnly.rawValue)
      return nil
    } catch { return failure(error, path, "cannot") }
  }

  /// The reason why the list must not be written; nil if it may be. A list that several shards read must not be
  /// replaced by one of them.
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
}
