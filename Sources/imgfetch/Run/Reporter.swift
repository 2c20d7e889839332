import ImgfetchCore
import ImgfetchDataSet
import Synchronization

/// Reports the result of each image and of the run: results on standard output, everything else on standard error.
///
/// It owns the run's summary and exit code. Results arrive from several threads; lines are never mixed.
final class Reporter: Sendable {
  private enum Form: Sendable {
    case nothing
    case tabs
    case screen(Style)
    case json(ResultJSON)
    /// Each row with its image's bytes behind it.
    case frames(ResultJSON)
    case template(WriteOut)
    /// A line or an object for each shard, none for an image.
    case shards(isJSON: Bool, hasRows: Bool)
  }

  private enum ReadState {
    case underWay
    /// All lists were read to their ends.
    case done
    /// A list could not be read to its end, or the run stops early.
    case brokenOff
  }

  private struct State {
    var summary = Summary()
    /// The hosts whose failures were printed; nil if all failures are printed.
    var toldHosts: HostTally?
    /// The number of failures that were known before, and so were not printed.
    var known = 0
    var exitCode = ExitCode()
    /// The place of the failures that the digest tells of.
    var failurePlace = Digest.Failures.inShards
    /// The rows that wait for earlier ones under `--ordered`, and the number of the next one.
    var waiting: [Int: ResultRow] = [:]
    var next = 1
    /// Numbers without a row, in order, with adjacent ones joined.
    var skipped: [Range<Int>] = []
    /// The progress of reading the lists.
    var reading = ReadState.underWay
    var isFinishing = false
    var isFinished = false
  }

  let messages: Messages
  /// Standard output, for an image's bytes.
  let stream = SharedDescriptor.standardOutput
  /// True if anything is written to standard output.
  let isRead: Bool
  /// Images that wait for their rows.
  let frames = FramedImages()
  private let output: Printer
  private let form: Form
  private let window: Window
  private let settings: ReportSettings
  private let file: ReportFile?
  /// True if failures are printed on standard error. On a terminal the result line has the reason already, and under
  /// --quiet the JSON row has it.
  private let printsFailures: Bool
  /// True if failed images affect the exit code. With `--exit-zero` they do only if they end the run.
  private let countsFailures: Bool
  private let isQuiet: Bool
  /// True if the cache keeps the received part of a cancelled image.
  private let keepsParts: Bool
  private let begun: Instant
  private let earlier: EarlierFailures?
  private let isList: Bool
  private let clock = SystemClock()
  private let state: Guarded<State>
  /// The failures' messages. Their lock is also taken while `state` is locked, and never the other way round.
  private let failures: Guarded<FailureMessages>
  /// Kept outside the lock, since the reading thread updates it with each line.
  private let linesRead = Atomic<Int>(0)
  private let outputLoss = Guarded(OutputLoss())

  /// The loss of standard output, and the action on it.
  private struct OutputLoss {
    var cause: Interrupts.Cause?
    var action: (@Sendable (Interrupts.Cause) -> Void)?
  }

  /// - Parameters:
  ///   - file: receives all rows as well.
  ///   - bars: the progress bars on standard error, which may be the same terminal.
  ///   - earlier: the failures of the run before, if they are not to be told again.
  init(
    _ settings: Settings, messages: Messages, file: ReportFile?, bars: ProgressDisplay?, environment: Environment,
    earlier: EarlierFailures? = nil
  ) {
    self.settings = settings.report
    self.messages = messages
    self.file = file
    countsFailures = (!settings.report.exitsZero && settings.product != .dataSet) || settings.output.failFast
    isQuiet = settings.messages.quiet
    keepsParts = settings.fetcher.cacheFolder != nil && settings.fetch.policy.usesDisk
    begun = clock.now()
    self.earlier = earlier
    // The failures of shards are told nowhere else, and --again has its lines from shards.
    isList = !settings.list.inputs.isEmpty || settings.product == .dataSet
    let tellsNews = settings.report.printing == .new
    failures = Guarded(FailureMessages(waits: tellsNews))
    var state = State(toldHosts: tellsNews ? HostTally() : nil)
    if settings.product != .dataSet { state.failurePlace = .told(list: settings.output.failedList) }
    state.summary.started = clock.wallTime()
    state.summary.isDryRun = settings.cache.isDryRun
    if settings.product == .dataSet { state.summary.shards = 0 }
    self.state = Guarded(state)
    let isTerminal = ProcessEnvironment.isTerminal(1)
    output = Printer(
      stream, flushing: isTerminal || settings.report.isFramed ? .eachLine : .whenFull,
      bars: ProcessEnvironment.isSameTerminal(1, 2) ? bars : nil)
    window = Window(1, environment)
    // A dry run writes no image there, and so its rows.
    let holdsImage =
      settings.product == .outputs && settings.output.single == .standardOutput
      && (!settings.cache.isDryRun || settings.report.isFramed)
    form = Self.form(settings, environment, holdsImage: holdsImage, isTerminal: isTerminal)
    printsFailures =
      switch form {
      // There a failure has no row.
      case _ where tellsNews: true
      // On the same terminal the row says it.
      case .screen: !ProcessEnvironment.isSameTerminal(1, 2)
      case .shards: false
      case .nothing where settings.product == .dataSet: false
      case .json, .frames: !isQuiet
      case .nothing, .tabs, .template: true
      }
    isRead = if case .nothing = form { holdsImage } else { true }
  }

