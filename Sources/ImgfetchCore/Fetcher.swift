/// Fetches images: from memory, from a disk cache that any number of processes share, or over the network; one download for
/// any number of askers, and nothing but whole images.
///
/// Make one for a program and share it: it is safe to use from any thread. It starts threads when it needs them, and the network's
/// library is loaded with the first download. Call ``close()`` when it is not needed any more.
public final class Fetcher: Sendable {
  let pipeline: Pipeline
  /// How many requests of a list may be missing their answers before the list is read no further, as long as they come: 256, or
  /// fewer where only few files may be open.
  public let window: Int

  /// A fetcher with this configuration, which tells `hooks` what happens on the way.
  public convenience init(_ configuration: Configuration = Configuration(), hooks: FetchHooks = FetchHooks()) {
    self.init(configuration, clock: SystemClock(), hooks: hooks) {
      (options, clock, isBackedUp, makeClient) throws(TransportFailure) in
      try NetworkLoop(options: options, clock: clock, isBackedUp: isBackedUp, makeClient: makeClient)
    }
  }

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
    var core = configuration.pipeline
    let allowance = FileAllowance(jobs: core.admission.jobs, files: ProcessEnvironment.fileLimit)
    core.admission.jobs = allowance.jobs
    core.network.idleConnections = allowance.idle
    window = allowance.window
    pipeline = Pipeline(core, disk: disk, clock: clock, hooks: hooks, makeLoop: makeLoop)
  }

  /// How many files so many downloads at once have open at most, with all that is beside them.
  package static func filesNeeded(forJobs jobs: Int) -> Int { FileAllowance.files(forJobs: jobs) }

  /// Asks for an image. `deliver` is called exactly once, on one of the fetcher's threads or on one that waits in
  /// ``wait(untilOutstanding:)``; perhaps before this returns. The answer is a number for ``cancel(_:)``.
  @discardableResult
  public func submit(_ request: consuming FetchRequest, deliver: @escaping @Sendable (FetchResult) -> Void) -> UInt64 {
    pipeline.submit(request, deliver: deliver)
  }

  /// Says which is the first URL, where that is not the first one that is asked for: to its origin belongs what of the
  /// configuration's ``Configuration/identity`` belongs to one. Later calls, and those after the first request, change nothing.
  public func bindIdentity(to url: WebURL) { pipeline.identity.bind(to: url) }

  /// The cookies of the identity's jar as answers have left them; nil: none has changed any.
  public var changedCookies: CookieJar? { pipeline.identity.changedCookies }

  /// How many requests have no answer yet.
  public var outstanding: Int { pipeline.outstanding }

  /// Waits until at most so many requests have no answer. The calling thread does a part of the work meanwhile.
  public func wait(untilOutstanding count: Int = 0) { pipeline.wait(untilOutstanding: count) }

  /// The same, for so many seconds at the most; the calling thread only sleeps.
  public func wait(atMost seconds: Double) { pipeline.wait(atMost: .seconds(seconds)) }

  /// Sees to it that what was submitted is under way, before the caller blocks on something else.
  public func kick() { pipeline.kick() }

  /// The same, until for so many seconds more than half of a core was idle: requests are waiting for a host. Whether so few are left.
  ///
  /// While a host answers as fast as its answers can be dealt with, there is no time left for another one. Without the look at the
  /// processor's time, a list of 2,000 images of one fast host was read on in most runs, and nearly all of its lines were read twice.
  package func wait(untilOutstanding count: Int, patience seconds: Double) -> Bool {
    let clock = SystemClock()
    while true {
      let (start, workedBefore) = (clock.now(), Processes.processorTime())
      if pipeline.wait(untilOutstanding: count, patience: .seconds(seconds)) { return true }
      let (elapsed, worked) = (clock.now() - start, Processes.processorTime() - workedBefore)
      if worked.nanoseconds * 2 < elapsed.nanoseconds { return false }
    }
  }

  /// The request with this number is wanted no longer. Its answer says so, unless it was on its way already.
  public func cancel(_ request: UInt64) { pipeline.cancel(request) }

  /// Breaks off all that is under way, keeping what can be gone on with later, and begins nothing new.
  public func cancelAll() { pipeline.cancelAll() }

  /// Cleans the disk cache, if it is over `maximumSize` bytes or was not cleaned for a day: a part of it, within a tenth of a
  /// second, unless it is over twice its size. For the end of a run; where nothing is due it costs some microseconds.
  ///
  /// - Parameter maximumAge: seconds; what is older and was not used for as long goes.
  public func cleanCacheIfDue(maximumAge: Double, maximumSize: Int64) {
    pipeline.disk?.cleanIfDue(maximumAge: maximumAge, maximumSize: maximumSize)
  }

  /// Ends the fetcher's threads, after what is under way.
  public func close() { pipeline.close() }
}

extension NetworkLoop: Loop where Client == NetworkStage {}
