import ImgfetchCore
import ImgfetchDataSet
import Synchronization

/// One run of `get`: reads the input, fetches it, and passes the results to the reporter.
///
/// Owned by the main thread, which reads the input and waits for the rest. Results arrive on the fetcher's threads.
final class GetRun: Sendable {
  let settings: Settings
  let reporter: Reporter
  let fetcher: Fetcher
  /// The data set that is made of the images; nil if each image is an output by itself.
  let packing: Packing?
  /// Asks owners about the permitted uses of their images; nil if none is asked.
  let consentDesk: ConsentDesk?
  /// The part of a long list that is still to be compared.
  let comparison: ListComparison?
  let sharedOptions: SharedOptions
  /// The shared options with the referer of the last line that had one.
  let refererOptions = Guarded<(referer: String?, isPublic: Bool, options: SharedOptions)?>(nil)
  /// The transform of delivered images; nil if there is none.
  let derivation: TransformDerivation?
  let outputs: OutputFiles
  /// The place that gets images instead of files; nil if there is none.
  let place: PlaceFiles?
  /// Delivers each picture once, in the list's order; nil if each line is delivered.
  let unique: UniqueDesk?
  let failedList: FailedList
  /// The removal of files that no line wants; nil if they stay.
  let pruning: Pruning?
  /// True if a file has found no room on its disk.
  private let isOutOfRoom = Atomic<Bool>(false)
  let bars: ProgressDisplay?
  /// True if a placeholder is written for images that failed.
  let hasPlaceholder: Bool
  let stop: StopFlag
  /// Used by the main thread and, once the run is interrupted, by the thread that ends it.
  let input: Guarded<RunInput>
  /// The count of lines; nil if it is not needed or cannot be known.
  let lineCount: LineCount?
  /// Gives each line that was read its turn.
  let feeder: ListFeeder
  /// The progress of saving the untried lines.
  let untriedLines = Guarded(SaveState.notStarted)
  enum SaveState { case notStarted, running, done }
  let interrupts: Interrupts
  let executor: any PixelExecutor

  init(
    _ settings: Settings, _ environment: Environment, _ identity: FetchIdentity, reporter: Reporter,
    bars: ProgressDisplay?, earlier: EarlierFailures? = nil
  ) throws(RunFailure) {
    self.settings = settings
    self.reporter = reporter
    self.bars = bars
    let product = settings.product
    let options = settings.requestOptions
    sharedOptions = SharedOptions(options)
    let transform = product == .entries || settings.transform.isIdentity ? nil : settings.transform
    let executor = PixelExecutors.make(
      transform != nil || settings.fetch.verification == .decode || !options.details.isEmpty,
      isSandboxed: settings.isSandboxed, reporter.messages)
    derivation = transform.map { TransformDerivation($0, executor: executor) }
    let placeholder = try Self.placeholder(settings.output)
    hasPlaceholder = placeholder != nil
    outputs = OutputFiles(
      folder: settings.output.place == nil ? settings.output.folder : nil, settings.output,
      isNamed: settings.output.single != nil, makesFolders: !settings.cache.isDryRun, placeholder: placeholder,
      listsFolders: settings.list.areFiles)
    failedList = FailedList(settings, earlier: earlier)
    pruning = Pruning(settings)
    stop = StopFlag(settings)
    let interrupts = Interrupts(handlesStop: bars != nil, output: reporter.isRead ? reporter.stream : nil)
    if let bars { interrupts.onStop { stop in bars.whileCleared(stop) } }
    self.interrupts = interrupts
    var configuration = settings.fetcher
    configuration.identity = identity
    configuration.isTrial = settings.cache.isDryRun
    configuration.pixelExecutor = executor
    configuration.temporaryFolder = environment.temporaryFolder
    self.executor = executor
    unique = UniqueDesk(settings, executor, temporaryFolder: environment.temporaryFolder)
    let link = PackLink()
    let purpose = settings.dataSet.purpose
    let asksOwners = product == .dataSet && (purpose != .any || options.obeysRobots)
    let hooks = Self.hooks(settings, reporter, bars, asksOwners ? link : nil) { interrupts.listen() }
    let fetcher = Fetcher(configuration, hooks: hooks)
    feeder = fetcher.feeder(aside: RunInput.maxDeferred)
    self.fetcher = fetcher
    // A place is examined before the run begins. If the program ends in the middle of that, nothing is left behind.
    interrupts.onCause { cause in
      if case .signal(let number) = cause { ProcessEnvironment.exit(ExitCode.ended(by: number)) }
    }
    place = (product == .outputs ? settings.output.place : nil).map { [outputs] in
      PlaceFiles(fetcher.place($0), settings.output, warnings: outputs.warnings)
    }
    let task = product == .dataSet ? try PackTask(settings, environment, fetcher) : nil
    lineCount = bars == nil || task?.retries != nil ? nil : LineCount(settings)
    if let retries = task?.retries { bars?.expect(lines: retries.rounds.reduce(0) { $0 + $1.count }) }
    input = Guarded(Self.openInput(settings, environment, fetcher, reporter, pruning, retries: task?.retries))
    consentDesk = asksOwners ? ConsentDesk(fetcher, options, purpose) : nil
    packing = task.map {
      Packing(settings, $0.folder, retries: $0.retries, grown: $0.grown, events: link.events(reporter))
    }
    comparison = task?.comparison
    link.run.withLock { [self] in $0 = self }
  }

