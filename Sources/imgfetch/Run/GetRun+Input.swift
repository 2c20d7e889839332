import ImgfetchCore
import ImgfetchDataSet

// From the input to the fetcher, on the main thread.
extension GetRun {
  /// The place that reading of the input has reached.
  struct ReadPosition {
    /// Lines so far: the value of `{index}`, the same for every part of a list, and the number that identifies a line.
    var index = 0
    /// Lines that wait for their hosts.
    var deferred = 0
    /// The hash of the line that names the columns of the last record, if it is one of a table.
    var header: ContentHash?
    /// The column that an option names and no record has had so far; nil if there is none.
    var missingColumn: String?
    var hasShortRecord = false
    var hasURL = false
    /// True if everything has been read, though lines may be deferred.
    var isAtEnd = false
    /// True if the lines are being counted for the progress display.
    var isCounted = false
  }

  func readInput() {
    let standardOutput: any ImageSink =
      settings.report.isFramed
      ? reporter.frames : StandardOutputSink(reporter.stream) { [reporter] in reporter.noteClosedOutput() }
    var plan = OutputPlan(
      settings, files: outputs, place: place, standardOutput: standardOutput)
    var position = ReadPosition()
    var isReady = false
    while !stop.isSet {
      if position.deferred > 0 { submitDeferred(&position, &plan) }
      if position.isAtEnd && position.deferred == 0 { return reporter.noteEndOfInput() }
      if !mayRead(position) { continue }
      do throws(InputList.Failure) {
        if try passLines(&position) { continue }
        let item = try next(&position, isReady: isReady)
        isReady = false
        switch item {
        case .line(let line): handle(line, &position, &plan)
        case .invalid(let line): reject(line, position.index)
        case .pending(let stream):
          // The writer of the list may be waiting for an answer before it writes the next line.
          fetcher.kick()
          reporter.flush()
          isReady = sleep(position, orUntilReady: stream)
        case nil:
          bars?.noteEndOfInput()
          position.isAtEnd = true
          // If a list could not be read to its end, the last shard's lines are not known.
          if input.withLock({ $0.list.isDone }) { packing?.noteEndOfInput() }
        }
      } catch {
        reporter.markIncomplete()
        pruning?.forbid("\(error.name) could not be read to its end")
        if error.kind != .cancelled {
          reporter.fail(error.message, error.exitCode)
          packing?.note(BrokenList(name: error.name, lines: position.index, exitCode: error.exitCode))
        }
        if settings.output.failFast { break }
        // The lines of further lists would have the numbers of those that are missing, in shards that stand.
        if packing != nil { position.isAtEnd = true }
      }
    }
    // If the reader of the results has gone, the number of remaining lines is of no use.
    if !reporter.isLost || settings.output.failedList != nil { saveUntriedLines() }
  }

  /// Rows of `--ordered` that may wait for an earlier one before reading pauses: a few megabytes.
  private static let mostWaitingRows = 10_000

  /// True if another line may be read. If not, waits until that may have changed.
  private func mayRead(_ position: ReadPosition) -> Bool {
    let waiting = settings.report.ordered ? reporter.waitingRows + (unique?.waiting ?? 0) : 0
    if waiting >= Self.mostWaitingRows, fetcher.outstanding > 0 {
      fetcher.wait(untilOutstanding: fetcher.outstanding - 1)
      return false
    }
    if let packing, !position.isAtEnd, !packing.mayRead {
      sleep(position)
      return false
    }
    if position.deferred > 0, position.isAtEnd || !feeder.hasRoom {
      sleep(position)
      return false
    }
    return true
  }

  /// Sleeps until a deferred line may be sent, or until a stream can be read, which is then the result.
  @discardableResult
  private func sleep(_ position: ReadPosition, orUntilReady stream: SharedDescriptor? = nil) -> Bool {
    if packing != nil { fetcher.kick() }
    if position.deferred > 0 {
      fetcher.kick()
      if !feeder.noteSleep() { return false }
    }
    return stop.wait(for: stream)
  }

