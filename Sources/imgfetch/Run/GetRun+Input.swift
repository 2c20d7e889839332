import ImgfetchCore

// From the input to the fetcher, on the main thread.
extension GetRun {
  func readInput() {
    var plan = OutputPlan(
      settings.output, files: places,
      standardOutput: StandardOutputSink(reporter.stream) { [reporter] in reporter.noteClosedOutput() },
      isPrefetch: isPrefetch)
    var place = Place()
    var isReady = false
    while !stop.isSet {
      do throws(InputList.Failure) {
        let item = try next(&place, isReady: isReady)
        isReady = false
        switch item {
        case .line(let line): submit(line, &place, &plan)
        case .flawed(let line): refuse(line, place)
        case .pending(let stream):
          // Whoever writes the list may be waiting for an answer before the next line.
          fetcher.kick()
          reporter.flush()
          isReady = stop.wait(for: stream)
        case nil:
          bars?.noteEndOfInput()
          reporter.noteEndOfInput()
          return
        }
      } catch {
        reporter.noteBreakingOff()
        reporter.fail(error.message, ExitCode.file)
        if settings.output.failFast { break }
      }
      if fetcher.outstanding >= Fetcher.window { fetcher.wait(untilOutstanding: Fetcher.window / 2) }
      while settings.report.ordered, reporter.waitingRows >= Self.mostWaitingRows && fetcher.outstanding > 0 {
        fetcher.wait(untilOutstanding: fetcher.outstanding - 1)
      }
    }
    // Where nobody reads the results, nobody wants to know how many there would have been.
    if !reporter.isLost || settings.output.failedList != nil { keepUntried() }
  }

  /// Rows of `--ordered` that may wait for an earlier one before reading pauses: some megabytes.
  private static let mostWaitingRows = 10_000

  /// Where the reading is.
  private struct Place {
    /// Lines so far: what `{index}` says, the same for every shard of a list, and the number by which a line is known.
    var index = 0
    /// Whether there was a URL among the lines.
    var hasURL = false
  }

  /// The next line. Under one lock with its entry among those that have no answer yet: who breaks the run off meanwhile finds it either
  /// there or unread.
  private func next(_ place: inout Place, isReady: Bool) throws(InputList.Failure) -> InputList.Item? {
    try input.withLock { list throws(InputList.Failure) in
      defer { reporter.note(linesRead: list.lines) }
      let item = try list.next(isReady: isReady)
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

  /// Whether a key is this machine's, of several with one list.
  func isOurs(_ keyHash: ContentHash) -> Bool { settings.selection.shard?.contains(keyHash) ?? true }

  /// A line that another machine tries.
  private func pass(_ place: Place) {
    failures.end(place.index, isFailure: false)
    reporter.pass(place.index)
  }

  private func submit(_ line: InputLine, _ place: inout Place, _ plan: inout OutputPlan) {
    let url = line.url
    if !place.hasURL {
      // Also of a line that is another machine's: all of them tell the same origin who asks.
      fetcher.bindIdentity(to: url)
      place.hasURL = true
    }
    let key = options.keyFilter.key(for: url)
    let keyHash = ContentHash(of: key.utf8Span.span)
    if !isOurs(keyHash) { return pass(place) }
    bars?.ask()
    var request = FetchRequest(url, tag: place.index, shared: sharedOptions)
    request.priority = line.priority
    request.sha256 = line.sha256
    if let derivation { request.derivation = derivation }
    if !mirrors.isEmpty || !line.mirrors.isEmpty { request.mirrors = mirrors + line.mirrors }
    var name: ClaimedName?
    switch plan.place(url, key: key, keyHash: keyHash, line: line, number: place.index) {
    case .nowhere: break
    case .sink(let sink, let placed):
      request.sink = sink
      if placeholder != nil { name = placed }
      // With the name that it got, if that got digits.
      if let stem = placed?.stemWithDigits, stem != line.stem {
        failures.begin(place.index, line.text.utf8, stem: stem)
      }
    case .kept(let path):
      var result = FetchResult(tag: place.index, url: url.display, key: key)
      result.output = path
      return finish(result, line.tag)
    }
    // The answer's closure holds what it needs and no more: it is made and thrown away with each image.
    let tag = line.tag
    let given = tag.number == nil ? line.text : nil
    guard let name else {
      fetcher.submit(request) { [self] result in finish(result, tag, given: given) }
      return
    }
    fetcher.submit(request) { [self] result in finish(placeholding(result, name), tag, given: given) }
  }

  /// A line that makes no sense has its answer at once; of several machines with one list, one of them gives it.
  private func refuse(_ line: FlawedLine, _ place: Place) {
    if !isOurs(ContentHash(of: line.text.span)) { return pass(place) }
    bars?.ask()
    var result = FetchResult(tag: place.index, url: line.url, key: "")
    result.error = line.error
    finish(result, line.tag, given: line.tag.number == nil ? String(decoding: line.text, as: UTF8.self) : nil)
  }
}
