/// Fetches images from memory, from a disk cache that any number of processes share, or over the network. Concurrent
/// requests for one image share a download. Only complete images are delivered.
///
/// Make one for a program and share it. It is safe to use from any thread. It starts threads when it needs them, and
/// loads libcurl with the first download. ``close()-2warc`` ends them; so does letting it go.
///
/// ``image(for:)`` and its kin are for tasks. ``submit(_:deliver:)``, ``fetchAll(_:deliver:)`` and
/// ``wait(untilOutstanding:)`` are for programs without Swift concurrency, such as imgfetch itself: they call closures on
/// the fetcher's own threads, and block the calling thread where it waits.
public final class Fetcher: Sendable {
  let pipeline: Pipeline
  let decoding: ImageDecoding
  /// How many requests of a list may be outstanding before reading the list pauses: 256, or fewer if the limit on open
  /// files is low.
  public let window: Int

  /// Creates a fetcher with this configuration. It calls `hooks` while it works.
  public convenience init(_ configuration: Configuration = Configuration(), hooks: FetchHooks = FetchHooks()) {
    self.init(configuration, clock: SystemClock(), hooks: hooks) {
      (options, clock, isBackedUp, makeClient) throws(TransportFailure) in
      try NetworkLoop(options: options, clock: clock, isBackedUp: isBackedUp, makeClient: makeClient)
    }
  }

  /// Creates a fetcher that is answered by a table and not by the network, for a program's own tests.
  public convenience init(
    _ configuration: Configuration = Configuration(), hooks: FetchHooks = FetchHooks(), answers: AnswerTable
  ) {
    self.init(configuration, clock: SystemClock(), hooks: hooks) {
      (_, clock, _, makeClient) throws(TransportFailure) in
      try TableLoop(answers, clock: clock, makeClient: makeClient)
    }
  }

  /// How busy the fetcher is.
  public var load: FetcherLoad { pipeline.load }

  init(
    _ configuration: Configuration, clock: any Clock, hooks: FetchHooks = FetchHooks(),
    makeLoop: @escaping Pipeline.LoopMaker
  ) {
    var disk: DiskCache?
    let warn = hooks.warnOfCache ?? hooks.warn ?? { _ in }
    if let folder = configuration.cacheFolder {
      do throws(CacheUnavailable) {
        disk = try DiskCache.open(
          root: folder, namespace: configuration.namespace, readOnlyTiers: configuration.readOnlyCaches, clock: clock,
          report: warn)
      } catch { warn(error.message) }
    }
    if configuration.remoteCache != nil, disk == nil {
      warn("the remote cache is not used, because there is no disk cache")
    }
    var core = configuration.pipeline
    if case .helper(let path) = configuration.decoding {
      core.pixelExecutor = SandboxedExecutor(path, warn: hooks.warn ?? { _ in })
    }
    decoding = ImageDecoding(
      executor: core.pixelExecutor, decoders: configuration.decoders, place: configuration.decoding)
    let allowance = FileAllowance(jobs: core.admission.jobs, files: ProcessEnvironment.fileLimit)
    core.admission.jobs = allowance.jobs
    core.network.idleConnections = allowance.idle
    core.lookUps = allowance.lookUps
    window = allowance.window
    core.openParts = 2 * allowance.window
    pipeline = Pipeline(core, disk: disk, clock: clock, hooks: hooks, makeLoop: makeLoop)
  }

  /// How many files this process has open at most with that many downloads at once.
  package static func filesNeeded(forJobs jobs: Int) -> Int { FileAllowance.files(forJobs: jobs) }

  /// Submits a request. `deliver` is called exactly once, on one of the fetcher's threads or on a thread in
  /// ``wait(untilOutstanding:)``, perhaps before this returns. Returns a number for ``cancel(_:)``.
  @discardableResult
  public func submit(_ request: consuming FetchRequest, deliver: @escaping @Sendable (FetchResult) -> Void) -> UInt64 {
    // A copy of all that a request holds is a part of what an image costs.
    if pipeline.hooks.prepare == nil, request.derivation == nil { return pipeline.submit(request, deliver: deliver) }
    return pipeline.ask(request, deliver: deliver)
  }

  /// Sets the origin that the credentials in ``Configuration/identity`` are for, if it is not that of the first
  /// request. Later calls, and calls after the first request, have no effect.
  public func bindIdentity(to url: WebURL) { pipeline.identity.bind(to: url) }

  /// The identity's cookie jar after the changes by answers; nil if there were none.
  public var changedCookies: CookieJar? { pipeline.identity.changedCookies }

  /// The number of requests without an answer.
  public var outstanding: Int { pipeline.outstanding }

  /// Waits until at most `count` requests are outstanding. The calling thread does part of the work.
  public func wait(untilOutstanding count: Int = 0) { pipeline.wait(untilOutstanding: count) }

  /// Waits until all requests are answered, but no longer than `seconds`. The calling thread only sleeps.
  public func wait(atMost seconds: Double) { pipeline.wait(atMost: .seconds(seconds)) }

  /// Ensures that submitted requests make progress. Call it before blocking on something else.
  public func kick() { pipeline.kick() }

  /// Like ``wait(untilOutstanding:)``, but gives up after `seconds` in which the process used less than half a core:
  /// the requests then wait for a slow host. Returns whether at most `count` requests are outstanding.
  ///
  /// If a host answers as fast as its answers can be processed, requests to another host would gain nothing. Without
  /// this check of the processor time, a list of 2,000 images from one fast host was read ahead in most runs, and
  /// nearly all of its lines were read twice.
  package func wait(untilOutstanding count: Int, patience seconds: Double) -> Bool {
    let clock = SystemClock()
    while true {
      let (start, workedBefore) = (clock.now(), Processes.processorTime())
      if pipeline.wait(untilOutstanding: count, patience: .seconds(seconds)) { return true }
      let (elapsed, worked) = (clock.now() - start, Processes.processorTime() - workedBefore)
      if worked.nanoseconds * 2 < elapsed.nanoseconds { return false }
    }
  }

  /// Cancels a request. It is answered with ``FetchError/Kind/cancelled``, unless its answer is being delivered
  /// already.
  public func cancel(_ request: UInt64) { pipeline.cancel(request) }

  /// Cancels all requests, keeps what can be resumed later, and starts nothing new.
  public func cancelAll() { pipeline.cancelAll() }

  /// Cleans the disk cache if it is over `maximumSize` bytes or was not cleaned for a day. It stops after a tenth of a
  /// second, unless the cache has twice that size. For the end of a run. It takes some microseconds if nothing is due.
  ///
  /// - Parameters:
  ///   - maximumAge: in seconds; entries that are older and were not used for as long are removed.
  ///   - maximumSize: in bytes.
  public func cleanCacheIfDue(maximumAge: Double, maximumSize: Int64) {
    pipeline.disk?.cleanIfDue(maximumAge: maximumAge, maximumSize: maximumSize)
  }

  /// Waits until everything that was downloaded is in the remote cache, as far as it is to be put there, but no longer than `seconds`.
  public func finishSharing(within seconds: Double) { pipeline.finishSharing(within: .seconds(seconds)) }

  /// Closes the fetcher: answers all requests, those that have no answer yet as cancelled, and ends all threads. What can
  /// be resumed later is kept. Requests that follow are refused at once, as cancelled.
  ///
  /// It waits for the threads, so it must not be called by a hook, a sink or a `deliver` closure.
  public func close() { pipeline.close() }

  /// A fetcher that is let go closes itself, without waiting for it.
  deinit { pipeline.closeAside() }
}

extension NetworkLoop: Loop where Client == NetworkStage {}
