import ImgfetchCore

// How a run ends: regularly, or interrupted, with the untried lines saved for another run.
extension GetRun {
  /// Cleans the cache after the last result.
  ///
  /// --max-age says which images this run accepts, not which ones others still need: older entries are used by other runs, and for
  /// their validators. So it can only make this cleaning more lenient. An offline run could not fetch again what it removes, and
  /// does not clean.
  func cleanCache() {
    guard settings.cache.autoClean, settings.fetch.policy != .only else { return }
    fetcher.cleanCacheIfDue(
      maximumAge: max(settings.fetch.maximumAge, Self.usualMaximumAge), maximumSize: Int64(settings.cache.maxSize))
  }

  /// A week, the default of `cache clean`.
  private static let usualMaximumAge: Double = 7 * 86_400

  /// Ends the run in order, on a thread of its own: the main thread may be blocked in a read.
  func breakOff(_ cause: Interrupts.Cause) {
    let clock = SystemClock()
    let deadline = clock.now() + Self.patience
    endEarly()
    // If the reader of the results has gone, the number of remaining lines is of no use.
    if case .signal = cause { saveUntriedLines() } else if settings.output.failedList != nil { saveUntriedLines() }
    fetcher.wait(atMost: (deadline - clock.now()).seconds)
    Surroundings.exit(end(because: cause))
  }

  /// Stops reading and starting requests, and cancels those in flight.
  func endEarly() {
    stop.set()
    fetcher.cancelAll()
  }

  private func keepCookies() {
    guard let path = settings.credentials.cookieJar, let jar = fetcher.changedCookies else { return }
    do throws(FetchError) { try CookieFile.write(jar, to: path) } catch { reporter.fail(error.message, ExitCode.file) }
  }

  func end(because cause: Interrupts.Cause? = nil) -> Int32 {
    bars?.end()
    keepCookies()
    for warning in outputs.warnings.sentences { reporter.messages.warn(warning) }
    let (isDone, unread) = input.withLock { ($0.list.isDone, $0.list.unread) }
    switch failedList.close(isComplete: isDone, unread: unread) {
    case .fine: break
    case .failed(let error): reporter.fail(error.message, ExitCode.file)
    case .leftAlone(let path):
      reporter.messages.warn("\(path): nothing failed, and this file is kept, since --failed-list did not write it")
    }
    return reporter.finish(because: cause)
  }

  /// Adds the lines that were not tried to the list of failed lines, and counts them.
  ///
  /// Called by the thread that waits for signals and by the reading thread; the first one does the work, the other waits until it
  /// is done. The main thread may be in the middle of a long operation, so that waiting for it is not an option.
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

  /// How long ending the run may take, and so how long the rest of a stream may take to arrive.
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
        if !isInShard(line) { continue }
        failedList.add(line)
        count += 1
      case .pending(let stream):
        // A user at a terminal has just ended the run, and lines that are not kept need not be waited for.
        let isAwaited = settings.output.failedList != nil && !Surroundings.isTerminal(stream.file.raw)
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
      let lines = lookAhead.withLock { $0.takeAll() }.map(DeferredLine.init).sorted { $0.index < $1.index }
      for line in lines { failedList.add(input.deferred.removeText(of: line)) }
      return lines.count
    }
  }

  /// Read errors are reported, as they would have been in their turn.
  private func nextText(isReady: Bool) -> InputList.Text? {
    while true {
      do throws(InputList.Failure) {
        return try input.withLock { input throws(InputList.Failure) in
          defer { reporter.note(linesRead: input.list.lines) }
          return try input.list.nextText(isReady: isReady)
        }
      } catch { reporter.fail(error.message, ExitCode.file) }
    }
  }

  private func isInShard(_ line: ArraySlice<UInt8>) -> Bool {
    if settings.list.shard == nil { return true }
    guard let url = (try? InputLine(line))?.url else { return isInShard(ContentHash(of: line.span)) }
    return isInShard(ContentHash(of: settings.fetch.keyFilter.key(for: url).utf8Span.span))
  }
}
