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
    var unanswered: [Int: Line] = [:]
    /// The number of the last line that was read.
    var last = 0
    var isClosed = false
    /// The table whose columns the list has, and names if that table does; nil for lines, and until there is one.
    var table: ListTable?
    /// Lines of other forms that came before it was known which column has the URLs: operands, mostly.
    var early: [(line: Line, failure: String?, number: Int)] = []
  }

  /// A line as given.
  private struct Line {
    let text: [UInt8]
    /// The table that it is a record of; nil for an operand, and for a line of a list or a source.
    var table: ListTable?
    /// The number of the line in its list; nil for an operand.
    var number: Int?
  }

  private let path: String?
  /// The delimiter of records, the same as in the input.
  private let delimiter: UInt8
  private let format: Choices.ListFormat
  /// The columns that options name.
  private let columns: ListColumns
  /// True if a line may get further fields. A record of a table has its columns instead.
  private var takesFields: Bool { format == .lines }
  /// The failures of the run before, if they are known. They hold for lines that this run does not try.
  private let earlier: EarlierFailures?
  /// The names that lines would lose at another place; nil if there are none.
  private let names: PlaceNames?
  /// True for a device, a pipe or a stream of this program.
  let isStream: Bool
  /// The list that was there when the run began; nil if there was none.
  private let found: FileStatus?
  private let state = Guarded(State())

  init(
    path: String?, _ list: ListSettings = ListSettings(), earlier: EarlierFailures? = nil, names: PlaceNames? = nil
  ) {
    self.path = path
    self.earlier = earlier
    self.names = names
    delimiter = list.isNullEnded ? 0 : UInt8(ascii: "\n")
    (format, columns) = (list.format, list.columns)
    isStream = path.map { (try? ListPlace.isStream($0)) == true } ?? false
    found = isStream ? nil : path.flatMap { [delimiter] in ListPlace.list(of: $0, delimiter) }
  }

  convenience init(_ settings: Settings, earlier: EarlierFailures?) {
    self.init(
      path: settings.cache.isDryRun ? nil : settings.output.failedList, settings.list, earlier: earlier,
      names: PlaceNames(settings))
  }

  /// Notes which columns the next records have. The list of failures has those of the first table, and the later
  /// knowledge which of them holds the URLs.
  func note(_ table: ListTable?) {
    guard path != nil, let table else { return }
    state.withLock { state in
      guard let known = state.table else { return state.table = table }
      if !known.isSettled, known.hasColumns(of: table) { state.table = table }
    }
  }

  /// Begins a line. Until ``end(_:)`` it counts as failed, since the run may be interrupted.
  ///
  /// - Parameters:
  ///   - table: The table that it is a record of; nil if it is of none.
  ///   - place: Its number in its list; nil for an operand.
  ///   - stem: the name it got, if that is to be kept with it.
  func begin(
    _ number: Int, _ line: some Sequence<UInt8>, of table: ListTable?, at place: Int? = nil, stem: String? = nil
  ) {
    guard path != nil else { return }
    let text = Array(line) + (takesFields ? stem.map { Array("\tstem=\($0)".utf8) } ?? [] : [])
    state.withLock { state in
      state.unanswered[number] = Line(text: text, table: table, number: place)
      state.last = max(state.last, number)
    }
  }

  /// Passes over a line of another part that is not tried.
  func pass() { state.withLock { $0.last += 1 } }

  /// Ends a line that has an answer, or belongs to another part.
  func end(_ number: Int) {
    guard path != nil else { return }
    state.withLock { _ = $0.unanswered.removeValue(forKey: number) }
  }

  func end(_ number: Int, _ error: FetchError) {
    guard let path else { return }
    state.withLock { state in
      guard let line = state.unanswered.removeValue(forKey: number) else { return }
      add(line, error.kind == .cancelled ? nil : error.kindAndStatus, number, to: &state, path)
    }
  }

  /// Adds a line that is not tried at all.
  ///
  /// - Parameters:
  ///   - table: The table that it is a record of; nil if it is of none.
  ///   - number: Its number in the run; nil for the next line after all that were read.
  ///   - place: Its number in its list; nil for an operand.
  func add(_ line: some Sequence<UInt8>, of table: ListTable?, number: Int? = nil, at place: Int? = nil) {
    guard let path else { return }
    state.withLock { state in
      if number == nil { state.last += 1 }
      let last = state.last
      add(Line(text: Array(line), table: table, number: place), nil, number ?? last, to: &state, path)
    }
  }

  /// Adds a line as given if the list has its form, or else as a record of the list's table.
  ///
  /// - Parameter failure: Its failure; nil for a line that this run has not tried, or not to the end.
  private func add(_ line: Line, _ failure: String?, _ number: Int, to state: inout State, _ path: String) {
    if takesFields { return add(fields(of: named(line, number), failure), number, to: &state, path) }
    let isOfTable = if let own = line.table, let table = state.table { table.hasColumns(of: own) } else { false }
    if isOfTable { return add(comment(of: line, failure) + line.text, number, to: &state, path) }
    if state.table?.isSettled == true {
      add(record(of: line, failure, state.table), number, to: &state, path)
    } else {
      state.early.append((line, failure, number))
      if state.early.count == Self.mostEarly { addEarly(to: &state, path) }
    }
  }

  /// No more lines wait for a table: a run without a list has none, and may have any number of operands and images.
  private static let mostEarly = 10_000

  /// Adds the lines that waited for a table. Where there is none, the list has one of its own.
  private func addEarly(to state: inout State, _ path: String) {
    if state.early.isEmpty { return }
    state.table = state.table ?? ListTable.forLines(format, columns)
    for (line, failure, number) in state.early { add(record(of: line, failure, state.table), number, to: &state, path) }
    state.early = []
  }

  /// A comment, which says why there is no line, stays one.
  private func record(of line: Line, _ failure: String?, _ table: ListTable?) -> [UInt8] {
    let text = line.text[...]
    guard let table, text.first != UInt8(ascii: "#") else { return comment(of: line, failure) + line.text }
    let essentials = line.table.map { $0.essentials(of: text) } ?? LineEssentials(line: text)
    // The next run would ask for it at any address.
    if essentials.isNamedByPublicPage { return Array(FailedListMark.unsafe.utf8) + (essentials.url ?? "").utf8 }
    return comment(of: line, failure) + table.record(of: essentials)
  }

  /// A line with its name, if that depends on its place.
  private func named(_ line: Line, _ number: Int) -> [UInt8] {
    guard let stem = names?.stem(of: line.text, index: number, number: line.number) else { return line.text }
    return line.text + "\tstem=\(stem)".utf8
  }

  /// A line with its failure in the field `was=`, which replaces the one of an earlier run. That one is the last that
  /// is known of a line without an answer.
  private func fields(of line: [UInt8], _ failure: String?) -> [UInt8] {
    if line.first == UInt8(ascii: "#") { return line }
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    let isOfWas = { (field: ArraySlice<UInt8>) in field.starts(with: "was=".utf8) }
    if let failure {
      let others = fields.filter { !isOfWas($0) }.joined(separator: [UInt8(ascii: "\t")])
      return Array(others) + "\twas=\(failure)".utf8
    }
    guard let earlier, !fields.contains(where: isOfWas), let was = earlier.failure(ofLine: line[...]) else {
      return line
    }
    return line + "\twas=\(was)".utf8
  }

  /// The failure of a record in a comment before it, or what an earlier run knows of it.
  private func comment(of line: Line, _ failure: String?) -> [UInt8] {
    if let failure { return comment(failure) }
    guard let earlier else { return [] }
    guard let table = line.table else { return earlier.failure(ofLine: line.text[...]).map(comment) ?? [] }
    let url = (try? table.line(line.text[...]))?.url.display
    return url.flatMap(earlier.failure(of:)).map(comment) ?? []
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
        add(line, nil, number, to: &state, path)
      }
      state.unanswered = [:]
      addEarly(to: &state, path)
      state.isClosed = true
      if let failure = state.failure { return .failed(failure) }
      guard let lines = state.lines.take() else {
        return state.stream == nil && isComplete ? ListPlace.removeEarlier(path, delimiter, found: found) : .fine
      }
      do throws(SystemError) {
        let place = try ListPlace(for: path, delimiter, found: found)
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
    FetchError(
      .file, path, "the list of failures \(verb) be written: \(OutputFailure.text(of: error.code))",
      cause: .init(errno: error.code))
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

  /// The reason why the list must not be written; nil if it may be. A list of which several machines read their parts
  /// must not be replaced by one of them.
  static func objection(_ settings: Settings) -> String? {
    guard let path = settings.output.failedList, settings.list.part != nil, let file = identity(path) else {
      return nil
    }
    guard settings.list.inputs.contains(where: { $0 != "-" && identity($0) == file }) else { return nil }
    return "--failed-list \(path): the other parts of --shard read this list too, and their lines would be lost; "
      + "name another file"
  }

  private static func identity(_ path: String) -> FileStatus.Identity? {
    guard let place = try? AtomicFile.place(of: path), let status = try? place.folder.file.status(of: place.name)
    else {
      return nil
    }
    return status.kind == .regular ? status.identity : nil
  }
}
