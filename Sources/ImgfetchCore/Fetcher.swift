/// Fetches images from memory, from a disk cache that any number of processes share, or over the network. Concurrent
/// requests for one image share a download. Only complete images are delivered.
///
/// Make one for a program and share it. It is safe to use from any thread. It starts threads when it needs them, and
/// loads libcurl with the first download. ``close()-2warc`` ends them; so does letting it go.
///
/// ``image(for:)`` and its kin are for tasks. ``submit(_:deliver:)``, ``fetchAll(_:deliver:)`` and
/// ``wait(untilOutstanding:)`` are for programs without Swift concurrency, such as imgfetch itself: they call closures
/// on the fetcher's own threads, and block the calling thread where it waits.
public final class Fetcher: Sendable {
  let pipeline: Pipeline
  let decoding: ImageDecoding
  /// The number of requests of a list that may be outstanding before reading the list pauses: 256, or fewer if the
  /// limit on open files is low.
  public let window: Int

  /// Creates a fetcher with this configuration. It calls `hooks` while it works.
  public convenience init(_ configuration: Configuration = Configuration(), hooks: FetchHooks = FetchHooks()) {
    self.init(configuration, clock: SystemClock(), hooks: hooks) {
      (options, clock, isBackedUp, makeClient) throws(TransportFailure) in
      try NetworkLoop(options: options, clock: clock, isBackedUp: isBackedUp, makeClient: makeClient)
    }
  }

  /// Creates a fetcher that asks a transport of the program's own in the place of the network.
  public convenience init(
    _ configuration: Configuration = Configuration(), hooks: FetchHooks = FetchHooks(), transport: any FetchTransport
  ) {
    self.init(configuration, hooks: hooks, transport: transport, clock: SystemClock())
  }

  /// Creates a fetcher that is answered by a table and not by the network, for a program's own tests.
  public convenience init(
    _ configuration: Configuration = Configuration(), hooks: FetchHooks = FetchHooks(), answers: AnswerTable
  ) {
    self.init(configuration, hooks: hooks, transport: answers)
  }

  /// The same with a clock of a test's own.
  package convenience init(
    _ configuration: Configuration, hooks: FetchHooks = FetchHooks(), transport: any FetchTransport, clock: any Clock
  ) {
    self.init(configuration, clock: clock, hooks: hooks) {
      (_, clock, isBackedUp, makeClient) throws(TransportFailure) in
      try OwnLoop(transport, clock: clock, isBackedUp: isBackedUp, makeClient: makeClient)
    }
  }

  /// The current load of the fetcher.
  public var load: FetcherLoad { FetcherLoad(of: pipeline) }

  init(
    _ configuration: Configuration, clock: any Clock, hooks: FetchHooks = FetchHooks(),
    makeLoop: @escaping Pipeline.LoopMaker
  ) {
    var disk: DiskCache?
    let warn = hooks.warnOfCache ?? hooks.warn ?? { _ in }
    if let folder = configuration.cacheFolder {
      do throws(CacheUnavailable) {
        disk = try DiskCache.open(
          root: folder, namespace: configuration.namespace, readOnlyCaches: configuration.readOnlyCaches,
          isTrial: configuration.isTrial, clock: clock, report: warn)
      } catch { warn(error.message) }
    }
    var remote: RemoteCache?
    if let settings = configuration.remoteCache {
      if disk != nil {
        remote = RemoteCache(settings, namespace: configuration.namespace, warn: warn)
      } else {
        warn("the remote cache is not used, because there is no disk cache")
      }
    }
    var core = configuration.pipeline
    if case .helper(let path) = configuration.decoding {
      core.pixelExecutor = SandboxedExecutor(path, warn: hooks.warn ?? { _ in })
    }
    decoding = ImageDecoding(
      executor: core.pixelExecutor, decoders: configuration.decoders, place: configuration.decoding)
    let allowance = FileAllowance(jobs: core.admission.jobs, files: ProcessEnvironment.fileLimit)
    core.admission.jobs = allowance.jobs
    (core.stragglers.jobs, core.stragglers.beside) = (allowance.jobs, allowance.beside)
    core.idleConnections = allowance.idle
    core.lookUps = allowance.lookUps
    window = allowance.window
    core.openParts = 2 * allowance.window
    let memory = MemoryCache(
      limit: configuration.memoryLimit, count: configuration.memoryCount ?? .max, files: allowance.kept,
      readsFiles: configuration.readsMemoryFiles, clock: clock)
    pipeline = Pipeline(
      core, memory: memory, disk: disk, remote: remote, clock: clock, hooks: hooks, makeLoop: makeLoop)
  }