  /// - Parameter holdsImage: True if standard output carries an image's bytes, and so no results.
  private static func form(
    _ settings: Settings, _ environment: Environment, holdsImage: Bool, isTerminal: Bool
  ) -> Form {
    let (report, isQuiet) = (settings.report, settings.messages.quiet)
    if holdsImage { return report.isFramed ? .frames(ResultJSON(report)) : .nothing }
    if let template = report.writeOut { return .template(WriteOut(template)) }
    if settings.product == .dataSet {
      let hasRows = settings.dataSet.printsRows
      return report.isJSON || hasRows || !isQuiet ? .shards(isJSON: report.isJSON, hasRows: hasRows) : .nothing
    }
    if report.isJSON { return .json(ResultJSON(report)) }
    if isQuiet { return .nothing }
    if !isTerminal { return .tabs }
    return .screen(Style(hasColour: Messages.hasColour(settings.messages.color, 1, environment)))
  }

  /// Reports one image; `tag` belongs to the line that asked for it.
  func deliver(_ result: FetchResult, _ tag: LineTag) {
    let isKnown = result.error.map { earlier?.has(result.url, $0) == true } ?? false
    let message = state.withLock { state in
      if let error = result.error, countsFailures { state.exitCode.add(error) }
      if isKnown { state.known += 1 } else { state.toldHosts?.add(result) }
      return state.summary.add(result)
    }
    if let message, !isKnown { tell(message) }
    warn(of: result)
    // A row is made only if it is printed, since a result holds a dozen strings to copy.
    if !printsImages, file == nil, result.error == nil, !settings.ordered { return }
    let started = (result.begun ?? clock.now()) - begun
    let row = ResultRow(
      result, at: clock.wallTime(), tag: tag, startedMilliseconds: Double(started.nanoseconds) / 1e6,
      sha256: result.sha256)
    if settings.ordered {
      state.withLock { state in
        state.waiting[row.result.tag] = row
        printDue(&state)
      }
    } else {
      print(row)
    }
    checkOutput()
  }

  private func warn(of result: FetchResult) {
    // Images that shared a download carry no warning, and count only where a count is printed.
    if result.isStale {
      if hasRows, isQuiet { return }  // The row has it.
      return messages.warn(result.warnings.first, of: .stale)
    }
    for warning in result.warnings { messages.warn(warning, of: .notCached) }
  }

  /// Notes that this number has no row under `--ordered`, since the line belongs to another part. Called in the order
  /// of the lines.
  func skip(_ number: Int) {
    if !settings.ordered { return }
    state.withLock { state in
      if let last = state.skipped.last, last.upperBound == number {
        state.skipped[state.skipped.count - 1] = last.lowerBound..<number + 1
      } else {
        state.skipped.append(number..<number + 1)
      }
      printDue(&state)
    }
  }

  /// Prints the rows whose turn has come, under the lock, which keeps them in order.
  private func printDue(_ state: inout State) {
    while true {
      if let row = state.waiting.removeValue(forKey: state.next) {
        print(row)
        state.next += 1
      } else if let first = state.skipped.first, first.contains(state.next) {
        state.next = first.upperBound
        state.skipped.removeFirst()
      } else {
        return
      }
    }
  }

  /// The number of rows that wait for their turn.
  var waitingRows: Int { state.withLock { $0.waiting.count } }

  /// Updates the number of lines read so far. The run may be interrupted at any moment.
  func note(linesRead count: Int) { linesRead.store(count, ordering: .relaxed) }

  /// Notes that the whole input was read. Without this call, or after ``markIncomplete()``, the run is not complete.
  func noteEndOfInput() { state.withLock { if $0.reading == .underWay { $0.reading = .done } } }

  /// Notes that a part of the input is abandoned: a list cannot be read, or `--fail-fast` ended the run.
  func markIncomplete() { state.withLock { $0.reading = .brokenOff } }

  /// Records the lines that were read after the interrupt and not tried.
  ///
  /// - Parameters:
  ///   - count: The number of such lines.
  ///   - hasMore: True if the writer of a list had not finished.
  func note(untried count: Int, hasMore: Bool) {
    state.withLock { state in
      state.summary.untried = count
      state.summary.hasMore = hasMore
    }
  }

