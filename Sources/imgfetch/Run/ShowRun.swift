import ImgfetchCore
import ImgfetchShow

/// One run of `show`. Owned by the main thread, which draws. Images arrive on the fetcher's threads.
final class ShowRun: Sendable {
  let settings: Settings
  private let environment: Environment
  /// The images in their order: those of the operands, then those of lists and sources, once these have been read.
  private let wanted: Guarded<[ShownRequest]>
  let messages: Messages
  let screen: PictureScreen
  let clock: any Clock = SystemClock()
  let fetcher: Fetcher
  let interrupts: Interrupts
  let arriving = ArrivingImages()
  /// The options of all requests of which no line and no page says more.
  private let shared: SharedOptions
  /// The limits for images inspected on the fetcher's threads.
  private let limits: PixelLimits
  /// The limits for shown images. Place and memory are not shared with the fetcher: an image that is still coming holds
  /// them until it is complete, and must not wait for others that wait for it.
  let showing: PixelLimits

  init(
    _ settings: Settings, _ environment: Environment, _ items: [ShownItem], _ identity: FetchIdentity,
    _ messages: Messages, _ screen: PictureScreen, _ interrupts: Interrupts
  ) {
    self.settings = settings
    self.environment = environment
    wanted = Guarded(items.map { ShownRequest($0) })
    shared = SharedOptions(settings.fetch)
    self.messages = messages
    self.screen = screen
    self.interrupts = interrupts
    let executor = PixelExecutors.make(true, isSandboxed: settings.isSandboxed, messages)
    limits = PixelLimits(maxPixels: settings.fetch.maximumPixels, executor: executor)
    showing = PixelLimits(
      maxPixels: settings.fetch.maximumPixels, memory: PixelMemory(total: Self.memory),
      executor: settings.isSandboxed ? SandboxedExecutor(limit: 1) { messages.warn($0) } : executor)
    var configuration = settings.fetcher
    configuration.identity = identity
    configuration.pixelExecutor = executor
    configuration.temporaryFolder = environment.temporaryFolder
    var hooks = FetchHooks()
    hooks.warn = { warning in screen.aside { messages.warn(warning) } }
    hooks.warnOfCache = { warning in screen.aside { messages.warn(warning, of: .noCache) } }
    if let log = VerboseLog(settings.messages, messages) {
      hooks.tellsHeaders = log.includesHeaders
      hooks.events = { event in screen.aside { log.print(event) } }
    }
    fetcher = Fetcher(configuration, hooks: hooks)
  }

  /// The memory that one picture may take, which is the most that any may.
  private static let memory: Int64 = 768 << 20

  func run() -> Int32 {
    interrupts.onCause { [self] in breakOff($0) }
    interrupts.beforeEndingAtOnce { [screen] in screen.endAtOnce() }
    interrupts.onStop { [screen] stop in screen.whileLeft(stop) }
    interrupts.listen()
    var code = ExitCode()
    readLists(&code)
    findImages(&code)
    takePart()
    let items = wanted.withLock { $0.map(\.item) }
    if settings.show.isGrid {
      var sheet = SheetRun(self, items, code)
      sheet.show()
      code = sheet.code
    } else {
      var submitted = 0
      for (index, item) in items.enumerated() {
        // An interrupted picture needs no message, and the run is ended by another thread.
        if interrupts.cause != nil { break }
        submit(items, &submitted, before: index + 1 + 2 * settings.fetcher.jobs)
        do throws(FetchError) { try show(index, item) } catch {
          if interrupts.cause != nil { break }
          if screen.failure != nil { break }
          let error = Advice.completing(item.noted(error), settings.proxy)
          code.add(error)
          messages.error(error.message)
        }
      }
    }
    if let failure = screen.failure {
      if failure.code == .brokenPipe { return ExitCode.brokenPipe }
      fetcher.cancelAll()
      messages.error(Printer.message(of: failure))
      code.add(ExitCode.file)
    }
    fetcher.wait()
    if case .signal(let number)? = interrupts.cause { return ExitCode.ended(by: number) }
    return end(code)
  }

  private func end(_ code: ExitCode) -> Int32 {
    var code = code
    do throws(FetchError) { try CookieFile.keep(of: fetcher, settings) } catch {
      messages.error(error.message)
      code.add(error)
    }
    messages.printQuietWarnings()
    fetcher.finishSharing(within: .lasting(settings.remoteCache.wait))
    if settings.cache.autoClean, settings.fetch.policy != .only {
      fetcher.cleanCacheIfDue(
        maximumAge: max(settings.fetch.maximumAge, GetRun.usualMaximumAge), maximumSize: settings.cache.sizeLimit)
    }
    return code.value
  }