  /// The most files that this process has open with that many downloads at once.
  package static func filesNeeded(forJobs jobs: Int) -> Int { FileAllowance.files(forJobs: jobs) }

  /// Returns the reason why nothing can be downloaded on this machine: libcurl is missing, too old or cannot be loaded.
  /// Nil means that it can. This call loads libcurl.
  package static func networkObstacle(_ libcurl: LibcurlChoice) -> String? {
    do throws(TransportFailure) { try CurlLibrary.load(libcurl) } catch { return error.reason }
    return nil
  }

  /// Submits a request. `deliver` is called exactly once, on one of the fetcher's threads or on a thread in
  /// ``wait(untilOutstanding:)``, perhaps before this returns. Returns a number for ``cancel(_:)``.
  @discardableResult
  public func submit(_ request: consuming FetchRequest, deliver: @escaping @Sendable (FetchResult) -> Void) -> UInt64 {
    // A copy of all that a request holds is a part of what an image costs.
    if pipeline.hooks.prepare == nil, request.derivation == nil { return pipeline.submit(request, deliver: deliver) }
    return pipeline.submit(request.prepared(for: pipeline), deliver: deliver)
  }

  /// Sets the origin that the credentials in ``Configuration/identity`` are for, if it is not that of the first
  /// request. Later calls, and calls after the first request, have no effect.
  public func bindIdentity(to url: WebURL) { pipeline.identity.bind(to: url) }

  /// The identity's cookie jar after the changes by answers, or nil if there were none.
  public var changedCookies: CookieJar? { pipeline.identity.changedCookies }

  /// The number of requests without an answer. A request counts until what its answer was passed to has returned.
  public var outstanding: Int { pipeline.outstanding }

  /// Waits until at most `count` requests are outstanding. The calling thread does part of the work.
  public func wait(untilOutstanding count: Int = 0) { pipeline.wait(untilOutstanding: count) }

  /// Waits until all requests are answered, but no longer than `time`. The calling thread only sleeps.
  public func wait(atMost time: Duration) { pipeline.wait(atMost: Instant.Span(time)) }

  /// Ensures that submitted requests make progress. Call it before blocking on something else.
  public func kick() { pipeline.kick() }

  /// Cancels a request. It is answered with ``FetchError/Kind/cancelled``, unless its answer is being
  /// delivered already. No download begins for it after this returns. It takes some microseconds, however
  /// many requests there are.
  public func cancel(_ request: UInt64) { pipeline.cancel(request) }

  /// Changes the priority of a request that has no answer yet. Its download has the highest priority of all requests
  /// that wait for it, also while it waits for its turn.
  public func setPriority(_ priority: FetchRequest.Priority, of request: UInt64) {
    pipeline.setPriority(priority, ofRequest: request)
  }

  /// Starts no further download until ``resume()``. Downloads under way continue, caches go on
  /// answering, and time limits run on.
  public func suspend() { pipeline.isSuspended = true }

  /// Lets downloads begin again after ``suspend()``.
  public func resume() { pipeline.isSuspended = false }

  /// True after ``suspend()``: no download begins. False at first.
  public var isSuspended: Bool { pipeline.isSuspended }