  /// Notes where the list of failures is, if not under the name that was given.
  func note(_ failures: Digest.Failures) { state.withLock { $0.failurePlace = failures } }

  /// Counts a failure that was printed elsewhere.
  func count(_ code: Int32) { state.withLock { $0.exitCode.add(code) } }

  /// Reports a failure that belongs to no image, such as a list that cannot be read.
  func fail(_ message: String, _ code: Int32) {
    state.withLock { $0.exitCode.add(code) }
    tell(message, isOfImage: false)
  }

  /// Prints the message of a failure, unless an equal one was printed or it waits for the end.
  private func tell(_ message: String, isOfImage: Bool = true) {
    if isOfImage, !printsFailures { return }
    if let message = failures.withLock({ $0.add(message) }) { messages.error(message) }
  }

  private func print(_ row: ResultRow) {
    // One message is enough for a host that does not answer. It was printed when the first of its images was given up.
    if let error = row.result.error, error.kind != .cancelled, !UnansweringHosts.tellsOnce(error),
      earlier?.has(row.result.url, error) != true
    {
      tell(error.message)
    }
    file?.add(row)
    guard settings.printing == .all || row.isNews else { return }
    switch form {
    case .nothing, .shards: break
    case .tabs: output.print { ResultLine.append(row, to: &$0) }
    case .screen(let style):
      // A hundred rows of cancelled images would hide the earlier ones. One line at the end counts them.
      if row.result.error?.kind == .cancelled { return }
      let line = ResultScreenLine(style: style, columns: window.columns)
      output.print { line.append(row, to: &$0) }
    case .json(let json): output.print { json.append(row, to: &$0) }
    case .frames(let json): print(row, json)
    case .template(let template): output.print { template.append(row, to: &$0) }
    }
  }

  /// Prints a row with the bytes that it tells of.
  private func print(_ row: ResultRow, _ json: ResultJSON) {
    var row = row
    let body = frames.take(row.result.tag)
    // An image that failed on its way here after its delivery has none.
    let delivered = row.result.error == nil ? body : nil
    row.result.bytes = delivered?.count
    output.print(followedBy: delivered) { json.append(row, to: &$0) }
  }

  /// True if each image has a row in JSON.
  private var hasRows: Bool {
    switch form {
    case .json, .frames: true
    default: false
    }
  }

  private var printsImages: Bool {
    switch form {
    case .nothing, .shards: false
    case .tabs, .screen, .json, .frames, .template: true
    }
  }

  /// Reports a finished shard. A reader may wait for it before it goes on.
  func report(_ shard: ShardReport) {
    state.withLock { $0.summary.shards = ($0.summary.shards ?? 0) + 1 }
    guard case .shards(let isJSON, let hasRows) = form else { return }
    var shard = shard
    do throws(ShardFailure) {
      if hasRows { try shard.shard.rows { row in output.print { $0.append(contentsOf: row) } } }
      if isJSON, shard.outcome != .made { shard.failures = try StandingFailures.read(shard.shard) }
    } catch {
      fail(error.message(of: shard.shard.path, "its rows cannot be read"), error.exitCode())
    }
    output.print { if isJSON { shard.appendJSON(to: &$0) } else { shard.appendLine(to: &$0) } }
    flush()
  }

  /// Reports a shard that is not made, for programs: a person reads why among the failures.
  func report(_ refusal: ShardReport.Refusal) {
    guard case .shards(isJSON: true, _) = form else { return }
    output.print { refusal.appendJSON(to: &$0) }
    flush()
  }

  /// Writes out the printed text.
  func flush() {
    file?.flush()
    output.flush()
    checkOutput()
  }

  /// Sets what to do, once, when results can no longer be written.
  func onOutputLoss(_ action: @escaping @Sendable (Interrupts.Cause) -> Void) {
    outputLoss.withLock { $0.action = action }
  }

  /// Gives up readers that take nothing for a second: the run ends.
  func stopWaiting() {
    output.stopWaiting()
    file?.stopWaiting()
    messages.stopWaiting()
  }

  /// True if results can no longer be written.
  var isLost: Bool { outputLoss.withLock { $0.cause != nil } }

  /// Notes that the reader of an image's bytes has gone.
  func noteClosedOutput() { noteLoss(.closedOutput) }

  private func checkOutput() {
    if let failure = output.failure {
      // If standard output was closed from the start (`>&-`), rows are not wanted, and the images are fetched all the
      // same.
      if failure.code != .badDescriptor { noteLoss(failure.code == .brokenPipe ? .closedOutput : .brokenOutput) }
    } else if let file, file.isBroken {
      noteLoss(file.hasLostReader ? .closedOutput : .brokenOutput)
    }
  }

