import ImgfetchCore
import Synchronization

/// `get`, `prefetch` and `pack`: sets up a run and runs it.
enum GetCommand {
  static func run(_ settings: Settings, _ environment: Environment, _ command: Command) -> Int32 {
    if let objection = FailedList.objection(settings) {
      Messages().error(objection)
      return UsageError.exitCode
    }
    ProcessEnvironment.tuneMemory()
    ProcessEnvironment.allowFiles(Fetcher.filesNeeded(forJobs: settings.fetcher.jobs))
    ProcessEnvironment.makeRoomForFiles()
    var settings = settings
    let identity: FetchIdentity
    // Before the progress bars, since the user may be asked for a password at the terminal.
    do throws(CredentialReader.Failure) {
      identity = try CredentialReader.read(settings) { warning in
        Messages(isQuiet: settings.messages.quiet, isJSON: settings.report.hasJSONMessages).warn(warning)
      }
      let accounts = S3AccountReader(environment)
      settings.list.urls = URLReader(accounts.account) { accounts.failure.map { ($0.message, $0.exitCode) } }
      settings.fetcher.remoteCache = try CredentialReader.remoteCache(settings, accounts)
      try CredentialReader.checkLists(settings, accounts)
      settings.output.place = try CredentialReader.place(settings, accounts)
      settings.fetcher.place = settings.output.place
      settings.fetcher.stores = try CredentialReader.stores(settings)
    } catch {
      Messages(isJSON: settings.report.hasJSONMessages).error(error.message)
      return error.exitCode
    }
    var file: ReportFile?
    do throws(FetchError) {
      if let path = settings.report.file { file = try ReportFile(path, ResultJSON(settings.report)) }
    } catch {
      Messages(isJSON: settings.report.hasJSONMessages).error(error.message)
      return ExitCode.code(of: error.kind)
    }
    let bars = ProgressDisplay(settings, environment)
    let messages = Messages(
      isQuiet: settings.messages.quiet, isJSON: settings.report.hasJSONMessages, bars: bars)
    if settings.list.inputs.contains("-"), ProcessEnvironment.isTerminal(0) {
      messages.note("reading URLs from this terminal, one a line; Ctrl-D at the beginning of a line ends the list")
    }
    if let obstacle = Pruning(settings)?.obstacle {
      messages.error(obstacle)
      return ExitCode.usage
    }
    if let path = settings.output.failedList, let obstacle = FailedList.obstacle(path) {
      messages.warn(obstacle.message)
    }
    let earlier =
      settings.report.printing == .new
      ? settings.output.failedList.flatMap {
        EarlierFailures($0, isNullEnded: settings.list.isNullEnded, settings.list.urls)
      } : nil
    let reporter = Reporter(
      settings, messages: messages, file: file, bars: bars, environment: environment,
      holdsImage: command == .get && settings.output.single == .standardOutput, isPack: command == .pack,
      earlier: earlier)
    do throws(PackFailure) {
      return try GetRun(
        settings, environment, identity, reporter: reporter, bars: bars, earlier: earlier, command: command
      ).run()
    } catch {
      bars?.end()
      file?.discard()
      messages.error(error.message)
      return error.exitCode
    }
  }
}

extension ProgressDisplay {
  /// The requested display on standard error; nil if there is none.
  convenience init?(_ settings: Settings, _ environment: Environment) {
    let requested = settings.messages.quiet ? .none : settings.report.progress
    let mode = ProgressMode(
      requested, isTerminal: ProcessEnvironment.isTerminal(2),
      isRead: SharedDescriptor.standardOutput.file.hasLostReader() != nil, kind: environment["TERM"])
    if mode == .none { return nil }
    let window = Window(2, environment)
    var appearance = Appearance(
      mode: mode, style: Style(hasColour: Messages.hasColour(settings.messages.color, 2, environment)),
      isUnicode: ProgressMode.isUnicode { environment[$0] }, window: { (window.columns ?? 80, window.rows ?? 24) })
    if mode == .bars, settings.report.showsPreview {
      appearance.preview = Preview(
        TerminalColours { environment[$0] },
        executor: settings.isSandboxed ? SandboxedExecutor(limit: 1) { _ in } : InProcessExecutor(),
        columns: { window.columns ?? 80 })
    }
    self.init(appearance, on: .standardError)
  }
}

