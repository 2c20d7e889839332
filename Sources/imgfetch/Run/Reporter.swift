import ImgfetchCore
import Synchronization

/// Says what became of each image, and of the run: results on standard output, everything else on standard error.
///
/// It owns the run's summary and exit code. Results come from several threads, lines are never mixed.
final class Reporter: Sendable {
  private enum Form: Sendable {
    case nothing
    case tabs
    case screen(Style)
    case json(ResultJSON)
    case template(WriteOut)
  }

  private enum Reading {
    case underWay
    /// To their end.
    case done
    /// One of them could not be read on, or the run does not go on with them.
    case brokenOff
  }

  private struct State {
    var summary = Summary()
    var exitCode = ExitCode()
    /// Under `--ordered`: what has come before its turn, and whose turn it is.
    var waiting: [Int: ResultRow] = [:]
    var next = 1
    /// Numbers that have no row, in order and those that follow one another together.
    var passed: [Range<Int>] = []
    /// What became of the lists.
    var reading = Reading.underWay
    var isFinishing = false
    var isFinished = false
  }

  let messages: Messages
  /// Standard output itself, for an image's bytes.
  let stream = SharedDescriptor.standardOutput
  /// Whether anything is written there that has a reader.
  let isRead: Bool
  private let output: Printer
  private let form: Form
  private let window: Window
  private let settings: ReportSettings
  private let file: ReportFile?
  /// Whether failures are told on standard error. A person who reads the result line has read the reason, and a program that wants
  /// nothing said beside its rows has it there.
  private let tellsFailures: Bool
  /// Whether images that failed decide the exit code. With `--exit-zero` they do where they end the run.
  private let countsFailures: Bool
  private let isQuiet: Bool
  /// Whether the cache keeps what has come of an image that is broken off.
  private let keepsParts: Bool
  private let begun: Instant
  private let state = Guarded(State())
  /// Beside the lock: counted with each line, on the thread that reads.
  private let linesRead = Atomic<Int>(0)
  private let loss = Guarded(Loss())

  /// That results cannot be handed over any more, and what is done then.
  private struct Loss {
    var cause: Interrupts.Cause?
    var action: (@Sendable (Interrupts.Cause) -> Void)?
  }

  /// - Parameters:
  ///   - file: what takes all rows besides.
  ///   - bars: what is drawn on standard error, which may be the terminal that results go to.
  ///   - holdsImage: standard output carries an image's bytes, so results have no place there.
  init(
    _ settings: Settings, messages: Messages, file: ReportFile?, bars: ProgressDisplay?, environment: Environment,
    holdsImage: Bool
  ) {
    self.settings = settings.report
    self.messages = messages
    self.file = file
    countsFailures = !settings.report.exitsZero || settings.output.failFast
    isQuiet = settings.messages.quiet
    keepsParts = settings.fetcher.cacheFolder != nil && settings.fetch.policy.usesDisk
    begun = SystemClock().now()
    let isTerminal = Surroundings.isTerminal(1)
    output = Printer(
      stream, flushing: isTerminal ? .eachLine : .whenFull, bars: Surroundings.isSameTerminal(1, 2) ? bars : nil)
    window = Window(1, environment)
    if holdsImage {
      form = .nothing
    } else if let template = settings.report.writeOut {
      form = .template(WriteOut(template))
    } else if settings.report.isJSON {
      form = .json(ResultJSON(settings.report))
    } else if isQuiet {
      form = .nothing
    } else if isTerminal {
      form = .screen(Style(hasColour: Messages.hasColour(settings.messages.color, 1, environment)))
    } else {
      form = .tabs
    }
    tellsFailures =
      switch form {
      case .screen: false
      case .json: !isQuiet
      case .nothing, .tabs, .template: true
      }
    isRead = if case .nothing = form { holdsImage } else { true }
  }

