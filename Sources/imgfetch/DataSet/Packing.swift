import ImgfetchCore
import ImgfetchDataSet

/// The data set that a run makes: the shard that each line belongs to, the shards that are open, and those that exist
/// already.
///
/// Lines come on the thread that reads the list, images and results on the fetcher's.
final class Packing: Sendable {
  /// The shard whose lines are being read.
  private enum Current {
    case none
    case open(OpenShard)
    /// An existing shard, whose lines are only hashed. Without one, the shard is missing, and only existing ones
    /// matter.
    case passed(ShardName, StandingShard?)
  }

  /// The source of the lines, which decides the shard of each.
  private enum Source {
    case list(ShardSequence)
    /// The lines that failed, tried once more.
    case failures(RetrySequence)
  }

  private struct State: ~Copyable {
    var source: Source
    var current = Current.none
    var open: [OpenShard] = []
    /// The lines of a shard that is skipped.
    var passed = RecordsHash()
    /// The number of records that were read.
    var records = 0
    /// Lines that make no sense.
    var invalid = 0
    /// The message of the first one; nil if there is none.
    var firstInvalid: String?
    /// The reason why the table is none that the options are about; nil if it is one.
    var objection: String?
    /// The list that could not be read to its end; nil if there is none.
    var broken: BrokenList?
    var isOver = false

    init(_ source: Source) { self.source = source }
  }

  private let settings: DataSetSettings
  private let rule: ShardRule
  private let folder: any ShardStore
  private let events: PackEvents
  private let committer: ShardCommitter
  private let unique: UniqueRecords?
  private let job: JobOf
  /// True if existing shards are compared, and nothing else is done.
  private let isTrial: Bool
  /// Finished shards that cover only the beginning of their present lines: they are made anew.
  private let grown: Guarded<Set<ShardName>>
  private let state: Guarded<State>

  /// - Parameters:
  ///   - retries: The failed lines that are tried once more; nil for the lines of the list.
  ///   - isTrial: True if existing shards are compared, and nothing else is done.
  ///   - grown: The shards that are made anew, since the list has grown. A trial finds them.
  init(
    _ settings: Settings, _ folder: any ShardStore, retries: RetryPlan? = nil, isTrial: Bool = false,
    grown: Guarded<Set<ShardName>> = Guarded([]), events: PackEvents
  ) {
    let dataSet = settings.dataSet
    let rule = ShardRule(settings)
    self.settings = dataSet
    self.rule = rule
    self.folder = folder
    self.isTrial = isTrial
    self.grown = grown
    self.events = events
    state = Guarded(
      State(retries.map { .failures(RetrySequence($0.rounds)) } ?? .list(ShardSequence(rule))))
    let job = JobOf(settings)
    self.job = job
    var form = ShardWriter.Form()
    form.imagesOnly = retries != nil
    form.memberExtension = dataSet.memberExtension
    let unique = settings.rows.unique.map(UniqueRecords.init)
    self.unique = unique
    committer = ShardCommitter(
      folder, mostTransient: dataSet.mostTransient, form, hasStatistics: dataSet.hasStatistics, unique: unique,
      events: events
    ) {
      job.of($0.name, $0.records)
    } other: { () throws(ShardFailure) in
      try job.other(among: try folder.samples(of: rule), in: folder)
    }
  }

  /// The message about a shard that is not of this run's list or options.
  ///
  /// - Parameter rules: The part of the run's job that the options decide.
  static func objection(to shard: StandingShard, _ rules: Substring) -> String {
    if shard.job.isOfOtherVersion {
      return
        "\(shard.path): this shard was made by a version of imgfetch that makes something else of the same options; "
        + "finish the set with that one (1.x), or take a new folder"
    }
    let names = JobDifference.names(of: shard.job.rules, rules).joined(separator: ", ")
    return names.isEmpty
      ? "\(shard.path): this shard is of another list; take another place, or remove it"
      : "\(shard.path): this shard is of other options (\(names)); repeat those it was made with, or take another place"
  }

  // MARK: - The list

  /// True if more lines may be read.
  var mayRead: Bool { state.withLock { $0.open.count < folder.mostOpen } }