extension Settings {
  /// The details that are asked for: by options, and by templates that name them.
  fileprivate func wantedDetails(isPrefetch: Bool) -> ImageDetailSet {
    var wanted = fetch.details
    if let template = report.writeOut.map(WriteOut.init) {
      for field in ResultField.allCases where template.uses(field) {
        if let fingerprint = field.fingerprint { wanted.insert(fingerprint) }
        if field == .exif { wanted.insert(.exif) }
      }
    }
    if !isPrefetch, let template = output.nameTemplate { wanted = wanted.union(OutputTemplate(template).fingerprints) }
    return wanted
  }
}

/// One run of `get`: reads the input, fetches it, and passes the results to the reporter.
///
/// Owned by the main thread, which reads the input and waits for the rest. Results arrive on the fetcher's threads.
final class GetRun: Sendable {
  let settings: Settings
  let reporter: Reporter
  let fetcher: Fetcher
  let isPrefetch: Bool
  /// The data set that is made of the images; nil if each image is an output by itself.
  let packing: Packing?
  /// Asks owners about the permitted uses of their images; nil if none is asked.
  let consentDesk: ConsentDesk?
  /// The part of a long list that is still to be compared.
  let comparison: ListComparison?
  let sharedOptions: SharedOptions
  /// The shared options with the referer of the last line that had one.
  let refererOptions = Guarded<(referer: String, options: SharedOptions)?>(nil)
  /// The transform of delivered images; nil if there is none.
  let derivation: TransformDerivation?
  /// The files that are written.
  let outputs: OutputFiles
  /// The place that gets images instead of files; nil if there is none.
  let place: PlaceFiles?
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
  /// Nil if the number of lines is not needed or cannot be known.
  let lineCount: LineCount?
  /// Decides which of the lines that were read is sent next.
  let lookAhead: Guarded<LookAhead>
  /// The progress of saving the untried lines.
  let untriedLines = Guarded(SaveState.notStarted)
  enum SaveState { case notStarted, running, done }
  let interrupts: Interrupts
  /// The executor that decodes pixels.
  let executor: any PixelExecutor

  init(
    _ settings: Settings, _ environment: Environment, _ identity: FetchIdentity, reporter: Reporter,
    bars: ProgressDisplay?, earlier: EarlierFailures? = nil, command: Command
  ) throws(PackFailure) {
    self.settings = settings
    self.reporter = reporter
    self.bars = bars
    let isPrefetch = command == .prefetch
    self.isPrefetch = isPrefetch
    var options = settings.fetch
    options.reportsChecksum =
      settings.report.checksum || settings.report.writeOut.map { WriteOut($0).uses(.sha256) } == true
    options.details = settings.wantedDetails(isPrefetch: isPrefetch)
    sharedOptions = SharedOptions(options)
    let transform = isPrefetch || settings.transform.isIdentity ? nil : settings.transform
    let executor = PixelExecutors.make(
      transform != nil || settings.fetch.verification == .decode || !options.details.isEmpty,
      isSandboxed: settings.isSandboxed,
      reporter.messages)
    derivation = transform.map { TransformDerivation($0, executor: executor) }
    let placeholder = settings.output.placeholder.flatMap { Self.placeholder($0, reporter) }
    hasPlaceholder = placeholder != nil
    outputs = OutputFiles(
      folder: settings.output.place == nil ? settings.output.folder : nil, OutputRules(settings.output),
      isNamed: settings.output.single != nil,
      makesFolders: !settings.cache.isDryRun, placeholder: placeholder)
    failedList = FailedList(
      path: settings.cache.isDryRun ? nil : settings.output.failedList, isNullEnded: settings.list.isNullEnded,
      takesFields: settings.list.format == .lines, earlier: earlier)
    pruning = Pruning(settings)
    stop = StopFlag(settings)
    let interrupts = Interrupts(handlesStop: bars != nil, output: reporter.isRead ? reporter.stream : nil)
    if let bars { interrupts.onStop { stop in bars.whileCleared(stop) } }
    self.interrupts = interrupts
    var configuration = settings.fetcher
    configuration.identity = identity
    configuration.pixelExecutor = executor
    configuration.temporaryFolder = environment.temporaryFolder
    self.executor = executor
    let fetcher = Fetcher(configuration, hooks: Self.hooks(settings, reporter, bars) { interrupts.listen() })
    lookAhead = Guarded(LookAhead(fetcher.lookAhead(aside: RunInput.maxDeferred)))
    self.fetcher = fetcher
    // A place is examined before the run begins. If the program ends in the middle of that, nothing is left behind.
    interrupts.onCause { cause in
      if case .signal(let number) = cause { ProcessEnvironment.exit(ExitCode.ended(by: number)) }
    }
    place =
      command != .get
      ? nil
      : settings.output.place.map { [outputs] in
        PlaceFiles(
          fetcher.place($0), keepsExisting: !settings.output.clobber, overwrites: settings.output.overwrite,
          warnings: outputs.warnings)
      }
    let task = command == .pack ? try PackTask(settings, environment, fetcher) : nil
    lineCount = bars == nil || task?.retries != nil ? nil : LineCount(settings, isPack: task != nil)
    if let retries = task?.retries { bars?.expect(lines: retries.rounds.reduce(0) { $0 + $1.count }) }
    input = Guarded(
      RunInput(
        settings, retries: task?.retries, isPack: task != nil, temporaryFolder: environment.temporaryFolder,
        remote: ListDownload.opener(settings, fetcher, spoolIn: environment.temporaryFolder)))
    let link = PackLink()
    let purpose = settings.dataSet.purpose
    consentDesk =
      task != nil && (purpose != .any || options.obeysRobots)
      ? ConsentDesk(fetcher, options, purpose) : nil
    packing = task.map {
      Packing(settings, $0.folder, retries: $0.retries, grown: $0.grown, events: link.events(reporter))
    }
    comparison = task?.comparison
    link.run.withLock { [self] in $0 = self }
  }

