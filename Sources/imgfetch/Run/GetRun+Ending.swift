import ImgfetchCore

// How a run ends: regularly, or interrupted, with the untried lines saved for another run.
extension GetRun {
  /// Ends the run in order, on a separate thread: the main thread may be blocked in a read.
  func breakOff(_ cause: Interrupts.Cause) {
    let clock = SystemClock()
    let deadline = clock.now() + Self.patience
    reporter.stopWaiting()
    endEarly()
    executor.stop()
    // If the reader of the results has gone, the number of remaining lines is of no use.
    if case .signal = cause { saveUntriedLines() } else if settings.output.failedList != nil { saveUntriedLines() }
    fetcher.wait(atMost: (deadline - clock.now()).duration)
    packing?.stop(atMost: Self.patience)
    ProcessEnvironment.exit(end(because: cause))
  }

  /// Stops reading and starting requests, and cancels those in flight.
  func endEarly() {
    stop.set()
    unique?.cancel()
    fetcher.cancelAll()
  }

  private func keepCookies() {
    if isDryRun { return }
    do throws(FetchError) { try CookieFile.keep(of: fetcher, settings) } catch {
      reporter.fail(error.message, ExitCode.file)
    }
  }

  func end(because cause: Interrupts.Cause? = nil) -> Int32 {
    bars?.end()
    keepCookies()
    for warning in outputs.warnings.sentences { reporter.messages.warn(warning) }
    let (isDone, unread) = input.withLock { ($0.list.isDone, $0.list.unread) }
    if cause == nil, isDone, !stop.isSet { prune() }
    // Nothing has the lines then.
    if isDryRun || failedList.isStream { reporter.note(.toldOnly) }
    switch failedList.close(isComplete: isDone, unread: unread) {
    case .fine: break
    case .written(let path, let wanted):
      reporter.messages.warn(
        "\(wanted): this file is kept, since it is no --failed-list of an earlier run; the list of failures is \(path)")
      reporter.note(.told(list: path))
    case .failed(let error):
      reporter.fail(error.message, ExitCode.file)
      reporter.note(.toldOnly)
    case .leftAlone(let path):
      reporter.messages.warn("\(path): nothing failed, and this file is kept, since --failed-list did not write it")
    }
    return reporter.finish(because: cause)
  }

  /// Removes files that no line wanted, after a complete run.
  private func prune() {
    func sentence(_ paths: [String], _ verb: String) -> String {
      "\(Amount.count(paths.count, "file")) that no line wants: \(verb) (\(Pruning.shown(paths)))"
    }
    switch pruning?.run(isTrial: isDryRun) {
    case .removed(let paths, let left)?:
      if !paths.isEmpty { reporter.messages.note(sentence(paths, isDryRun ? "would be removed" : "removed")) }
      if !left.isEmpty { reporter.messages.warn(sentence(left, "could not be removed")) }
    case .refused(let reason)?: reporter.messages.warn(reason)
    case nil: break
    }
  }

  /// Adds the lines that were not tried to the list of failed lines, and counts them.
  ///
  /// Called by the thread that waits for signals and by the reading thread; the first one does the work, the other
  /// waits until it is done. The main thread may be in the middle of a long operation, so that waiting for it is not an
  /// option.
  func saveUntriedLines() {
    let isFirst = untriedLines.withLock { state in
      defer { if state == .notStarted { state = .running } }
      return state == .notStarted
    }
    guard isFirst else { return untriedLines.wait { $0 == .done ? () : nil } ?? () }
    readUntriedLines()
    untriedLines.withLock { $0 = .done }
    untriedLines.broadcast()
  }

  /// The time that ending the run may take, and so the time in which the rest of a stream may arrive.
  static let patience = Instant.Span.seconds(1)

  private func readUntriedLines() {
    let clock = SystemClock()
    let deadline = clock.now() + Self.patience
    let waker = Waker()
    var count = saveDeferredLines()
    var hasMore = false
    var isReady = false
    while let text = nextText(isReady: isReady) {
      isReady = false
      switch text {
      case .line(let line):
        guard isInPart(line) else {
          failedList.pass()
          continue
        }
        let (table, place) = input.withLock { ($0.list.table, $0.list.number) }
        failedList.add(line, of: table, at: place)
        count += 1
      case .pending(let stream):
        // A user at a terminal has just ended the run, and lines that are not kept need not be waited for.
        let isAwaited = settings.output.failedList != nil && !ProcessEnvironment.isTerminal(stream.file.raw)
        let left = deadline - clock.now()
        if left > .milliseconds(0), waker.wait(for: stream, atMost: isAwaited ? left : .milliseconds(0)) == .ready {
          isReady = true
        } else {
          if isAwaited || count > 0 { hasMore = true }
          input.withLock { $0.list.skipList() }
        }
      }
    }
    reporter.note(untried: count, hasMore: hasMore)
  }

  /// The deferred lines, which come before those that were not read.
  private func saveDeferredLines() -> Int {
    input.withLock { input in
      let lines = feeder.takeAll().map(DeferredLine.init).sorted { $0.index < $1.index }
      for line in lines {
        let table = input.deferred.table(of: line)
        failedList.add(input.deferred.removeText(of: line), of: table, number: line.index, at: line.number)
      }
      return lines.count
    }
  }

  /// Read errors are reported, as they would have been in their turn.
  private func nextText(isReady: Bool) -> InputList.Text? {
    while true {
      do throws(InputList.Failure) {
        return try input.withLock { input throws(InputList.Failure) in
          defer {
            reporter.note(linesRead: input.list.lines)
            failedList.note(input.list.table)
          }
          return try input.list.nextText(isReady: isReady)
        }
      } catch {
        // A list whose download the interrupt has ended.
        if error.kind == .cancelled { return nil }
        reporter.fail(error.message, error.exitCode)
      }
    }
  }

  private func isInPart(_ line: ArraySlice<UInt8>) -> Bool {
    if settings.list.part == nil { return true }
    guard let url = input.withLock({ $0.list.url(of: line) }) else { return isInPart(ContentHash(of: line.span)) }
    return isInPart(ContentHash(of: settings.fetch.keyFilter.key(for: url).utf8Span.span))
  }
}

/// Ties a run and the data set that it makes, each of which needs the other.
final class PackLink: Sendable {
  let run = Guarded<GetRun?>(nil)

  func events(_ reporter: Reporter) -> PackEvents {
    PackEvents(
      report: { [self] shard in
        reporter.report(shard)
        run.withLock { $0 }?.bars?.finishShard()
      },
      refuse: { reporter.report($0) },
      fail: { reporter.fail($0, $1) },
      end: { [self] message, code in
        reporter.markIncomplete()
        reporter.fail(message, code)
        run.withLock { $0 }?.endEarly()
      },
      warn: { reporter.messages.warn($0) },
      whenClosed: { [self] shard in
        let run = run.withLock { $0 }
        run?.packing?.close(shard)
        run?.stop.wake()
      })
  }
}