  /// The next line. It is read and recorded as unanswered under one lock, so that an interrupt finds it in exactly one
  /// of the two outputs.
  private func next(_ position: inout ReadPosition, isReady: Bool) throws(InputList.Failure) -> InputList.Item? {
    try input.withLock { input throws(InputList.Failure) in
      defer { reporter.note(linesRead: input.list.lines) }
      // The thread that ends the run reads the other lines itself, and they follow in their order.
      if stop.isSet { return nil }
      let item = try input.list.next(isReady: isReady)
      failedList.note(input.list.table)
      if let place = input.list.shortRecord, !position.hasShortRecord {
        position.hasShortRecord = true
        reporter.messages.warn(
          "\(place): the record has fewer fields than the first line; those that are missing count as empty, here and in "
            + "all that follow")
      }
      if let packing {
        position.header = input.list.header
        let column = input.list.missingColumn
        if column != position.missingColumn {
          position.missingColumn = column
          packing.note(missingColumn: column, of: input.list.name)
        }
      }
      switch item {
      case .line(let line):
        position.index = line.record.map { $0 + 1 } ?? position.index + 1
        failedList.begin(position.index, line.text.utf8, of: line.table, at: line.tag.number)
      case .invalid(let line):
        position.index = line.record.map { $0 + 1 } ?? position.index + 1
        failedList.begin(position.index, line.text, of: input.list.table)
      case .pending, nil: break
      }
      return item
    }
  }

  /// The number of lines that are skipped before anything else is examined: some tenths of a millisecond.
  private static let passedAtOnce = 4_096

  /// Passes over lines of shards that are not made here, which need not be parsed. False if the next line is to be
  /// handled.
  private func passLines(_ position: inout ReadPosition) throws(InputList.Failure) -> Bool {
    // The first URL says for which origin the credentials are.
    guard let packing, position.hasURL, !position.isAtEnd, var passed = packing.passing(from: position.index) else {
      return false
    }
    return try input.withLock { input throws(InputList.Failure) in
      defer {
        reporter.note(linesRead: input.list.lines)
        if passed.isCompared {
          bars?.pass(passed.next - position.index)
          input.list.noteAllColumns()
        }
        position.index = passed.next
        packing.pass(passed)
      }
      var count = 0
      while count < Self.passedAtOnce, !passed.isAtEnd {
        let header = input.list.header
        count += input.list.passLines(atMost: min(passed.left, Self.passedAtOnce - count)) {
          passed.add($0, under: header)
        }
        if count >= Self.passedAtOnce || passed.isAtEnd { break }
        // The end, and a stream that has nothing yet, are found again when the next line is requested.
        guard let text = try input.list.nextLine() else { return false }
        passed.add(text.span, under: input.list.header)
        count += 1
      }
      return true
    }
  }

  /// Counts the lines for the progress display, once. Only after the first requests have started, and only for a list
  /// longer than the look-ahead: a shorter one ends sooner anyway.
  private func countLines(_ position: inout ReadPosition) {
    if position.isCounted { return }
    position.isCounted = true
    guard let bars, let lineCount else { return }
    _ = try? Threads.start(name: "imgfetch-count") {
      if let count = lineCount.count() { bars.expect(lines: count) }
    }
  }

  // MARK: - One line

