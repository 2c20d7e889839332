import ImgfetchCore

// From the input to the fetcher, on the main thread.
extension GetRun {
  func readInput() {
    var input = InputList(
      operands: settings.selection.urls, lists: settings.selection.inputs, isNullEnded: settings.selection.nullEnded)
    var plan = OutputPlan(settings.output, standardOutput: reporter.stream, isPrefetch: isPrefetch)
    var place = Place()
    while !isStopped.withLock({ $0 }) && !reporter.isUnheard {
      do throws(InputList.Failure) {
        // Whoever writes the list may be waiting for an answer before the next line.
        let line = try input.next(beforeWaiting: {
          fetcher.kick()
          reporter.flush()
        })
        guard let line else {
          bars?.noteEndOfInput()
          return
        }
        place.index += 1
        submit(line, &place, &plan)
      } catch {
        reporter.fail(error.message, error.isList ? ExitCode.file : ExitCode.usage)
        if settings.output.failFast { return }
      }
      if fetcher.outstanding >= Fetcher.window { fetcher.wait(untilOutstanding: Fetcher.window / 2) }
      while reporter.waitingRows >= Self.mostWaitingRows && fetcher.outstanding > 0 {
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
  }

  private func submit(_ line: InputLine, _ place: inout Place, _ plan: inout OutputPlan) {
    let url: WebURL
    do { url = try WebURL(line.url) } catch {
      bars?.ask()
      place.turn += 1
      return finish(Self.failure(line, place.turn, FetchError(.refused, WebURL.masked(line.url), "\(error)")), line)
    }
    // Also of a line that is another machine's: all of them tell the same origin who asks.
    fetcher.bindIdentity(to: url)
    let keyHash = ContentHash(of: options.keyFilter.key(for: url))
    if let shard = settings.selection.shard, !shard.contains(keyHash) { return }
    bars?.ask()
    place.turn += 1
    var request = FetchRequest(url, tag: place.turn, options: options)
    request.priority = line.priority
    request.sha256 = line.sha256
    for mirror in settings.network.mirrors + line.mirrors {
      if let mirror = try? WebURL(mirror) { request.mirrors.append(mirror) }
    }
    var name: OutputName?
    switch plan.place(url, keyHash: keyHash, line: line, number: place.index) {
    case .nowhere: break
    case .sink(let sink, let placed): (request.sink, name) = (transforming(sink), placed)
    case .kept(let path):
      var result = FetchResult(tag: place.turn, url: url.display, key: options.keyFilter.key(for: url))
      result.output = path
      return finish(result, line)
    }
    let places = plan.places
    fetcher.submit(request) { [self, name] result in
      finish(placeholding(result, name, places), line)
    }
  }

  private func transforming(_ sink: any ImageSink) -> any ImageSink {
    guard let transform else { return sink }
    return TransformingSink(transform, limits: PixelLimits(maxPixels: options.maximumPixels), then: sink)
  }

  private static func failure(_ line: InputLine, _ turn: Int, _ error: FetchError) -> FetchResult {
    var result = FetchResult(tag: turn, url: WebURL.masked(line.url), key: "")
    result.error = error
    return result
  }
}
