import ImgfetchCore

/// One run of `get`: reads the input, has the fetcher get it, and hands the results to the reporter.
///
/// Owned by the main thread, which reads the input and waits for the rest. Results come on the fetcher's threads.
final class GetRun: Sendable {
  let settings: GetSettings
  let reporter: Reporter
  let fetcher: Fetcher
  let isPrefetch: Bool
  /// Those that all images have, from the flags.
  let mirrors: [WebURL]
  let options: FetchOptions
  let sharedOptions: SharedOptions
  /// What is made of images on their way out; nil: nothing.
  let derivation: TransformDerivation?
  /// Where files go.
  let places: OutputPlace
  let failures: FailureList
  let bars: ProgressDisplay?
  /// What is written where an image could not be had.
  let placeholder: ImageBody?
  let stop: Stop
  /// Read by the main thread, and once the run is broken off by the thread that breaks it off.
  let input: Guarded<RunInput>
  /// Nil where the number of lines is not wanted, or cannot be known.
  let lineCount: LineCount?
  /// Which of the lines that were read goes next.
  let ahead: Guarded<LookAhead>
  /// How far the lines that were not tried have been kept.
  let untried = Guarded(Untried.unread)
  enum Untried { case unread, underWay, kept }
  private let interrupts: Interrupts

  init(
    _ settings: GetSettings, _ environment: Environment, _ identity: FetchIdentity, reporter: Reporter,
    bars: ProgressDisplay?, isPrefetch: Bool
  ) {
    self.settings = settings
    self.reporter = reporter
    self.bars = bars
    self.isPrefetch = isPrefetch
    // The settings have checked them.
    mirrors = settings.network.mirrors.compactMap { try? WebURL($0) }
    options = settings.options
    sharedOptions = SharedOptions(options)
    let transform = isPrefetch ? nil : settings.transform.core
    let executor = PixelExecutors.make(
      transform != nil || settings.image.verification == .decode, isSandboxed: settings.image.sandbox,
      reporter.messages)
    derivation = transform.map { TransformDerivation($0, executor: executor) }
    places = OutputPlace(
      folder: settings.output.folder, setsTime: settings.output.remoteTime, keepsExisting: !settings.output.clobber,
      overwrites: settings.output.overwrite)
    let selection = settings.selection
    failures = FailureList(path: settings.output.failedList, isNullEnded: selection.nullEnded)
    stop = Stop(selection)
    lineCount = bars == nil ? nil : LineCount(selection)
    input = Guarded(RunInput(selection, temporaryFolder: environment.temporaryFolder))
    placeholder = settings.output.placeholder.flatMap { Self.placeholder($0, reporter) }
    let interrupts = Interrupts(bars: bars, output: reporter.isRead ? reporter.stream : nil)
    self.interrupts = interrupts
    var configuration = settings.configuration
    configuration.identity = identity
    configuration.pixelExecutor = executor
    configuration.temporaryFolder = environment.temporaryFolder
    let fetcher = Fetcher(configuration, hooks: Self.hooks(settings, reporter, bars) { interrupts.listen() })
    ahead = Guarded(LookAhead(fetcher.lookAhead(aside: RunInput.mostAside)))
    self.fetcher = fetcher
  }

  private static func hooks(
    _ settings: GetSettings, _ reporter: Reporter, _ bars: ProgressDisplay?, whenOnline: @escaping @Sendable () -> Void
  ) -> FetchHooks {
    var hooks = FetchHooks()
    hooks.warn = { reporter.messages.warn($0) }
    hooks.warnOfCache = { reporter.messages.warn($0, of: .noCache) }
    hooks.whenIdle = { reporter.flush() }
    hooks.whenOnline = whenOnline
    let narrator = Narrator(settings.messages, reporter.messages)
    hooks.tellsHeaders = narrator?.tellsHeaders == true
    // Events cost something, so they are made only where somebody listens.
    if bars != nil || narrator != nil {
      hooks.events = { event in
        bars?.take(event)
        narrator?.tell(event)
      }
    }
    return hooks
  }

  func run() -> Int32 {
    if settings.cache.location.folder == nil, settings.cache.policy.usesDisk {
      reporter.messages.warn(
        "there is no cache: neither --cache-dir nor XDG_CACHE_HOME nor HOME says where it is", of: .noCache)
    }
    interrupts.onCause { [self] in breakOff($0) }
    reporter.onLoss { [self] cause in
      endEarly()
      interrupts.end(because: cause)
    }
    // One image out of the cache is done before anybody can press a key, and should not pay for a thread that listens.
    if !settings.selection.inputs.isEmpty || settings.selection.urls.count > 1 { interrupts.listen() }
    readInput()
    fetcher.wait()
    reporter.flush()
    if let cause = interrupts.cause { return end(because: cause) }
    let code = end()
    cleanCache()
    return code
  }

  /// Keeps the cache small, now that nobody waits for anything any more.
  ///
  /// A run that wants young images only has not said that old ones may go: other runs, and the validators in them, have use
  /// for those. So --max-age makes the cleaning more lenient here, and never stricter. An offline run could not fetch again
  /// what it removed.
  private func cleanCache() {
    guard settings.cache.autoClean, settings.cache.policy != .only else { return }
    fetcher.cleanCacheIfDue(
      maximumAge: max(settings.cache.maxAge.seconds, Self.usualMaximumAge), maximumSize: Int64(settings.cache.maxSize))
  }

  /// A week, as `cache clean` has it by itself.
  private static let usualMaximumAge: Double = 7 * 86_400

  /// Ends the run in order, on a thread of its own: the main thread may be asleep in a read.
  private func breakOff(_ cause: Interrupts.Cause) {
    let clock = SystemClock()
    let deadline = clock.now() + Self.patience
    endEarly()
    // Where the reader of the results has gone, the number of lines left is of no use.
    if case .signal = cause { keepUntried() } else if settings.output.failedList != nil { keepUntried() }
    fetcher.wait(atMost: (deadline - clock.now()).seconds)
    Surroundings.exit(end(because: cause))
  }

  /// Nothing more is read or begun, and what is under way is broken off.
  private func endEarly() {
    stop.set()
    fetcher.cancelAll()
  }

  private func keepCookies() {
    guard let path = settings.identity.cookieJar, let jar = fetcher.changedCookies else { return }
    do throws(FetchError) { try CookieFile.write(jar, to: path) } catch { reporter.fail(error.message, ExitCode.file) }
  }

  private func end(because cause: Interrupts.Cause? = nil) -> Int32 {
    bars?.end()
    keepCookies()
    for warning in places.notices.warnings { reporter.messages.warn(warning) }
    let (isDone, unread) = input.withLock { ($0.list.isDone, $0.list.unread) }
    switch failures.close(isComplete: isDone, unread: unread) {
    case .fine: break
    case .failed(let error): reporter.fail(error.message, ExitCode.file)
    case .leftAlone(let path):
      reporter.messages.warn("\(path): nothing failed, and this file is kept, since --failed-list did not write it")
    }
    return reporter.finish(because: cause)
  }
}