  func handle(_ line: InputLine, _ position: inout ReadPosition, _ plan: inout OutputPlan) {
    let url = line.url
    if !position.hasURL {
      // Lines of other parts count too: all parts must send credentials to the same origin.
      fetcher.bindIdentity(to: url)
      position.hasURL = true
    }
    let key = settings.fetch.keyFilter.key(for: url)
    let keyHash = ContentHash(of: key.utf8Span.span)
    let isWanted =
      packing?.take(position.index - 1, line.text.utf8Span.span, under: position.header, isWanted: line.isWanted) {
        $0.owns(url.origin, key: keyHash)
      } ?? isInPart(keyHash)
    if !isWanted {
      if !line.isWanted { bars?.pass(1) }
      plan.pass(url, key: key, keyHash: keyHash, line: line, number: position.index)
      return skip(position.index)
    }
    bars?.countRequest()
    pruning?.want(key)
    let index = position.index
    // Names are claimed in the order of the lines, whichever is sent first.
    let output = plan.place(url, key: key, keyHash: keyHash, line: line, number: index)
    if case .kept(let path) = output { return keepExisting(path, line, index, key) }
    let slot = feeder.turn(
      for: url.origin, isOver: { stop.isSet }, willPause: { countLines(&position) },
      putAside: { deferLine(line, output, at: $0, &position) },
      sendDue: { if position.deferred > 0 { submitDeferred(&position, &plan) } })
    if let slot { submit(line, index, output, slot) }
  }

  /// Defers a line whose host is busy; false if it could not be read again.
  private func deferLine(
    _ line: InputLine, _ output: OutputPlan.Target, at slot: Int, _ position: inout ReadPosition
  ) -> Bool {
    let isRepeated = if case .sink(_, let name?) = output { name.isRepeated } else { false }
    let isKept = input.withLock { input in
      // An interrupt takes all deferred lines, and has done so or is about to.
      guard
        !stop.isSet,
        let deferred = input.deferred.keep(line, at: input.list.place, index: position.index, isRepeated: isRepeated)
      else { return false }
      feeder.putAside(deferred.note, at: slot, line.priority)
      failedList.end(position.index)
      return true
    }
    if isKept { position.deferred += 1 }
    return isKept
  }

  /// Sends the deferred lines whose hosts have room.
  func submitDeferred(_ position: inout ReadPosition, _ plan: inout OutputPlan) {
    while let (item, deferred, slot) = nextDeferred() {
      position.deferred -= 1
      switch item {
      case .line(let line):
        let key = settings.fetch.keyFilter.key(for: line.url)
        let keyHash = ContentHash(of: key.utf8Span.span)
        let output = plan.place(
          line.url, key: key, keyHash: keyHash, line: line, number: deferred.index, isRepeated: deferred.isRepeated)
        if case .kept(let path) = output {
          keepExisting(path, line, deferred.index, key)
          answered(slot, isAnswer: true)
        } else {
          submit(line, deferred.index, output, slot)
        }
      case .invalid(let line):
        reject(line, deferred.index, isAsked: true)
        answered(slot, isAnswer: true)
      case .pending: break
      }
    }
  }

  private func nextDeferred() -> (item: InputList.Item, deferred: DeferredLine, slot: Int)? {
    input.withLock { input in
      guard let (note, slot) = feeder.next() else { return nil }
      let deferred = DeferredLine(note)
      let item = input.deferred.remove(deferred)
      switch item {
      case .line(let line): failedList.begin(deferred.index, line.text.utf8, of: line.table, at: line.tag.number)
      case .invalid(let line): failedList.begin(deferred.index, line.text, of: nil)
      case .pending: break
      }
      return (item, deferred, slot)
    }
  }