  /// One image is done with, one way or the other; `tag` is of the line that asked for it.
  func deliver(_ result: FetchResult, _ tag: LineTag) {
    state.withLock { state in
      state.summary.add(result)
      if let error = result.error, countsFailures { state.exitCode.add(error) }
    }
    warn(of: result)
    // Without a row to print, no row is made: a result holds a dozen texts to be copied.
    if case .nothing = form, file == nil, result.error == nil, !settings.ordered { return }
    let started = (result.begun ?? SystemClock().now()) - begun
    let row = ResultRow(
      result, tag: tag, startedMilliseconds: Double(started.nanoseconds) / 1e6, sha256: result.sha256)
    if settings.ordered {
      state.withLock { state in
        state.waiting[row.result.tag] = row
        printDue(&state)
      }
    } else {
      print(row)
    }
    noteLoss()
  }

  private func warn(of result: FetchResult) {
    // Those that ride on another's download have no words of their own, and are counted where only the count is told.
    if result.isStale {
      if case .json = form, isQuiet { return }  // The row has it.
      return messages.warn(result.warnings.first, of: .stale)
    }
    for warning in result.warnings { messages.warn(warning, of: .notCached) }
  }

  /// Under `--ordered`: there is no row of this number, since another machine has the line. To be called in the order of the lines.
  func pass(_ number: Int) {
    if !settings.ordered { return }
    state.withLock { state in
      if let last = state.passed.last, last.upperBound == number {
        state.passed[state.passed.count - 1] = last.lowerBound..<number + 1
      } else {
        state.passed.append(number..<number + 1)
      }
      printDue(&state)
    }
  }

  /// Prints what is not waiting for anything any more, under the lock: that is what keeps the rows in order.
  private func printDue(_ state: inout State) {
    while true {
      if let row = state.waiting.removeValue(forKey: state.next) {
        print(row)
        state.next += 1
      } else if let first = state.passed.first, first.contains(state.next) {
        state.next = first.upperBound
        state.passed.removeFirst()
      } else {
        return
      }
    }
  }

  /// How many rows wait for their turn.
  var waitingRows: Int { state.withLock { $0.waiting.count } }

  /// So many lines of the lists have been read by now. A run may be interrupted at any moment, so this is said as it goes.
  func note(linesRead count: Int) { linesRead.store(count, ordering: .relaxed) }

  /// All that was asked for has been read. Without this, or after ``noteBreakingOff()``, the run is not complete.
  func noteEndOfInput() {
    state.withLock { if $0.reading == .underWay { $0.reading = .done } }
  }

  /// Something that was asked for is not looked at any more: a list cannot be read on, or a failure was enough (`--fail-fast`).
  func noteBreakingOff() { state.withLock { $0.reading = .brokenOff } }

  /// So many lines were read after the run was broken off, and not tried.
  ///
  /// - Parameter hasMore: whether the one who writes the list had not come to an end.
  func note(untried count: Int, hasMore: Bool) {
    state.withLock { state in
      state.summary.untried = count
      state.summary.hasMore = hasMore
    }
  }

  /// A failure that belongs to no image: a list that cannot be read.
  func fail(_ message: String, _ code: Int32) {
    state.withLock { $0.exitCode.add(code) }
    messages.say(message)
  }

  private func print(_ row: ResultRow) {
    if let error = row.result.error, error.kind != .cancelled, tellsFailures { messages.say(error.message) }
    file?.add(row)
    guard settings.printing == .all || row.isNews else { return }
    switch form {
    case .nothing: break
    case .tabs: output.print { ResultLine.append(row, to: &$0) }
    case .screen(let style):
      // A hundred rows that all say "broken off" would push away what came before; one line counts them in the end.
      if row.result.error?.kind == .cancelled { return }
      let line = ResultScreenLine(style: style, columns: window.columns)
      output.print { line.append(row, to: &$0) }
    case .json(let json): output.print { json.append(row, to: &$0) }
    case .template(let template): output.print { template.append(row, to: &$0) }
    }
  }

  /// Has what was printed leave the program.
  func flush() {
    output.flush()
    noteLoss()
  }