  private static func placeholder(_ settings: OutputSettings) throws(RunFailure) -> Placeholder? {
    do throws(FetchError) { return try Placeholder(settings) } catch {
      throw RunFailure(message: error.message, exitCode: ExitCode.code(of: error.kind))
    }
  }

  /// - Parameter retries: The rows that are tried once more, in place of the lists; nil for the lists.
  private static func openInput(
    _ settings: Settings, _ environment: Environment, _ fetcher: Fetcher, _ reporter: Reporter, _ pruning: Pruning?,
    retries: RetryPlan?
  ) -> RunInput {
    let folder = environment.temporaryFolder
    return RunInput(
      settings, retries: retries, temporaryFolder: folder,
      remote: ListDownload.opener(settings, fetcher, spoolIn: folder),
      sources: SourceLines.opener(
        settings, fetcher, spoolIn: folder, isTable: settings.product == .dataSet,
        advise: { Advice.completing($0, settings.proxy) },
        fail: { reporter.fail($0.message, ExitCode.code(of: $0.kind)) }, warn: { reporter.messages.warn($0) },
        cut: { pruning?.forbid("a limit has left out a part of what the sources name") }))
  }

  /// - Parameter owners: The run that asks owners; nil if none is asked.
  private static func hooks(
    _ settings: Settings, _ reporter: Reporter, _ bars: ProgressDisplay?, _ owners: PackLink?,
    whenOnline: @escaping @Sendable () -> Void
  ) -> FetchHooks {
    var hooks = FetchHooks()
    hooks.warn = { reporter.messages.warn($0) }
    hooks.warnOfCache = { reporter.messages.warn($0, of: .noCache) }
    hooks.whenIdle = { reporter.flush() }
    let log = VerboseLog(settings.messages, reporter.messages)
    // A dry run leaves the cache's folder as it is.
    let isNameless = log != nil && !settings.namesItself && !settings.cache.isDryRun
    hooks.whenOnline = {
      whenOnline()
      if isNameless, OnceTold.isFirstTime("contact", in: settings.fetcher.cacheFolder) {
        reporter.messages.note("--contact ADDRESS tells the owners of sites who asks")
      }
    }
    if settings.cache.isDryRun { hooks.mayDownload = { $0.purpose.stream != nil } }
    if let owners {
      hooks.mayGoOn = { url, key, done in
        if let run = owners.run.withLock({ $0 }) { run.askOwner(of: url, key: key, then: done) } else { done(nil) }
      }
    }
    hooks.tellsHeaders = log?.includesHeaders == true
    // Events are created only if something listens, since they cost time.
    if bars != nil || log != nil {
      hooks.events = { event in
        bars?.handle(event)
        log?.print(event)
      }
    }
    return hooks
  }

  func run() -> Int32 {
    if settings.fetcher.cacheFolder == nil, settings.fetch.policy.usesDisk {
      reporter.messages.warn(
        "there is no cache: neither --cache-dir nor XDG_CACHE_HOME nor HOME says where it is", of: .noCache)
    }
    if settings.product == .entries, fetcher.diskCache == nil {
      bars?.end()
      reporter.messages.printQuietWarnings()
      let reason = fetcher.diskObstacle.map { "\($0); " } ?? ""
      reporter.messages.error("\(reason)without a disk cache there is nothing that prefetch could fill")
      return ExitCode.file
    }
    interrupts.onCause { [self] in breakOff($0) }
    reporter.onOutputLoss { [self] cause in
      endEarly()
      interrupts.end(because: cause)
    }
    // A single image from the cache is done before the user could press a key, and should not pay for the signal
    // thread.
    if settings.readsLists || settings.operands.count > 1 || packing != nil || mayWaitForReader { interrupts.listen() }
    compareList()
    readInput()
    fetcher.wait()
    packing?.finish()
    reporter.flush()
    if let cause = interrupts.cause { return end(because: cause) }
    let code = end()
    fetcher.finishSharing(within: .lasting(settings.remoteCache.wait))
    cleanCache()
    return code
  }
}