  /// The bounds on downloads. A change holds for later downloads; those under way are not broken off. The limit on jobs
  /// is lower than its set value if the process may open few files.
  public var limits: DownloadLimits {
    get { pipeline.downloadLimits }
    set {
      var limits = newValue
      limits.jobs = FileAllowance(jobs: limits.jobs, files: ProcessEnvironment.fileLimit).jobs
      pipeline.downloadLimits = limits
    }
  }

  /// Cancels all requests, keeps what can be resumed later, and starts nothing new.
  public func cancelAll() { pipeline.cancelAll() }

  /// Cleans the disk cache if it is over `maximumSize` bytes or was not cleaned for a day. It stops after a tenth of a
  /// second, unless the cache has twice that size. For the end of a run. It takes some microseconds if nothing is due.
  ///
  /// - Parameters:
  ///   - maximumAge: the age beyond which entries are removed that were not used for as long.
  ///   - maximumSize: the limit in bytes, or nil for none.
  /// - Returns: the removed entries that this fetcher itself has stored or read.
  @discardableResult
  public func cleanCacheIfDue(maximumAge: Duration, maximumSize: Int64?) -> CacheAmount {
    CacheAmount(
      pipeline.disk?.cleanIfDue(
        maximumAge: maximumAge.inSeconds, maximumSize: maximumSize, since: pipeline.started) ?? CacheUsage())
  }

  /// Waits until everything that was downloaded is in the remote cache, as far as it is to be put there,
  /// but no longer than `time`.
  public func finishSharing(within time: Duration) { pipeline.finishSharing(within: Instant.Span(time)) }

  /// Closes the fetcher: answers all requests that have no answer yet as cancelled, and ends all threads. Incomplete
  /// bodies that can be resumed are kept. Later requests are refused at once, as cancelled.
  ///
  /// The calling thread waits for the fetcher's threads, so no hook, sink or `deliver` closure may call this. Tasks
  /// call the other `close()`, with `await`, which blocks no thread of theirs.
  @available(*, noasync, message: "a task would block its thread: use 'await close()'")
  public func close() { pipeline.close() }

  /// A fetcher that is let go closes itself, without waiting for it.
  deinit { pipeline.closeAside() }

  /// Installs a handler for `SIGBUS`, for the whole process and for good. Signals about other memory are passed on to
  /// the previous handler. The library installs none by itself.
  ///
  /// The sizes of a disk cache are counted in a file that is mapped into memory. With the handler, the process outlives
  /// whatever becomes of that file, and storing an image takes two system calls less. Without it, the file's length is
  /// checked before each access.
  ///
  /// Call it before the first fetcher is made: a disk cache that is in use goes on as it has begun.
  public static func handleBusErrors() { MappedCounters.handleBusErrors() }
}

// MARK: - Many requests at once, with bounded read-ahead

extension Fetcher {
  /// Creates the feeder of a list. The next one takes its place: connections are kept for one list at a time.
  ///
  /// - Parameter aside: the number of requests that the reader of the list can put aside.
  package func feeder(aside: Int) -> ListFeeder { ListFeeder(pipeline, window: window, aside: aside) }

  /// Submits all of `requests` and returns when all are answered. They are pulled as they can be processed, so ten
  /// million of them take no more memory than some thousands.
  ///
  /// If a host is slow, requests to other hosts overtake those to it.
  public func fetchAll(
    _ requests: some Sequence<FetchRequest>, deliver: @escaping @Sendable (FetchResult) -> Void
  ) {
    let feeder = feeder(aside: Self.aside)
    // The requests that were put aside, by the numbers in their notes.
    var aside: [UInt64: FetchRequest] = [:]
    var number: UInt64 = 0
    func send(_ request: FetchRequest, _ slot: Int) {
      submit(request) { result in
        deliver(result)
        feeder.answered(slot, isAnswer: result.isAnswer)
      }
    }
    func sendDue() {
      while let next = feeder.next() {
        if let request = aside.removeValue(forKey: next.item.first) { send(request, next.slot) }
      }
    }
    for request in requests {
      let slot = feeder.turn(
        for: request.url.origin, isOver: { false }, willPause: {},
        putAside: { slot in
          number += 1
          aside[number] = request
          feeder.putAside(LookAhead.Note(number), at: slot, request.priority)
          return true
        }, sendDue: sendDue)
      if let slot { send(request, slot) }
      sendDue()
    }
    feeder.finish(sendDue: sendDue)
    wait()
  }