  /// What is done, once, when results cannot be handed over any more.
  func onLoss(_ action: @escaping @Sendable (Interrupts.Cause) -> Void) { loss.withLock { $0.action = action } }

  /// Whether they cannot be handed over any more.
  var isLost: Bool { loss.withLock { $0.cause != nil } }

  /// The reader of an image's bytes has gone.
  func noteClosedOutput() { lose(.closedOutput) }

  private func noteLoss() {
    if let failure = output.failure {
      // With a standard output that was closed from the start (`>&-`) rows are not waited for, and the images are fetched all the same.
      if failure.code != .badDescriptor { lose(failure.code == .brokenPipe ? .closedOutput : .brokenOutput) }
    } else if file?.isBroken == true {
      lose(.brokenOutput)
    }
  }

  private func lose(_ cause: Interrupts.Cause) {
    let action: (@Sendable (Interrupts.Cause) -> Void)? = loss.withLock { loss in
      if loss.cause != nil { return nil }
      loss.cause = cause
      return loss.action
    }
    guard let action else { return }
    noteBreakingOff()
    action(cause)
  }

  /// Whether the summary is put into words: for a person; and for the log of a run that was broken off, where only rows tell how far
  /// it got. One image that failed has been told already.
  private func tells(_ summary: Summary, isInterrupted: Bool) -> Bool {
    switch form {
    case .screen: summary.total > 1 || summary.brokenOff > 0 || summary.untried > 0 || summary.hasMore
    case .tabs, .template:
      !summary.isComplete && (summary.total > (isInterrupted ? 0 : 1) || summary.untried > 0 || summary.hasMore)
    case .json, .nothing: false
    }
  }

  /// The end of the run: the summary, and the exit code. Where a run is broken off as it ends by itself, two threads end it: the
  /// first prints, and the second waits for that, since what it returns to is the process's exit.
  func finish(because cause: Interrupts.Cause? = nil) -> Int32 {
    let (summary, isFirst, left) = state.withLock { state in
      switch cause {
      case .signal(let number): state.exitCode.interrupt(by: number)
      case .closedOutput: state.exitCode.interrupt(with: ExitCode.unheard)
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
      conclude(summary, cause)
      state.withLock { $0.isFinished = true }
      state.broadcast()
    }
    return state.wait { $0.isFinished ? $0.exitCode.value : nil } ?? ExitCode.mixed
  }

  private func conclude(_ summary: Summary, _ cause: Interrupts.Cause?) {
    let elapsed = Double((SystemClock().now() - begun).nanoseconds) / 1e6
    if case .json = form { output.print { summary.appendJSON(elapsedMilliseconds: elapsed, to: &$0) } }
    output.flush()
    file?.add { summary.appendJSON(elapsedMilliseconds: elapsed, to: &$0) }
    do throws(FetchError) { try file?.close() } catch { fail(error.message, ExitCode.file) }
    if cause == .closedOutput || output.failure?.code == .brokenPipe || loss.withLock({ $0.cause }) == .closedOutput {
      // Who stops reading has seen enough, and wants to hear no more.
      return state.withLock { $0.exitCode.interrupt(with: ExitCode.unheard) }
    }
    messages.tellOwner()
    if tells(summary, isInterrupted: cause != nil) {
      messages.note(summary.sentence(elapsedMilliseconds: elapsed))
      if summary.brokenOff > 0, keepsParts {
        let verb = summary.brokenOff == 1 ? "was" : "were"
        messages.note(
          "what came of \(Amount.count(summary.brokenOff, "image")) that \(verb) broken off is kept for the next run")
      }
    }
    if let failure = output.failure { fail("standard output: \(failure.code)", ExitCode.file) }
  }
}

extension ResultJSON {
  /// With what was asked for beyond the fields that are always there.
  init(_ settings: ReportSettings) { self.init(headers: settings.jsonHeaders, checksum: settings.checksum) }
}
