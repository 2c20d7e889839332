import ImgfetchCore

/// `show`: fetches images as `prefetch` does and draws them in the terminal, one under another in the order of the operands.
enum ShowCommand {
  static func run(_ settings: Settings, _ environment: Environment) -> Int32 {
    let messages = Messages(isQuiet: settings.messages.quiet)
    let kind = environment["TERM"] ?? ""
    if settings.show.picture == .auto, !ProcessEnvironment.isTerminal(1) || kind == "dumb" || kind.isEmpty {
      messages.error("standard output is no terminal that shows pictures; --picture blocks writes them all the same")
      return UsageError.exitCode
    }
    do throws(UsageError) {
      var items: [ShownItem] = []
      for operand in settings.operands { items.append(try ShownItem(operand)) }
      ProcessEnvironment.tuneMemory()
      ProcessEnvironment.allowFiles(Fetcher.filesNeeded(forJobs: settings.fetcher.jobs))
      let identity = try identity(settings, messages)
      return ShowRun(settings, environment, items, identity, messages).run()
    } catch {
      messages.error(error.message)
      return UsageError.exitCode
    }
  }

  private static func identity(_ settings: Settings, _ messages: Messages) throws(UsageError) -> FetchIdentity {
    do throws(CredentialReader.Failure) {
      return try CredentialReader.read(settings) { messages.warn($0) }
    } catch { throw UsageError(error.message, help: nil) }
  }
}

/// One run of `show`. Owned by the main thread, which draws. Images arrive on the fetcher's threads.
final class ShowRun: Sendable {
  private let settings: Settings
  private let environment: Environment
  private let items: [ShownItem]
  private let messages: Messages
  private let limits: PixelLimits
  private let fetcher: Fetcher
  private let interrupts = Interrupts()
  /// What has come so far, by the number of its operand.
  private let arrivals = Guarded<[Int: Result<ShownImage, FetchError>]>([:])
  /// Whether a picture may be drawn. Held while one is, so that the end of the run does not cut it in two.
  private let mayDraw = Guarded(true)

  init(
    _ settings: Settings, _ environment: Environment, _ items: [ShownItem], _ identity: FetchIdentity,
    _ messages: Messages
  ) {
    self.settings = settings
    self.environment = environment
    self.items = items
    self.messages = messages
    let executor = PixelExecutors.make(true, isSandboxed: settings.isSandboxed, messages)
    limits = PixelLimits(maxPixels: settings.fetch.maximumPixels, executor: executor)
    var configuration = settings.fetcher
    configuration.identity = identity
    configuration.pixelExecutor = executor
    configuration.temporaryFolder = environment.temporaryFolder
    var hooks = FetchHooks()
    hooks.warn = { messages.warn($0) }
    hooks.warnOfCache = { messages.warn($0, of: .noCache) }
    if let log = VerboseLog(settings.messages, messages) {
      hooks.tellsHeaders = log.includesHeaders
      hooks.events = { log.print($0) }
    }
    fetcher = Fetcher(configuration, hooks: hooks)
  }

  func run() -> Int32 {
    interrupts.onCause { [self] in breakOff($0) }
    interrupts.listen()
    submit()
    var code = ExitCode()
    for (index, item) in items.enumerated() {
      do throws(FetchError) {
        let image = try image(index, item)
        let failure = draw(try picture(of: image, item), of: image, item)
        if failure?.code == .brokenPipe { return ExitCode.brokenPipe }
        if let failure { throw FetchError(.file, "standard output", "\(failure.code)") }
      } catch {
        // What an interrupt has broken off needs no message, and the run is ended by another thread.
        if interrupts.cause != nil { continue }
        let error = Advice.completing(item.noted(error), settings.proxy)
        code.add(error)
        messages.error(error.message)
      }
    }
    fetcher.wait()
    if case .signal(let number)? = interrupts.cause { return ExitCode.ended(by: number) }
    return end(code)
  }