  private func submit(_ line: InputLine, _ index: Int, _ output: OutputPlan.Target, _ slot: Int) {
    var request = FetchRequest(line.url, tag: index, shared: options(of: line))
    request.priority = line.priority
    request.sha256 = line.sha256
    if let derivation { request.derivation = derivation }
    if !settings.mirrors.isEmpty || !line.mirrors.isEmpty { request.mirrors = settings.mirrors + line.mirrors }
    request.md5 = line.md5
    if let preview = bars?.preview { request.watcher = preview.watcher(of: index) }
    if let packing { return submit(request, to: packing, PackedLine(line: line, index: index, slot: slot)) }
    var name: ClaimedName?
    let held = unique == nil ? nil : HeldSlot()
    if case .sink(let sink, let placed) = output {
      if let unique {
        // The next line of that origin need not wait for this one's turn.
        request.sink = unique.sink(sink) { [self] in
          if held?.end() == true { answered(slot, isAnswer: true) }
        }
      } else {
        request.sink = sink
      }
      request.defersDelivery = (place != nil && !isDryRun) || unique != nil
      if hasPlaceholder || isDryRun { name = placed }
      // Records the name if it got a suffix.
      if let stem = placed?.stemWithDigits, stem != line.stem {
        failedList.begin(index, line.text.utf8, of: line.table, at: line.tag.number, stem: stem)
      }
    }
    // The closure captures only what it needs, since one is created for each image.
    let tag = line.tag
    let given = tag.number == nil ? line.text : nil
    guard name != nil || isDryRun else {
      fetcher.submit(request) { [self] result in
        finish(result, tag, given: given)
        if held?.end() != false { answered(slot, isAnswer: result.isAnswer) }
      }
      return
    }
    let standing = isDryRun ? fetcher.diskCache?.standing(of: request) : nil
    fetcher.submit(request) { [self, name] result in
      finish(isDryRun ? foreseen(result, name, standing) : withPlaceholder(result, name), tag, given: given)
      if held?.end() != false { answered(slot, isAnswer: result.isAnswer) }
    }
  }

  /// The options of a line's request. Lines of one page mostly follow one another, so that those with its referer are
  /// kept.
  private func options(of line: InputLine) -> SharedOptions {
    guard line.referer != nil || line.isNamedByPublicPage else { return sharedOptions }
    return refererOptions.withLock { kept in
      if let kept, kept.referer == line.referer, kept.isPublic == line.isNamedByPublicPage { return kept.options }
      let made = sharedOptions.named(byPageWith: line.referer, isNamedByPublicPage: line.isNamedByPublicPage)
      kept = (line.referer, line.isNamedByPublicPage, made)
      return made
    }
  }

  /// Reports a file that exists and is kept.
  private func keepExisting(_ path: String, _ line: InputLine, _ index: Int, _ key: String) {
    var result = FetchResult(tag: index, url: line.url.display, key: key)
    result.output = path
    result.written = .kept
    unique?.keep(index, path: path, url: line.url.display)
    finish(result, line.tag)
  }

  /// Answers an invalid line at once. With several parts, one answers it.
  func reject(_ line: InvalidLine, _ index: Int, isAsked: Bool = false) {
    // Rows of a data set are there for good, and this is nothing that the lines decide.
    if let packing, let broken = settings.list.urls.brokenAccount {
      return packing.end(broken.message, broken.exitCode)
    }
    if line.error.isOfThisMachine { packing?.end(line.error.message, ExitCode.file) }
    if !isAsked {
      packing?.noteInvalid(line, ofLines: index)
      let isWanted =
        packing?.take(index - 1, line.text.span, under: input.withLock { $0.list.header }) {
          $0.part.contains(ContentHash(of: line.text.span))
        }
        ?? isInPart(ContentHash(of: line.text.span))
      if !isWanted { return skip(index) }
      bars?.countRequest()
    }
    pruning?.forbid("a line is invalid")
    var result = FetchResult(tag: index, url: line.url, key: "")
    result.error = line.error
    var note: RecordNote?
    if packing != nil {
      note = line.note
      note?.append(Consent.silent)
    }
    finish(
      result, line.tag, given: line.tag.number == nil ? String(decoding: line.text, as: UTF8.self) : nil, note: note)
  }

  /// Skips a line of another part.
  private func skip(_ index: Int) {
    failedList.end(index)
    unique?.settle(index)
    reporter.skip(index)
  }

  /// True if a key belongs to this part of the list.
  func isInPart(_ keyHash: ContentHash) -> Bool { settings.list.part?.contains(keyHash) ?? true }

  /// Notes that a request to an origin was answered, so that another one may be sent.
  func answered(_ slot: Int, isAnswer: Bool) {
    if feeder.answered(slot, isAnswer: isAnswer) { stop.wake() }
  }
}

extension InputList.Failure {
  var exitCode: Int32 { kind.map(ExitCode.code) ?? ExitCode.file }
}