  private func breakOff(_ cause: Interrupts.Cause) {
    screen.close()
    fetcher.cancelAll()
    fetcher.wait(atMost: GetRun.patience.duration)
    screen.end()
    if case .signal(let number) = cause { ProcessEnvironment.exit(ExitCode.ended(by: number)) }
    ProcessEnvironment.exit(ExitCode.brokenPipe)
  }

  // MARK: - Images

  /// Reads the lists. Their images are shown behind the operands.
  private func readLists(_ code: inout ExitCode) {
    guard !settings.list.inputs.isEmpty else { return }
    let given = settings.list
    var list = InputList(
      operands: [], lists: given.inputs, isNullEnded: given.isNullEnded, format: given.format, columns: given.columns,
      urls: given.urls, remote: ListDownload.opener(settings, fetcher, spoolIn: environment.temporaryFolder))
    let waker = Waker()
    var isReady = false
    while interrupts.cause == nil {
      do throws(InputList.Failure) {
        let item = try list.next(isReady: isReady)
        isReady = false
        switch item {
        case .line(let line)?: wanted.withLock { $0.append(ShownRequest(line)) }
        case .invalid(let line)?: wanted.withLock { $0.append(ShownRequest(.refused(line.error))) }
        case .pending(let stream)?: isReady = waker.wait(for: stream, atMost: .seconds(86_400)) == .ready
        case nil: return
        }
      } catch {
        if interrupts.cause != nil { return }
        code.add(error.exitCode)
        messages.error(error.message)
      }
    }
  }

  /// Leaves out the images of other parts (`--shard`).
  private func takePart() {
    guard let part = settings.list.part else { return }
    wanted.withLock { wanted in
      // The credentials belong to the origin of the first URL, whichever part that is in.
      if let first = wanted.lazy.compactMap(\.item.url).first { fetcher.bindIdentity(to: first) }
      wanted.removeAll { one in
        guard let url = one.item.url else { return false }
        let key = settings.fetch.keyFilter.key(for: url)
        return !part.contains(ContentHash(of: key.utf8Span.span))
      }
    }
  }

  /// Reads the sources. Their images are shown behind those of operands and lists.
  private func findImages(_ code: inout ExitCode) {
    guard !settings.find.sources.isEmpty else { return }
    var failures: [FetchError] = []
    let walk = SourceWalk(
      settings, fetcher, spoolIn: environment.temporaryFolder,
      SourceWalk.Events(
        found: { [wanted, interrupts] image in
          wanted.withLock { $0.append(ShownRequest(image)) }
          return interrupts.cause == nil
        }, fail: { [settings] in failures.append(Advice.completing($0, settings.proxy)) },
        warn: { [messages] in messages.warn($0) }))
    walk.run(settings.find.sources)
    for failure in failures where interrupts.cause == nil {
      code.add(failure)
      messages.error(failure.message)
    }
  }

  /// Submits the requests for the items before `end` that were not submitted yet. Answers keep files open until they
  /// are shown, so not all are asked for at once.
  func submit(_ items: [ShownItem], _ submitted: inout Int, before end: Int) {
    let end = min(items.count, end)
    guard submitted < end else { return }
    defer { submitted = end }
    for index in submitted..<end {
      let one = wanted.withLock { $0[index] }
      guard var request = one.request(index, shared, mirrors: settings.mirrors) else { continue }
      let kept = KeptImage()
      request.sink = kept
      if screen.isTerminal, !settings.show.isGrid { request.watcher = arriving.watcher(of: index) }
      fetcher.submit(request) { [self] result in
        let arrival: Result<ShownImage, FetchError>
        do throws(FetchError) {
          if let error = result.error { throw error }
          arrival = .success(try kept.image(result, limits))
        } catch { arrival = .failure(error) }
        arriving.arrive(index, arrival)
      }
    }
  }
}

/// Keeps the image of one request until its answer.
private final class KeptImage: ImageSink {
  private let image = Guarded<DeliveredImage?>(nil)

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    self.image.withLock { $0 = image }
    return Delivery(output: nil, isNew: false)
  }

  /// Returns the image of a result. It is inspected here if that was not done when it was fetched.
  func image(_ result: FetchResult, _ limits: PixelLimits) throws(FetchError) -> ShownImage {
    guard let image = image.withLock({ $0 }) else { throw FetchError(.notImage, result.url, "there was no image") }
    var shown =
      if let facts = image.facts { ShownImage(image.body, facts) } else {
        try ShownImage(inspecting: image.body, result.url, limits)
      }
    shown.cache = result.answerer
    return shown
  }
}