// Beside the fetching.
extension GetRun {
  /// True if the image may go to a pipe: opening it or writing to it may last until another program reads.
  private var mayWaitForReader: Bool {
    switch settings.output.single {
    case nil: return false
    case .standardOutput?: return (try? SharedDescriptor.standardOutput.file.status().kind) != .regular
    case .file(let path)?:
      let kind = try? Descriptor.folder(".").status(of: path)?.kind
      return kind == .other || kind == .symbolicLink
    }
  }

  /// Compares the rest of a long list with the shards that are there, on a thread of its own. Without one, each shard
  /// is compared when its lines are read.
  private func compareList() {
    guard let comparison else { return }
    _ = try? Threads.start(name: "imgfetch-compare") { [self] in
      var comparison = comparison
      do throws(RunFailure) { _ = try comparison.run { [stop] in stop.isSet } } catch {
        packing?.end(error.message, error.exitCode)
      }
    }
  }
}

// From the fetcher to the reporter, on any thread.
extension GetRun {
  /// Called once for each line.
  ///
  /// - Parameter given: the operand as typed; nil for a line of a list.
  func finish(_ result: FetchResult, _ tag: LineTag, given: String? = nil, note: RecordNote? = nil) {
    bars?.preview?.finish(result.tag)
    unique?.settle(result.tag)
    packing?.finish(result, note ?? RecordNote())
    let error = (result.error ?? (settings.product == .entries ? result.cacheError : nil)).map(endingIfFull)
    if let error {
      failedList.end(result.tag, error)
      var failed = result
      failed.error = Advice.completing(error, given: given, settings.proxy)
      // The error says it.
      if result.error == nil { failed.warnings = [] }
      if error.kind != .cancelled, settings.output.failFast, stop.set() {
        reporter.markIncomplete()
        unique?.cancel()
        fetcher.cancelAll()
      }
      bars?.finish(error, at: result.failedURL)
      return reporter.deliver(failed, tag)
    }
    failedList.end(result.tag)
    bars?.finish(nil)
    reporter.deliver(result, tag)
  }

  /// A full disk ends the run: each further image would be downloaded in vain, and fail alike. Other images that had no
  /// room meanwhile count as broken off.
  private func endingIfFull(_ error: FetchError) -> FetchError {
    guard error.isOfFullDisk, packing == nil else { return error }
    guard isOutOfRoom.exchange(true, ordering: .acquiringAndReleasing) else {
      if !settings.readsLists && settings.operands.count < 2 { return error }
      stop.set()
      reporter.markIncomplete()
      // Under --exit-zero failed images are rows; that no more can be had is not.
      reporter.count(ExitCode.file)
      unique?.cancel()
      fetcher.cancelAll()
      return FetchError(
        .file, error.subject, "\(error.reason); the run ends here", isTransient: error.isTransient,
        status: error.status,
        remedy: error.remedy, cause: error.cause)
    }
    return FetchError(.cancelled, error.subject, "broken off, since there is no room for it")
  }

  /// True if nothing is requested or written (`--dry-run`).
  var isDryRun: Bool { settings.cache.isDryRun }

  /// The row of a dry run for an image.
  ///
  /// - Parameter name: the name of its file; nil if it would go to standard output.
  func foreseen(_ result: FetchResult, _ name: ClaimedName?, _ standing: EntryStanding?) -> FetchResult {
    guard result.isStale || result.error?.kind == .offline, settings.fetch.policy != .only else {
      var served = result
      if result.error == nil { served.freshUntil = standing?.freshUntil }
      if result.error == nil, name == nil { served.output = "-" }
      return served
    }
    var asked = FetchResult(tag: result.tag, url: result.url, key: result.key)
    asked.cache = .network
    guard let name else {
      asked.output = "-"
      return asked
    }
    let format: ImageFormat? = if case .format(let made) = settings.transform.target { made } else { nil }
    if name.choice().isKnown(becoming: format) {
      asked.output = place == nil ? outputs.path(name, becoming: format) : name.choice().path(becoming: format)
    }
    return asked
  }

  /// Writes the placeholder if the image failed.
  func withPlaceholder(_ result: FetchResult, _ name: ClaimedName?) -> FetchResult {
    // The next run may fetch an image that was broken off, and would find the placeholder in its place.
    guard let name, let error = result.error, error.kind != .cancelled else { return result }
    var result = result
    do throws(FetchError) { result.output = try outputs.writePlaceholder(as: name) } catch {
      reporter.fail(error.message, ExitCode.file)
    }
    return result
  }
}

extension FetchResult {
  /// The failure of a request that was to fill the cache; nil if it is in the cache, or may not be kept there.
  fileprivate var cacheError: FetchError? {
    cacheFailure.map {
      FetchError(.file, url, $0.text, isTransient: true, status: status, cause: .init(errno: $0.code))
    }
  }
}
