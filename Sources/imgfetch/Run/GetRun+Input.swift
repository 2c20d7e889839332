import ImgfetchCore

// From the input to the fetcher, on the main thread.
extension GetRun {
  /// Where the reading is.
  struct Place {
    /// Lines so far: what `{index}` says, the same for every shard of a list, and the number by which a line is known.
    var index = 0
    /// Lines that wait for their hosts.
    var aside = 0
    /// Whether there was a URL among the lines.
    var hasURL = false
    /// Whether all has been read, though lines may be waiting.
    var isAtEnd = false
    /// Whether the lines are being counted, for the progress display.
    var isCounted = false
  }

  func readInput() {
    var plan = OutputPlan(
      settings.output, files: places,
      standardOutput: StandardOutputSink(reporter.stream) { [reporter] in reporter.noteClosedOutput() },
      isPrefetch: isPrefetch)
    var place = Place()
    var isReady = false
    while !stop.isSet {
      if place.aside > 0 { submitDue(&place, &plan) }
      if place.isAtEnd && place.aside == 0 { return reporter.noteEndOfInput() }
      if !mayRead(place) { continue }
      do throws(InputList.Failure) {
        let item = try next(&place, isReady: isReady)
        isReady = false
        switch item {
        case .line(let line): ask(line, &place, &plan)
        case .flawed(let line): refuse(line, place.index)
        case .pending(let stream):
          // The writer of the list may be waiting for an answer before the next line.
          fetcher.kick()
          reporter.flush()
          isReady = sleep(place, orUntilReady: stream)
        case nil:
          bars?.noteEndOfInput()
          place.isAtEnd = true
        }
      } catch {
        reporter.noteBreakingOff()
        reporter.fail(error.message, ExitCode.file)
        if settings.output.failFast { break }
      }
    }
    // Where the reader of the results has gone, the number of lines left is of no use.
    if !reporter.isLost || settings.output.failedList != nil { keepUntried() }
  }

  /// Rows of `--ordered` that may wait for an earlier one before reading pauses: some megabytes.
  private static let mostWaitingRows = 10_000

  /// Whether there is room for what a further line brings. Where there is not, that is known after some answers.
  private func mayRead(_ place: Place) -> Bool {
    if settings.report.ordered, reporter.waitingRows >= Self.mostWaitingRows, fetcher.outstanding > 0 {
      fetcher.wait(untilOutstanding: fetcher.outstanding - 1)
      return false
    }
    if place.aside > 0, place.isAtEnd || ahead.withLock({ !$0.mayOffer }) {
      sleep(place)
      return false
    }
    return true
  }

  /// Sleeps until a line that waits for its host may go out, or until a stream can be read: then the answer is true.
  @discardableResult
  private func sleep(_ place: Place, orUntilReady stream: SharedDescriptor? = nil) -> Bool {
    if place.aside > 0 {
      fetcher.kick()
      if !ahead.withLock({ $0.noteSleep() }) { return false }
    }
    return stop.wait(for: stream)
  }

  /// The next line. Under one lock with its entry among those that have no answer yet: who breaks the run off meanwhile finds it either
  /// there or unread.
  private func next(_ place: inout Place, isReady: Bool) throws(InputList.Failure) -> InputList.Item? {
    try input.withLock { input throws(InputList.Failure) in
      defer { reporter.note(linesRead: input.list.lines) }
      let item = try input.list.next(isReady: isReady)
      switch item {
      case .line(let line):
        place.index += 1
        failures.begin(place.index, line.text.utf8)
      case .flawed(let line):
        place.index += 1
        failures.begin(place.index, line.text)
      case .pending, nil: break
      }
      return item
    }
  }

  /// Waits for answers, since there is no room for a further request.
  func pause(_ place: inout Place) {
    if !place.isCounted {
      place.isCounted = true
      countLines()
    }
    let (mayReadOn, isReadingOn) = ahead.withLock { ($0.mayReadOn, $0.isReadingOn) }
    if isReadingOn {
      fetcher.wait(untilOutstanding: max(0, fetcher.outstanding - 1))
    } else if !mayReadOn {
      fetcher.wait(untilOutstanding: fetcher.window / 2)
    } else if !fetcher.wait(untilOutstanding: fetcher.window / 2, patience: Fetcher.patience) {
      ahead.withLock { $0.readOn() }
    }
  }

  /// Has the progress display know how many there are. Not before the first requests are under way, and only for a list that is longer
  /// than what is looked at ahead: the end of a shorter one comes sooner.
  private func countLines() {
    guard let bars, let lineCount else { return }
    _ = try? Threads.start(name: "imgfetch-count") {
      if let count = lineCount.count() { bars.expect(lines: count) }
    }
  }
}