  /// The number of requests of a sequence that may wait for their host. They cannot be pulled twice, so each
  /// takes some hundred bytes.
  private static let aside = 4096
}

// MARK: - What it has

extension Fetcher {
  /// The images in memory.
  public var memoryCache: ImageMemory { ImageMemory(pipeline: pipeline) }

  /// The images on disk, or nil if there is no disk cache, or none that can be used. Its folder
  /// is made if it is missing.
  public var diskCache: ImageDisk? {
    pipeline.disk.flatMap { $0.isUsable ? ImageDisk(pipeline: pipeline, cache: $0) : nil }
  }

  /// The reason why the folder of the disk cache cannot be used, as a sentence, or nil if it can, or if there is none.
  package var diskObstacle: String? { pipeline.disk?.obstacle }

  /// The pages that are kept beside the disk cache, or nil if there is none.
  package var pages: PageStore? { pipeline.disk.flatMap { $0.isUsable ? $0.pages : nil } }

  /// The place at a URL. Its user info, or its account, is the identity.
  package func place(_ url: WebURL) -> RemotePlace { RemotePlace(url, pipeline.places) }
}

extension NetworkLoop: Loop where Client == NetworkStage {}

extension Fetcher {
  /// The options that apply to all requests of a fetcher.
  public struct Configuration: Sendable {
    /// The cache's folder. The default, nil, means no disk cache.
    public var cacheFolder: String?
    /// The name of the cache within that folder: `default`, if no other is given. If it is empty, has a slash or begins
    /// with a dot, there is no disk cache, and a warning says so.
    public var namespace = "default"
    /// Folders of further caches, which are read and never written. None, by default.
    public var readOnlyCaches: [String] = []
    /// True if the disk cache is only looked at: nothing in it changes.
    package var isTrial = false
    /// A cache that several machines share. It needs ``cacheFolder``. None, by default.
    public var remoteCache: RemoteCacheSettings?
    /// The identity for ``remoteCache``, and for the places of a program. By default it is anonymous.
    public var stores = StoreIdentity()
    /// The place that is written, whose origin gets ``stores``.
    package var place: WebURL?
    /// Caches of the program's own, searched in this order, after memory and disk and before the origin. Their images
    /// are served while the policy allows that without asking the origin. An image that the policy stores on disk is
    /// kept in them, too. The default is none.
    public var tiers: [any CacheTier] = []
    /// The limit on bytes of images in memory. An image that takes more than a quarter of it is not kept there. The
    /// default is 8 MiB; with 0, none are kept. Less is used while the system is short of memory.
    public var memoryLimit = 8 << 20
    /// The limit on the number of images in memory. The default is nil: any number.
    public var memoryCount: Int?
    /// True if memory reads the bytes of large images that went to files when it cannot keep more files open. The
    /// alternative is to drop them.
    package var readsMemoryFiles = true
    /// The number of bytes above which the disk cache is cleaned by itself, down to half of it. The default is 5
    /// GiB; nil means no limit.
    public var maximumDiskSize: Int64? = 5 << 30
    /// The age beyond which images are removed from the disk cache, once a day, unless they were used more recently.
    /// The default is a week; with nil, none are removed.
    public var maximumAge: Duration? = .seconds(7 * 24 * 3600)
    /// The limit on concurrent downloads: 100 by default. ``Fetcher/limits`` changes it while the fetcher works.
    public var jobs = 100
    /// The limit on concurrent downloads from one origin. The default, nil, means 6, and 100 once it
    /// has answered over HTTP/2.
    public var perHost: Int?
    /// True if the newest request is started first. The default is false: the oldest is.
    public var isNewestFirst = false
    /// True if requests of one priority start strictly in their order. The default is false: requests that can use an
    /// open connection go before those that need a new one.
    public var keepsOrder = false
    /// True if an image counts as one of ``jobs`` until its result is known. With one job none is then asked for after
    /// a failure that makes the program cancel the rest.
    package var holdsPlaces = false
    /// The limit on requests a second to one origin. The default, nil, means none, and so does 0.
    public var requestsPerSecond: Double?
    /// Origins, as glob patterns of their hosts, that ``sharingProcesses`` ask at the same time. Each has one download
    /// at once here, and an equal part of ``requestsPerSecond``.
    public var sharedHosts: [String] = []
    /// The number of processes that ask each of ``sharedHosts``: 1 by default.
    public var sharingProcesses = 1
    /// The limit on bytes a second of all downloads together. The default, nil, means none, and so does 0.
    public var bytesPerSecond: Int64?
    /// The number of times that a download is retried after a transient failure: 2 by default.
    public var retries = 2
    /// The time limit for a connection, with the look-up of its host's name: 10 s by default. No limit is
    /// shorter than a millisecond.
    public var connectTimeout = Duration.seconds(10)
    /// The time limit for a download without a byte: 15 s by default.
    public var stallTimeout = Duration.seconds(15)
    /// The time that an origin that has answered before may be silent before requests to it fail: 30 s by default.
    /// Attempts made meanwhile do not count against ``retries``. With 0 three further attempts are made, as with an
    /// origin that has never answered.
    public var outage = Duration.seconds(30)
    /// The bytes a second, over ten seconds, that a body must have: 1024 by default. A slower one is downloaded
    /// beside ``jobs``, and is broken off after further 30 seconds if other origins are faster. With 0 a body
    /// may be as slow as it likes.
    public var leastSpeed: Int64 = 1024
    /// The time limit for one image with all retries, from its first request on: the time in which it waits for its
    /// turn does not count. The default, nil, means none.
    /// ``FetchRequest/timeLimit`` is that of one request.
    public var maximumTime: Duration?
    /// The time for which a URL that failed for good (with 404, say, or because it is no image) is not requested again.
    /// The default is ten minutes; nil means as long as the fetcher lives. ``FetchOptions/retriesFailed`` overrides it,
    /// and a success forgets the failure.
    public var failureAge: Duration? = .seconds(600)
    /// True for a fetcher that lives for one run of a program: what failed is known to the run's end, and under
    /// ``CachePolicy/refresh`` and ``CachePolicy/reload`` the origin is asked once for each key.
    package var isForOneRun = false
    /// The User-Agent. The default, nil, means `imgfetch/VERSION`, and ``contact``.
    public var userAgent: String?
    /// An address or URL by which a site can reach the program's operator, for the User-Agent. The default is none.
    public var contact: String?
    /// The libcurl that downloads are made with. The default is the system's.
    public var libcurl = LibcurlChoice.system
    /// A file with certificates that are trusted instead of the system's, which are by default.
    public var certificates: String?
    /// The file with the system's certificates, if it is not in a usual place. Certificate folders in usual places are
    /// still used.
    public var systemCertificates: String?
    /// The folder with the system's certificates under hashed names, if it is not in a usual place. Certificate files
    /// in usual places are still used.
    public var systemCertificateFolder: String?
    /// True if certificates are not checked. The default is false. Answers from unchecked servers are
    /// cached apart from others.
    public var isInsecure = false
    /// True if HTTP/2 is not used. The default is false: it is used where the server has it.
    public var usesHTTP1Only = false
    /// 4 or 6: only addresses of that IP version are used. The default, nil, means any.
    public var addressFamily: Int?
    /// The proxy for http URLs, as a URL. The default, nil, means none. The environment is not read.
    public var httpProxy: String?
    /// The proxy for https URLs, as a URL. The default, nil, means none.
    public var httpsProxy: String?
    /// Hosts that are contacted without a proxy, separated by commas. The default, nil, means none.
    public var proxyExceptions: String?
    /// Fixed addresses of hosts, as `HOST:PORT:ADDRESS`. None, by default.
    public var resolve: [String] = []
    /// The credentials. None, by default.
    public var identity = FetchIdentity()
    /// The folder for large images in progress that are not cached: `/tmp` by default.
    public var temporaryFolder = "/tmp"