  private static func hooks(
    _ settings: Settings, _ reporter: Reporter, _ bars: ProgressDisplay?, whenOnline: @escaping @Sendable () -> Void
  ) -> FetchHooks {
    var hooks = FetchHooks()
    hooks.warn = { reporter.messages.warn($0) }
    hooks.warnOfCache = { reporter.messages.warn($0, of: .noCache) }
    hooks.whenIdle = { reporter.flush() }
    let log = VerboseLog(settings.messages, reporter.messages)
    let isNameless = log != nil && !settings.namesItself
    hooks.whenOnline = {
      whenOnline()
      if isNameless, OnceTold.isFirstTime("contact", in: settings.fetcher.cacheFolder) {
        reporter.messages.note("--contact ADDRESS tells the owners of sites who asks")
      }
    }
    if settings.cache.isDryRun { hooks.mayDownload = { $0.watcher is any BodyStream } }
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
    if isPrefetch, fetcher.diskCache == nil {
      bars?.end()
      reporter.messages.printQuietWarnings()
      reporter.messages.error("without a disk cache there is nothing that prefetch could fill")
      return ExitCode.file
    }
    interrupts.onCause { [self] in breakOff($0) }
    reporter.onOutputLoss { [self] cause in
      endEarly()
      interrupts.end(because: cause)
    }
    // A single image from the cache is done before the user could press a key, and should not pay for the signal
    // thread.
    if !settings.list.inputs.isEmpty || settings.operands.count > 1 || packing != nil || mayWaitForReader {
      interrupts.listen()
    }
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
      do throws(PackFailure) { _ = try comparison.run { [stop] in stop.isSet } } catch {
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
    packing?.finish(result, note ?? RecordNote())
    let error = (result.error ?? (isPrefetch ? result.cacheError : nil)).map(endingIfFull)
    if let error {
      failedList.end(result.tag, error)
      var failed = result
      failed.error = Advice.completing(error, given: given, settings.proxy)
      // The error says it.
      if result.error == nil { failed.warnings = [] }
      if error.kind != .cancelled, settings.output.failFast, stop.set() {
        reporter.markIncomplete()
        fetcher.cancelAll()
      }
      bars?.finish(error)
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
      if settings.list.inputs.isEmpty && settings.operands.count < 2 { return error }
      stop.set()
      reporter.markIncomplete()
      // Under --exit-zero failed images are rows; that no more can be had is not.
      reporter.count(ExitCode.file)
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

  /// The row of a dry run for an image that the origin would be asked for.
  func foreseen(_ result: FetchResult, _ name: ClaimedName, _ standing: EntryStanding?) -> FetchResult {
    guard result.isStale || result.error?.kind == .offline, settings.fetch.policy != .only else {
      var served = result
      if result.error == nil { served.freshUntil = standing?.freshUntil }
      return served
    }
    var asked = FetchResult(tag: result.tag, url: result.url, key: result.key)
    asked.cache = .network
    asked.output = place == nil ? outputs.path(name) : name.path(for: nil)
    return asked
  }

  /// Writes the placeholder if the image failed.
  func withPlaceholder(_ result: FetchResult, _ name: ClaimedName) -> FetchResult {
    // The next run may fetch an image that was broken off, and would find the placeholder in its place.
    guard let error = result.error, error.kind != .cancelled else { return result }
    var result = result
    do throws(FetchError) { result.output = try outputs.writePlaceholder(as: name) } catch {
      reporter.fail(error.message, ExitCode.file)
    }
    return result
  }

  static func placeholder(_ path: String, _ reporter: Reporter) -> Placeholder? {
    do throws(SystemError) { return try Placeholder(file: path) } catch {
      reporter.fail("\(path): the placeholder cannot be read: \(error.code)", ExitCode.file)
      return nil
    }
  }
}

// How a run ends: regularly, or interrupted, with the untried lines saved for another run.
extension GetRun {
  /// Ends the run in order, on a separate thread: the main thread may be blocked in a read.
  func breakOff(_ cause: Interrupts.Cause) {
    let clock = SystemClock()
    let deadline = clock.now() + Self.patience
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
    fetcher.cancelAll()
  }

  private func keepCookies() {
    guard !isDryRun, let path = settings.credentials.cookieJar, let jar = fetcher.changedCookies else { return }
    do throws(FetchError) { try CookieFile.write(jar, to: path) } catch { reporter.fail(error.message, ExitCode.file) }
  }

  func end(because cause: Interrupts.Cause? = nil) -> Int32 {
    bars?.end()
    keepCookies()
    for warning in outputs.warnings.sentences { reporter.messages.warn(warning) }
    let (isDone, unread) = input.withLock { ($0.list.isDone, $0.list.unread) }
    if cause == nil, isDone, !stop.isSet { prune() }
    switch failedList.close(isComplete: isDone, unread: unread) {
    case .fine: break
    case .written(let path, let wanted):
      reporter.messages.warn(
        "\(wanted): this file is kept, since --failed-list did not write it; the list of failures is \(path)")
    case .failed(let error): reporter.fail(error.message, ExitCode.file)
    case .leftAlone(let path):
      reporter.messages.warn("\(path): nothing failed, and this file is kept, since --failed-list did not write it")
    }
    return reporter.finish(because: cause)
  }

  /// Removes files that no line wanted, after a complete run.
  private func prune() {
    switch pruning?.run(isTrial: isDryRun) {
    case .removed(let paths)?:
      if paths.isEmpty { return }
      reporter.messages.note(
        "\(Amount.count(paths.count, "file")) that no line wants: \(isDryRun ? "would be " : "")removed "
          + "(\(Pruning.shown(paths)))")
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
        if !isInShard(line) { continue }
        failedList.add(line)
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
      let lines = lookAhead.withLock { $0.takeAll() }.map(DeferredLine.init).sorted { $0.index < $1.index }
      for line in lines { failedList.add(input.deferred.removeText(of: line), number: line.index) }
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

  private func isInShard(_ line: ArraySlice<UInt8>) -> Bool {
    if settings.list.shard == nil { return true }
    guard let url = input.withLock({ $0.list.url(of: line) }) else {
      return isInShard(ContentHash(of: line.span))
    }
    return isInShard(ContentHash(of: settings.fetch.keyFilter.key(for: url).utf8Span.span))
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

extension FetchResult {
  /// The failure of a request that was to fill the cache; nil if it is in the cache, or may not be kept there.
  fileprivate var cacheError: FetchError? {
    cacheFailure.map {
      FetchError(.file, url, $0.text, isTransient: true, status: status, cause: .init(errno: $0.code))
    }
  }
}