  /// Takes the next line. Returns true if its image is to be fetched.
  ///
  /// - Parameters:
  ///   - record: Its number in the list, from 0.
  ///   - isWanted: False if it belongs to its shard, but has no row in it.
  ///   - isOwn: Returns true if its host is one of this process's. Called only if that matters.
  func take(
    _ record: Int, _ text: borrowing Span<UInt8>, under header: ContentHash?, isWanted: Bool = true,
    isOwn: (ShardRule) -> Bool
  ) -> Bool {
    let rule = rule
    let place = state.withLock { state -> ShardSequence.Place? in
      state.records = record + 1
      switch state.source {
      case .list(var sequence):
        defer { state.source = .list(sequence) }
        return sequence.place(record: record, isOwn: isOwn(rule))
      case .failures(var sequence):
        defer { state.source = .failures(sequence) }
        return sequence.place()
      }
    }
    guard let place, begin(place.shard) else { return false }
    var isOpen = false
    state.withLock { state in
      switch state.current {
      case .open(let shard):
        shard.add(record: record, text, under: header, isWanted: isWanted)
        isOpen = isWanted
      case .passed(_, .some): state.passed.add(record: record, text, under: header)
      case .passed(_, nil), .none: break
      }
    }
    // The shard may not be written before its last line has its end, which is not before this returns.
    if place.isLast { endShard() }
    return isOpen
  }

  /// The lines from this one on that need not be parsed, since their shard is another process's, or exists already.
  /// They are given back to ``pass(_:)``. Nil if the next line is for ``take(_:_:under:isWanted:isOwn:)``.
  func passing(from record: Int) -> PassedLines? {
    guard !rule.isByHost, state.withLock({ if case .list = $0.source { true } else { false } }) else { return nil }
    var number = record / rule.perShard
    if rule.owns(shard: number) {
      guard passes(ShardName(number: number)) else { return nil }
      return state.withLock { state in
        guard case .passed(_, let standing) = state.current else { return nil }
        return PassedLines(
          next: record, end: (number + 1) * rule.perShard, isCompared: standing != nil, records: state.passed)
      }
    }
    while !rule.owns(shard: number) { number += 1 }
    return PassedLines(next: record, end: number * rule.perShard, isCompared: false, records: RecordsHash())
  }

  /// True if the lines of a shard are skipped. This opens no shard that is to be made: perhaps no line follows.
  private func passes(_ name: ShardName) -> Bool {
    let isBegun: Bool? = state.withLock { state in
      if state.isOver { return false }
      switch state.current {
      case .none: return nil
      case .open(let shard): return shard.name == name ? false : nil
      case .passed(let there, _): return there == name ? true : nil
      }
    }
    if let isBegun { return isBegun }
    // An unreadable shard is reported with its first line.
    let standing: StandingShard?
    do throws(ShardFailure) { standing = try folder.standing(name) } catch { return false }
    guard standing != nil || isTrial, !isGrown(name) else { return false }
    state.withLock { state in
      state.passed = RecordsHash(markAt: standing?.job.records ?? 0)
      state.current = .passed(name, standing)
    }
    return true
  }

  /// Takes back lines that were skipped, as far as they have been read.
  func pass(_ lines: PassedLines) {
    state.withLock { state in
      state.passed = lines.records
      state.records = lines.next
    }
    if lines.isAtEnd { endShard() }
  }

  private func isGrown(_ name: ShardName) -> Bool { !isTrial && grown.withLock { $0.contains(name) } }

  private func begin(_ name: ShardName) -> Bool {
    let (isBegun, isOver) = state.withLock { state in
      switch state.current {
      case .none: (false, state.isOver)
      case .open(let shard): (shard.name == name, state.isOver)
      case .passed(let there, _): (there == name, state.isOver)
      }
    }
    if isBegun || isOver { return !isOver }
    do throws(ShardFailure) {
      let standing = try folder.standing(name)
      let isGrown = isGrown(name)
      state.withLock { state in
        if isTrial || (standing != nil && !isGrown) {
          state.passed = RecordsHash(markAt: standing?.job.records ?? 0)
          state.current = .passed(name, standing)
        } else {
          let shard = OpenShard(
            name, inPlaceOf: standing, spoolIn: folder.spoolFolder, at: SystemClock().now())
          state.open.append(shard)
          state.current = .open(shard)
        }
      }
      return true
    } catch {
      end(error.message, error.exitCode(ofForeign: ExitCode.usage))
      return false
    }
  }