    /// The place where pixels are decoded: ``DecodingPlace/inProcess`` by default.
    public var decoding = DecodingPlace.inProcess
    /// Decoders of the program's own, asked before those of the library. A body that they recognise is accepted as an
    /// image if they decode it. The default is none.
    public var decoders: [any PixelDecoder] = []

    /// Decodes pixels, unless ``decoding`` says otherwise.
    package var pixelExecutor: any PixelExecutor = InProcessExecutor()

    /// The defaults, without a disk cache.
    public init() {}

    /// A limit in the past would end a request before it began, and read oddly in a message.
    private static func limit(_ time: Duration) -> Instant.Span { max(.milliseconds(1), Instant.Span(time)) }

    var pipeline: PipelineConfiguration {
      var pipeline = PipelineConfiguration()
      pipeline.admission = Admission.Limits(
        jobs: max(1, jobs), perHost: perHost.map { max(1, $0) }, isNewestFirst: isNewestFirst,
        requestsPerSecond: requestsPerSecond)
      pipeline.admission.sharing = (sharedHosts.compactMap { HostPattern($0) }, max(1, sharingProcesses))
      pipeline.admission.isInOrder = keepsOrder
      pipeline.admission.holdsPlaces = holdsPlaces
      pipeline.admission.outage = max(Instant.Span(nanoseconds: 0), Instant.Span(outage))
      pipeline.stragglers.leastSpeed = max(0, leastSpeed)
      pipeline.retry = RetryRule(limit: max(0, retries))
      pipeline.connectTimeout = Self.limit(connectTimeout)
      pipeline.stallTimeout = Self.limit(stallTimeout)
      pipeline.maximumTime = maximumTime.map(Self.limit)
      pipeline.memories = isForOneRun ? .ofRun : .ofTime
      pipeline.failureAge = failureAge.map { Instant.Span($0) }
      pipeline.userAgent = userAgent ?? UserAgent.text(contact: contact)
      pipeline.spoolFolder = temporaryFolder
      pipeline.stores = StoreRule(stores, [remoteCache?.url, place].compactMap { $0 })
      pipeline.identity = identity
      pipeline.pixelExecutor = pixelExecutor
      pipeline.maximumDiskSize = maximumDiskSize
      pipeline.maximumDiskAge = maximumAge?.inSeconds
      pipeline.ownTiers = tiers
      pipeline.ownFormats = decoders.map { DecodedFormat($0) }
      pipeline.network.limitRate = bytesPerSecond ?? 0
      pipeline.network.libcurl = libcurl
      pipeline.network.caFile = certificates
      pipeline.network.systemCAFile = systemCertificates
      pipeline.network.systemCAFolder = systemCertificateFolder
      pipeline.network.isInsecure = isInsecure
      pipeline.network.httpProxy = httpProxy
      pipeline.network.httpsProxy = httpsProxy
      pipeline.network.httpVersion = usesHTTP1Only ? .http1 : .automatic
      pipeline.network.addressFamily = addressFamily == 4 ? .v4 : addressFamily == 6 ? .v6 : .any
      pipeline.network.noProxy = proxyExceptions
      pipeline.network.resolve = resolve.map(NetworkOptions.spelledAsInURLs(resolve:))
      return pipeline
    }
  }
}