  private func noteLoss(_ cause: Interrupts.Cause) {
    let action: (@Sendable (Interrupts.Cause) -> Void)? = outputLoss.withLock { outputLoss in
      if outputLoss.cause != nil { return nil }
      outputLoss.cause = cause
      return outputLoss.action
    }
    guard let action else { return }
    markIncomplete()
    action(cause)
  }

  /// The room that the run's images take in a cache, with the metadata stored beside each.
  var roomInCache: Int64 { state.withLock { $0.summary.bytes &+ 1024 &* Int64($0.summary.total) } }

  /// True if the digest is printed: at the end of a list on a terminal, after failures, and in the log of an
  /// interrupted run. For a single image its row has said everything.
  private func printsDigest(_ state: State, isInterrupted: Bool) -> Bool {
    let summary = state.summary
    let isCutShort = summary.brokenOff > 0 || summary.untried > 0 || summary.hasMore
    // Nothing was fetched for shards that were there.
    if case .shards = form, summary.isComplete, summary.total == 0 { return false }
    let isList = isList || summary.total > 1
    if isQuiet || settings.printing == .new { return isList && failures.withLock { !$0.isEmpty } }
    if case .screen = form { return isList || isCutShort }
    if case .shards(isJSON: false, _) = form, !summary.isComplete { return true }
    if !summary.isComplete, isInterrupted || isCutShort { return printsImages }
    return isList && (isAtTerminal || summary.failed > 0)
  }

  /// True if messages are read at a terminal.
  private var isAtTerminal: Bool { ProcessEnvironment.isTerminal(2) }

  /// Ends the run: prints the summary and returns the exit code. If the run is interrupted while it ends by itself, two
  /// threads call this: the first one prints, and the second waits for it, since returning from here ends the process.
  func finish(because cause: Interrupts.Cause? = nil) -> Int32 {
    let (summary, isFirst, left) = state.withLock { state in
      switch cause {
      case .signal(let number): state.exitCode.interrupt(by: number)
      case .closedOutput: state.exitCode.interrupt(with: ExitCode.brokenPipe)
      case .brokenOutput, nil: break
      }
      defer { state.isFinishing = true }
      let left = state.waiting.sorted { $0.key < $1.key }.map(\.value)
      state.waiting = [:]
      state.summary.lines = linesRead.load(ordering: .relaxed)
      state.summary.isComplete = state.reading == .done && cause == nil
      return (state.summary, !state.isFinishing, left)
    }
    if isFirst {
      for row in left { print(row) }
      printSummary(summary, cause)
      state.withLock { $0.isFinished = true }
      state.broadcast()
    }
    return state.wait { $0.isFinished ? $0.exitCode.value : nil } ?? ExitCode.mixed
  }

  private func printSummary(_ summary: Summary, _ cause: Interrupts.Cause?) {
    let elapsed = Double((clock.now() - begun).nanoseconds) / 1e6
    let isJSON =
      switch form {
      case .json, .frames, .shards(isJSON: true, _): true
      default: false
      }
    if isJSON { output.print { summary.appendJSON(elapsedMilliseconds: elapsed, to: &$0) } }
    output.flush()
    file?.add { summary.appendJSON(elapsedMilliseconds: elapsed, to: &$0) }
    do throws(FetchError) { try file?.close() } catch {
      if file?.hasLostReader != true { fail(error.message, ExitCode.file) }
    }
    if cause == .closedOutput || output.failure?.code == .brokenPipe || file?.hasLostReader == true
      || outputLoss.withLock({ $0.cause }) == .closedOutput
    {
      // A reader that has gone wants no messages either.
      return state.withLock { $0.exitCode.interrupt(with: ExitCode.brokenPipe) }
    }
    if let failure = output.failure ?? lateFailure { fail(Printer.message(of: failure), ExitCode.file) }
    for message in failures.withLock({ $0.takeRest() }) { messages.error(message) }
    messages.printQuietWarnings()
    printDigest(summary, elapsedMilliseconds: elapsed, cause)
  }

  private func printDigest(_ summary: Summary, elapsedMilliseconds: Double, _ cause: Interrupts.Cause?) {
    let state = state.withLock { $0 }
    guard printsDigest(state, isInterrupted: cause != nil) else { return }
    let digest = Digest(
      summary: summary, elapsedMilliseconds: elapsedMilliseconds, hosts: state.toldHosts ?? summary.hosts,
      known: state.known, keepsParts: keepsParts, failures: state.failurePlace)
    messages.digest(digest.lines)
  }

  /// The error of a network's disk that has lost bytes which it had accepted.
  private var lateFailure: SystemError? {
    do throws(SystemError) { try stream.file.flush() } catch { return error }
    return nil
  }
}

extension ResultJSON {
  /// Makes rows with the fields that were requested in addition.
  init(_ settings: ReportSettings) { self.init(headers: settings.jsonHeaders, checksum: settings.checksum) }
}
