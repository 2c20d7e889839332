import ImgfetchCore

// From the input to the fetcher, on the main thread.
extension GetRun {
  func readInput() {
    var input = InputList(
      operands: settings.selection.urls, lists: settings.selection.inputs, isNullEnded: settings.selection.nullEnded)
    var plan = OutputPlan(
      settings.output, files: places,
      standardOutput: StandardOutputSink(reporter.stream) { [reporter] in reporter.noteClosedOutput() },
      isPrefetch: isPrefetch)
    var place = Place()
    while !isStopped.withLock({ $0 }) {
      do throws(InputList.Failure) {
        // Whoever writes the list may be waiting for an answer before the next line.
        let item = try input.next(beforeWaiting: {
          fetcher.kick()
          reporter.flush()
        })
        reporter.note(linesRead: input.lines)
        place.index += 1
        switch item {
        case .line(let line): submit(line, &place, &plan)
        case .flawed(let line): refuse(line, &place)
        case nil:
          bars?.noteEndOfInput()
          reporter.noteEndOfInput()
          return
        }
      } catch {
        reporter.note(linesRead: input.lines)
        reporter.noteBreakingOff()
        reporter.fail(error.message, ExitCode.file)
        if settings.output.failFast { return }
      }
      if fetcher.outstanding >= Fetcher.window { fetcher.wait(untilOutstanding: Fetcher.window / 2) }
      while settings.report.ordered, reporter.waitingRows >= Self.mostWaitingRows && fetcher.outstanding > 0 {
        fetcher.wait(untilOutstanding: fetcher.outstanding - 1)
      }
    }
  }

  /// Rows of `--ordered` that may wait for an earlier one before reading pauses: some megabytes.
  private static let mostWaitingRows = 10_000

  /// Where the reading is.
  private struct Place {
    /// Lines so far: what `{index}` says, the same for every shard of a list.
    var index = 0
    /// Results to come so far: their order under `--ordered`.
    var turn = 0
    /// Whether there was a URL among the lines.
    var hasURL = false
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
    if let shard = settings.selection.shard, !shard.contains(keyHash) { return }
    bars?.ask()
    place.turn += 1
    var request = FetchRequest(url, tag: place.turn, shared: sharedOptions)
    request.priority = line.priority
    request.sha256 = line.sha256
    if let derivation { request.derivation = derivation }
    if !mirrors.isEmpty || !line.mirrors.isEmpty { request.mirrors = mirrors + line.mirrors }
    var name: ClaimedName?
    // As it was given, for the list of those that failed; with the name that it got, if that got digits.
    var text = line.text
    switch plan.place(url, key: key, keyHash: keyHash, line: line, number: place.index) {
    case .nowhere: break
    case .sink(let sink, let placed):
      request.sink = sink
      if placeholder != nil { name = placed }
      if let stem = placed?.stemWithDigits, stem != line.stem { text += "\tstem=" + stem }
    case .kept(let path):
      var result = FetchResult(tag: place.turn, url: url.display, key: key)
      result.output = path
      return finish(result, line.text.utf8, line.tag)
    }
    // The answer's closure holds what it needs and no more: it is made and thrown away with each image.
    let tag = line.tag
    guard let name else {
      fetcher.submit(request) { [self, text] result in finish(result, text.utf8, tag) }
      return
    }
    fetcher.submit(request) { [self, text] result in finish(placeholding(result, name), text.utf8, tag) }
  }

  /// A line that makes no sense has its answer at once; of several machines with one list, one of them gives it.
  private func refuse(_ line: FlawedLine, _ place: inout Place) {
    if let shard = settings.selection.shard, !shard.contains(ContentHash(of: line.text.span)) { return }
    bars?.ask()
    place.turn += 1
    var result = FetchResult(tag: place.turn, url: line.url, key: "")
    result.error = line.error
    finish(result, line.text, line.tag)
  }
}