  /// Notes an invalid line that is about to be taken. Many such lines are no list, and no shard is made of them. A line
  /// that is tried once more has no row then, so that the first of these is told.
  ///
  /// - Parameter read: The number of lines that were read, this one included. Those of shards that are passed over
  ///   count, or a list that was good enough for the first attempt would not be for the next one.
  func noteInvalid(_ line: InvalidLine, ofLines read: Int) {
    let (invalid, isOfRows) = state.withLock { state in
      state.invalid += 1
      if case .failures = state.source { return (state.invalid, true) }
      state.firstInvalid = state.firstInvalid ?? line.error.message
      return (state.invalid, false)
    }
    if isOfRows {
      if invalid == 1 { events.warn("\(line.error.message); so it is with each such line") }
      return
    }
    guard invalid > 1, Double(invalid) > settings.mostInvalid * Double(read) else { return }
    end(
      "\(line.error.message); \(invalid) of the \(Amount.count(read, "line")) so far make no sense, so that no shard is made of "
        + "them; --list-format says what the list is, and --max-invalid allows more", ExitCode.file)
  }

  /// Notes a column that options name and that no record of a list has had so far; nil if there is none. Its sums would
  /// not be checked, its captions be empty, and no record would meet its conditions, so that no shard is made of them.
  func note(missingColumn column: String?, of list: String) {
    let objection = column.map { column in
      "\(list): no record so far has a column \(SafeText.text(column)), so that no shard is made of them; if records leave out what "
        + "is empty, the first one may have it as null"
    }
    state.withLock { $0.objection = objection }
  }

  func noteEndOfInput() {
    // Of several such lines the second one ends the run.
    let only = state.withLock { $0.records == 1 && $0.invalid == 1 ? $0.firstInvalid : nil }
    if let only, settings.mostInvalid < 1 {
      return end("\(only); the list has no other line, so that no shard is made of it", ExitCode.file)
    }
    endShard()
    let next = state.withLock { state -> ShardName? in
      guard !state.isOver, case .list(let sequence) = state.source else { return nil }
      return sequence.next(after: state.records)
    }
    guard let next else { return }
    // The list was longer, or is another one.
    do throws(ShardFailure) {
      if let standing = try folder.standing(next) { end(Self.objection(to: standing, job.rules), ExitCode.usage) }
    } catch {
      if case .place(let error) = error, error.kind == .cancelled { return }
      end(error.message, error.exitCode(ofForeign: ExitCode.usage))
    }
  }

  /// Notes that a list could not be read to its end, so that no lines are known behind those that were taken.
  func note(_ list: BrokenList) { state.withLock { $0.broken = list } }

  private func endShard() {
    let (current, records, objection) = state.withLock { state in
      defer { state.current = .none }
      return (state.current, state.passed, state.objection)
    }
    if case .open = current, let objection { return end(objection, ExitCode.file) }
    switch current {
    case .none, .passed(_, nil): break
    // The list ends where it would begin.
    case .passed where records.count == 0: break
    case .open(let shard): if shard.close() { committer.add(shard) }
    case .passed(let name, let standing?):
      guard standing.job == job.of(name, records) else {
        if isTrial, settings.extends, let beginning = records.beginning, standing.job == job.of(name, beginning) {
          return grown.withLock { _ = $0.insert(name) }
        }
        return end(Self.objection(to: standing, job.rules), ExitCode.usage)
      }
      if !isTrial { keep(standing) }
    }
  }

  private func keep(_ shard: StandingShard) {
    do throws(ShardFailure) {
      if settings.hasStatistics { try folder.addStatistics(of: shard, isNew: false) }
    } catch { events.fail(error.message, error.exitCode()) }
    events.report(ShardReport(outcome: .kept, shard: shard))
  }

  /// Ends the packing: no further shard is made. Only the first reason is told.
  func end(_ message: String, _ code: Int32) {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    if isFirst { events.end(message, code) }
  }

  // MARK: - The images

  private func shard(of record: Int) -> OpenShard? { state.withLock { $0.open.first { $0.holds(record: record) } } }