  private func end(_ code: ExitCode) -> Int32 {
    var code = code
    if let path = settings.credentials.cookieJar, let jar = fetcher.changedCookies {
      do throws(FetchError) { try CookieFile.write(jar, to: path) } catch {
        messages.error(error.message)
        code.add(error)
      }
    }
    messages.printQuietWarnings()
    fetcher.finishSharing(within: settings.remoteCache.wait)
    if settings.cache.autoClean, settings.fetch.policy != .only {
      fetcher.cleanCacheIfDue(
        maximumAge: max(settings.fetch.maximumAge, GetRun.usualMaximumAge), maximumSize: Int64(settings.cache.maxSize))
    }
    return code.value
  }

  private func breakOff(_ cause: Interrupts.Cause) {
    mayDraw.withLock { $0 = false }
    fetcher.cancelAll()
    fetcher.wait(atMost: GetRun.patience.seconds)
    if case .signal(let number) = cause { ProcessEnvironment.exit(ExitCode.ended(by: number)) }
    ProcessEnvironment.exit(ExitCode.brokenPipe)
  }

  // MARK: - Images

  private func submit() {
    let shared = SharedOptions(settings.fetch)
    for (index, item) in items.enumerated() {
      guard case .url(let url, _) = item else { continue }
      var request = FetchRequest(url, tag: index, shared: shared)
      request.mirrors = settings.mirrors
      let kept = KeptImage()
      request.sink = kept
      fetcher.submit(request) { [self] result in
        let arrival: Result<ShownImage, FetchError>
        do throws(FetchError) {
          if let error = result.error { throw error }
          arrival = .success(try kept.image(result, limits))
        } catch { arrival = .failure(error) }
        arrivals.withLock { $0[index] = arrival }
        arrivals.broadcast()
      }
    }
  }

  /// The image of an operand, once it is there.
  private func image(_ index: Int, _ item: ShownItem) throws(FetchError) -> ShownImage {
    if case .file(let name) = item { return try ShownImage(file: name, settings, limits) }
    // Waiting for the fetcher does a part of its work.
    while arrivals.withLock({ $0[index] == nil }), case let count = fetcher.outstanding, count > 0 {
      fetcher.wait(untilOutstanding: count - 1)
    }
    guard let arrival = arrivals.wait({ $0.removeValue(forKey: index) }) else {
      throw FetchError(.cancelled, item.name, "it was not fetched")
    }
    return try arrival.get()
  }

  // MARK: - Pictures

  private func picture(of image: ShownImage, _ item: ShownItem) throws(FetchError) -> ShownPicture {
    let window = Window(1, environment)
    // The size of a terminal whose size is not known.
    let usual = PictureBox.inside(columns: window.columns ?? 80, rows: window.rows ?? 24)
    let (columns, rows) = settings.show.size.map { ($0.width, $0.height) } ?? usual
    let box = PictureBox(image.uprightSize, columns: columns, rows: rows)
    do throws(PixelFailure) { return try ShownFrames.first(of: image.body, image.facts, size: box.size, limits) } catch
    {
      throw error.fetchError(of: item.name)
    }
  }

  /// Writes a picture under its line, at once. Returns why that failed.
  private func draw(_ picture: ShownPicture, of image: ShownImage, _ item: ShownItem) -> SystemError? {
    var text: [UInt8] = []
    if !settings.messages.quiet {
      let line = image.line(item.name)
      let columns = Window(1, environment).columns
      let isUnicode = ProgressMode.isUnicode { environment[$0] }
      text.append(text: columns.map { Cells.shortened(line, to: $0 - 1, isUnicode: isUnicode) } ?? line)
      text.append(UInt8(ascii: "\n"))
    }
    text += HalfBlocks(colours: TerminalColours { environment[$0] }).text(picture)
    return mayDraw.withLock { mayDraw in
      guard mayDraw else { return nil }
      do throws(SystemError) { try SharedDescriptor.standardOutput.file.write(text.span) } catch { return error }
      return nil
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

  /// What was not inspected when it was fetched is inspected now.
  func image(_ result: FetchResult, _ limits: PixelLimits) throws(FetchError) -> ShownImage {
    guard let image = image.withLock({ $0 }) else { throw FetchError(.notImage, result.url, "there was no image") }
    var shown =
      if let facts = image.facts { ShownImage(image.body, facts) } else {
        try ShownImage(inspecting: image.body, result.url, limits)
      }
    shown.cache = result.cache
    return shown
  }
}
