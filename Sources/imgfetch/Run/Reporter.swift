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
    var waiting: [Int: ReportRow] = [:]
    var next = 1
    /// What became of the lists.
    var reading = Reading.underWay
    var isFinishing = false
    var isFinished = false
  }

  let messages: Messages
  /// Standard output itself, for an image's bytes.
  let stream = SharedDescriptor.standardOutput
  private let output: Printer
  private let form: Form
  private let window: Window
  private let settings: ReportSettings
  private let isQuiet: Bool
  private let begun: Instant
  private let state = Guarded(State())
  /// Beside the lock: counted with each line, on the thread that reads.
  private let linesRead = Atomic<Int>(0)

  /// - Parameters:
  ///   - bars: what is drawn on standard error, which may be the terminal that results go to.
  ///   - holdsImage: standard output carries an image's bytes, so results have no place there.
  init(
    _ settings: GetSettings, messages: Messages, bars: ProgressDisplay?, environment: Environment, holdsImage: Bool
  ) {
    self.settings = settings.report
    self.messages = messages
    isQuiet = settings.messages.quiet
    begun = SystemClock().now()
    let isTerminal = Surroundings.isTerminal(1)
    output = Printer(stream, flushing: isTerminal ? .eachLine : .whenFull, bars: isTerminal ? bars : nil)
    window = Window(1, environment)
    if holdsImage || isQuiet {
      form = .nothing
    } else if let template = settings.report.writeOut {
      form = .template(WriteOut(template))
    } else if settings.report.isJSON {
      form = .json(ResultJSON(headers: settings.report.jsonHeaders, checksum: settings.report.checksum))
    } else if isTerminal {
      form = .screen(Style(hasColour: Messages.hasColour(settings.messages.color, 1, environment)))
    } else {
      form = .tabs
    }
  }

  /// One image is done with, one way or the other; `tag` is of the line that asked for it.
  func deliver(_ result: FetchResult, _ tag: LineTag) {
    state.withLock { state in
      state.summary.add(result)
      if let error = result.error { state.exitCode.add(error) }
    }
    for warning in result.warnings { messages.warn(warning) }
    // Without a row to print, no row is made: a result holds a dozen texts to be copied.
    if case .nothing = form, result.error == nil, !settings.ordered { return }
    let started = (result.begun ?? SystemClock().now()) - begun
    let row = ReportRow(
      result, tag: tag, startedMilliseconds: Double(started.nanoseconds) / 1e6, sha256: result.sha256)
    if !settings.ordered { return print(row) }
    // Printed under the lock: that is what keeps them in order.
    state.withLock { state in
      state.waiting[row.result.tag] = row
      while let row = state.waiting.removeValue(forKey: state.next) {
        print(row)
        state.next += 1
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

  /// A failure that belongs to no image: a list that cannot be read.
  func fail(_ message: String, _ code: Int32) {
    state.withLock { $0.exitCode.add(code) }
    messages.say(message)
  }

  private func print(_ row: ReportRow) {
    if let error = row.result.error, error.kind != .cancelled { tell(error) }
    guard settings.printing == .all || row.isNews else { return }
    switch form {
    case .nothing: break
    case .tabs: output.print { ResultLine.append(row, to: &$0) }
    case .screen(let style):
      let line = ResultScreenLine(style: style, columns: window.columns)
      output.print { line.append(row, to: &$0) }
    case .json(let json): output.print { json.append(row, to: &$0) }
    case .template(let template): output.print { template.append(row, to: &$0) }
    }
  }

  private func tell(_ error: FetchError) {
    // A person who reads the result line has read the reason.
    if case .screen = form { return }
    messages.say(error.message)
  }

  /// Has what was printed leave the program.
  func flush() { output.flush() }

  /// Whether the one who reads the results has gone: there is nobody to work for.
  var isUnheard: Bool { output.failure?.code == .brokenPipe }

  /// Whether the summary is put into words: for a person; and for the log of a run that was broken off, where only rows tell how far
  /// it got. One image that failed has been told already.
  private func tells(_ summary: Summary, isInterrupted: Bool) -> Bool {
    switch form {
    case .screen: summary.total > 1
    case .tabs, .template: !summary.isComplete && summary.total > (isInterrupted ? 0 : 1)
    case .json, .nothing: false
    }
  }

  /// The end of the run: the summary, and the exit code. Where a signal comes as the run ends by itself, two threads end it: the
  /// first prints, and the second waits for that, since what it returns to is the process's exit.
  func finish(signal: Int32? = nil) -> Int32 {
    let (summary, code, isFirst, left) = state.withLock { state in
      if let signal { state.exitCode.interrupt(by: signal) }
      defer { state.isFinishing = true }
      let left = state.waiting.sorted { $0.key < $1.key }.map(\.value)
      state.waiting = [:]
      state.summary.lines = linesRead.load(ordering: .relaxed)
      state.summary.isComplete = state.reading == .done && signal == nil
      return (state.summary, state.exitCode.value, !state.isFinishing, left)
    }
    guard isFirst else { return state.wait { $0.isFinished ? code : nil } ?? code }
    defer {
      state.withLock { $0.isFinished = true }
      state.broadcast()
    }
    for row in left { print(row) }
    let elapsed = Double((SystemClock().now() - begun).nanoseconds) / 1e6
    if case .json = form { output.print { summary.appendJSON(elapsedMilliseconds: elapsed, to: &$0) } }
    output.flush()
    if tells(summary, isInterrupted: signal != nil) { messages.note(summary.sentence(elapsedMilliseconds: elapsed)) }
    if let failure = output.failure, failure.code != .brokenPipe {
      messages.say("standard output: \(failure.code)")
      return code == 0 ? ExitCode.file : code
    }
    return code
  }
}