  /// The sink of a line's image.
  ///
  /// - Parameter consent: Gets the owner's terms.
  func sink(_ index: Int, _ consent: ConsentNote) -> ShardSink? {
    shard(of: index - 1).map { ShardSink($0, record: index - 1, consent, consentRule) }
  }

  /// The rule for statements of owners.
  var consentRule: ConsentRule {
    ConsentRule(
      purpose: settings.purpose, obeysRobotsTag: settings.obeysRobotsTag, refusesNoIndex: settings.refusesNoIndex)
  }

  /// Takes the answer of a line.
  func finish(_ result: FetchResult, _ note: RecordNote) {
    let record = result.tag - 1
    guard let shard = shard(of: record) else { return }
    unique?.add(result, record, of: shard.name)
    let row = PackRow.bytes(result, record: record, note)
    let isComplete = shard.finish(result, record: record, row: row, caption: note.caption)
    if let trouble = shard.trouble {
      end(
        "\(folder.spoolFolder): the images of shard \(shard.name.text) cannot be written there: \(trouble)",
        ExitCode.file)
    } else if let error = result.error, error.isOfThisMachine {
      end("\(error.message); no shard is made of what this machine lacks", ExitCode.file)
    } else if isComplete, !state.withLock({ $0.isOver }) {
      committer.add(shard)
    }
  }

  // MARK: - The end

  /// Closes a shard that was written, or will not be.
  func close(_ shard: OpenShard) { state.withLock { $0.open.removeAll { $0 === shard } } }

  /// Waits for the shards that are complete, and tells which one cannot be.
  func finish() {
    committer.finish()
    let (broken, current) = state.withLock { ($0.isOver ? nil : $0.broken, $0.current) }
    guard let broken else { return }
    guard case .open(let shard) = current else {
      if broken.lines > 0 { events.fail(broken.ofSet, broken.exitCode) }
      return
    }
    events.refuse(committer.refusal(of: shard, broken.ofShard))
    events.fail("shard \(shard.name.text) is not made: \(broken.ofShard)", broken.exitCode)
  }

  /// Leaves the shard that is being written.
  func stop(atMost time: Instant.Span) {
    committer.stop()
    committer.finish(atMost: time)
  }
}

/// Lines of one shard, or of several shards of others, that are skipped.
struct PassedLines {
  /// The number of the next record.
  private(set) var next: Int
  /// The record behind the last one.
  fileprivate let end: Int
  /// True if their shard states that it is of these lines.
  let isCompared: Bool
  fileprivate var records: RecordsHash

  var isAtEnd: Bool { next == end }
  var left: Int { end - next }

  mutating func add(_ text: borrowing Span<UInt8>, under header: ContentHash?) {
    if isCompared { records.add(record: next, text, under: header) }
    next += 1
  }
}

/// The jobs of shards under the options of this run.
struct JobOf: Sendable {
  private let membership: String
  private let options: String

  init(_ settings: Settings) {
    // The failed lines come from some list, and their rows are all that is needed of it.
    membership = settings.dataSet.isAgain ? "[]" : JobText.membership(settings)
    options = JobText.options(settings)
  }

  func of(_ name: ShardName, _ records: RecordsHash) -> ShardJob {
    ShardJob(name, records: records, membership: membership, options: options)
  }

  /// The part of a job that decides which images the records become, and their bytes.
  var compared: Substring { of(ShardName(number: 0), RecordsHash()).options }

  /// The part of a job that depends on the options alone.
  var rules: Substring { of(ShardName(number: 0), RecordsHash()).rules }

  /// A shard that was made with other options, by whichever process; nil if there is none among these.
  func other(among names: [ShardName], in folder: any ShardStore) throws(ShardFailure) -> StandingShard? {
    for name in names { if let standing = try folder.standing(name), !agrees(with: standing) { return standing } }
    return nil
  }

  /// True if a shard was made with the same options, even of other records.
  private func agrees(with shard: StandingShard) -> Bool { !shard.job.isOfOtherVersion && shard.job.rules == rules }
}

extension ShardRule {
  init(_ settings: Settings) {
    self.init(perShard: settings.dataSet.perShard)
    part = settings.list.part ?? .whole
    isByHost = settings.dataSet.shardBy == .host
    splitHosts = settings.dataSet.splitHosts.compactMap { HostPattern($0) }
    perHost = settings.fetcher.perHost ?? Self.politePerHost
  }
}
