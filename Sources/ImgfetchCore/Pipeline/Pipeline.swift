import Synchronization

/// Takes requests through the stages: memory, disk, network, inspection, disk, output.
///
/// The thread that calls ``submit(_:deliver:)`` names the key and joins or begins a flight. The disk threads
/// (``Workers``) look it up, take in its body, store and deliver it. The network's thread (with the ``NetworkStage`` on
/// it) exists from the first flight that needs it. ``FlightMachine`` decides the order of stages;
/// `Pipeline+Stages.swift` carries it out, and `Pipeline+Landing.swift` ends flights. Each piece of state that threads
/// share has a lock of its own (``Guarded``), or is atomic, as flags and counts are.
final class Pipeline: Sendable {
  /// Makes the network's thread. Tests pass one without a network.
  typealias LoopMaker =
    @Sendable (
      _ options: NetworkOptions, _ clock: any Clock, _ isBackedUp: @escaping @Sendable () -> Bool,
      _ makeClient: @escaping @Sendable (any Transport) -> NetworkStage
    ) throws(TransportFailure) -> any Loop

  let configuration: PipelineConfiguration
  let clock: any Clock
  let workers: Workers
  let disk: DiskCache?
  let memory: MemoryCache
  let identity: RunIdentity
  let record: RunRecord
  let hooks: FetchHooks
  let log: FlightLog
  let table = Guarded(FlightTable<Waiter>())
  let startOrder = Guarded(StartOrder<NetworkErrand>())
  /// The requests to the remote cache that flights wait for, by the flights, whose priorities they have.
  let errands = Guarded<[UInt64: UInt64]>([:])
  /// The network's thread, if it was needed.
  let loop = Guarded<(any Loop)?>(nil)
  let hasLoop = Atomic<Bool>(false)
  /// The threads that look up names. They start with the first one.
  let names: NameThreads
  private let makeLoop: LoopMaker
  private let unanswered = UnansweredCount()
  // Read for each image by several threads. Not behind the lock, so that they do not queue for it.
  private let cancelled = Atomic<Bool>(false)
  /// Set once a flight had waiters with different priorities. Until then its leader's is the flight's.
  private let hasLent = Atomic<Bool>(false)
  private let closed = Atomic<Bool>(false)
  private let suspended = Atomic<Bool>(false)
  /// Set once a request had a time limit of its own.
  private let hasTimeLimits = Atomic<Bool>(false)
  /// The present limits; the configuration has the initial ones.
  private let limits: Guarded<DownloadLimits>
  private let news = News()
  /// The requests of a list that have not come yet, or nil if there is no list.
  let linesAhead = Guarded<LinesAhead?>(nil)

  // What belongs to single stages.
  let gate: ClaimGate
  let care: DiskCare
  /// The tiers, in the order in which they are asked.
  let tiers: [LookUpStage.Tier]
  /// The start of the run: copies that were stored later belong to it.
  let started: WallTime
  /// Makes threads that derive the same image wait for one another.
  let derivations = KeyedLock()
  /// Counts look-ups on disk that find nothing.
  let misses = Streak()
  /// The cache that machines share, if there is one.
  let remote: RemoteCache?
  /// Counts outputs that have their bytes already.
  let standingOutputs = Streak()

  /// A flag that is set while there are answers that the program has not been told to take.
  private final class News: Sendable {
    private let flag = Atomic<Bool>(false)
    var isThere: Bool { flag.load(ordering: .relaxed) }
    func add() { flag.store(true, ordering: .releasing) }
    func take() -> Bool { flag.exchange(false, ordering: .acquiringAndReleasing) }
  }

  init(
    _ configuration: PipelineConfiguration, memory: MemoryCache, disk: DiskCache?, remote: RemoteCache? = nil,
    clock: any Clock = SystemClock(), hooks: FetchHooks = FetchHooks(), names: NameThreads? = nil,
    makeLoop: @escaping LoopMaker
  ) {
    self.configuration = configuration
    self.clock = clock
    self.memory = memory
    self.disk = disk
    self.remote = remote
    self.hooks = hooks
    self.makeLoop = makeLoop
    record = RunRecord(
      failureAge: configuration.memories == .ofRun ? nil : configuration.failureAge, clock: clock)
    limits = Guarded(DownloadLimits(configuration))
    self.names = names ?? NameThreads(configuration.network.addressFamily, patience: configuration.connectTimeout)
    let (news, loop, table) = (news, loop, table)
    let workers = Workers(
      bound: configuration.backlog, drained: { loop.withLock { $0 }?.post { $0.resumeReceiving() } },
      afterEach: { workers in
        // After each job, not with each answer: the last job in the queue may be another one.
        if let whenIdle = hooks.whenIdle, news.isThere, workers.isEmpty, news.take() { whenIdle() }
      })
    self.workers = workers
    log = FlightLog(hooks: hooks, observers: FlightObservers(table))
    identity = RunIdentity(configuration, disk: disk, clock: clock, warn: hooks.warn, keyHook: hooks.key)
    gate = ClaimGate(limit: configuration.openParts) { flight in
      table.withLock { $0.priority(of: flight.id) } ?? flight.request.priority
    }
    care = DiskCare(
      disk, workers, maximumSize: configuration.maximumDiskSize, maximumAge: configuration.maximumDiskAge)
    var tiers = [LookUpStage.Tier(cache: memory, type: .memory)]
    if let disk { tiers.append(LookUpStage.Tier(cache: disk, type: .disk)) }
    self.tiers = tiers + configuration.ownTiers.map { LookUpStage.Tier(cache: $0, type: .remote) }
    started = clock.wallTime()
  }

  // MARK: The stages that run on disk threads

  var lookUp: LookUpStage { LookUpStage(pipeline: self) }
  var claims: ClaimStage { ClaimStage(pipeline: self) }
  var serving: ServeStage { ServeStage(pipeline: self) }
  var confirming: RevalidationStage { RevalidationStage(pipeline: self) }
  var storing: StoreStage { StoreStage(pipeline: self) }
  var resumption: PartResumption { PartResumption(pipeline: self) }
  var derivation: DerivationStage { DerivationStage(pipeline: self) }
  var details: DetailStage { DetailStage(pipeline: self) }
  var failures: KnownFailures { KnownFailures(pipeline: self) }
  var goneImages: GoneImages { GoneImages(pipeline: self) }
  var sources: SourceCheck { SourceCheck(pipeline: self) }
  var remoteStage: RemoteStage? { remote.map { RemoteStage(pipeline: self, remote: $0) } }

  // MARK: Asking

  /// Asks for an image. `deliver` is called once, on a disk thread or a thread that helps, perhaps before this returns;
  /// after ``close()``, on the caller's thread.
  @discardableResult
  func submit(_ request: consuming FetchRequest, deliver: @escaping @Sendable (FetchResult) -> Void) -> UInt64 {
    let key = identity.key(of: request)
    let begun = clock.now()
    unanswered.add()
    let waiter = Waiter(request: request, key: key, begun: begun, deliver: deliver)
    if isClosed {
      refuse(waiter, because: .closed)
      return 0
    }
    let (id, number) = join(waiter)
    if let number {
      // A thread that asks for a single image does the work itself when it waits.
      workers.add(outstanding > 1 ? .now : .byThreadsOnly, ahead: true) { self.begin(number, for: waiter) }
    }
    return id
  }

  /// Joins a flight. Returns the waiter's number, and that of the new flight that it leads, or nil if
  /// another waiter leads it.
  func join(_ waiter: Waiter) -> (id: UInt64, leads: UInt64?) {
    var demands = waiter.request.shared.signature
    // Requests with different mirrors do not share a failure.
    for mirror in waiter.request.mirrors { demands = demands &* 31 &+ mirror.canonical.hashValue }
    let identity = FlightTable<Waiter>.Identity(key: waiter.key, demands: demands)
    if waiter.request.onEvent != nil || waiter.request.watcher != nil { log.observers.begin() }
    if waiter.deadline != nil { hasTimeLimits.store(true, ordering: .sequentiallyConsistent) }
    let (id, joining) = table.withLock { table in
      let known = waiter.id.load(ordering: .relaxed)
      let joined = table.join(identity, waiter, priority: waiter.request.priority, knownAs: known == 0 ? nil : known)
      waiter.id.store(joined.id, ordering: .relaxed)
      return joined
    }
    switch joining {
    case .leads(let number): return (id, number)
    case .joined(let flight, let priority):
      if waiter.deadline != nil { loop.withLock { $0 }?.post { $0.watchTime(of: flight) } }
      if let priority { setPriority(priority, of: flight) }
      // Its body may be on its way already, gathered in large pieces.
      if waiter.request.watcher != nil { loop.withLock { $0 }?.post { $0.showBody(of: flight) } }
      return (id, nil)
    }
  }

  /// The number of requests without an answer.
  var outstanding: Int { unanswered.count }

  /// Makes sure that the submitted requests are processed before the caller waits for something else.
  func kick() { workers.wake() }

  /// Waits until at most `count` requests have no answer. The calling thread works meanwhile, if that helps.
  ///
  /// - Parameter patience: the longest wait, if the requests may be waiting for a host. Without a network they only
  ///   have to be processed.
  /// - Returns: true if at most `count` are left.
  @discardableResult
  func wait(untilOutstanding count: Int = 0, patience: Instant.Span? = nil) -> Bool {
    let count = max(0, count)
    while true {
      let deadline = patience.map { clock.now() + $0 }
      let isReached = unanswered.wait(for: count, until: deadline) {
        // Beside a network and threads of its own, one more thread is too many: it would take turns with the network's
        // thread.
        workers.help(
          until: { [self] hasThreads in outstanding <= count || (hasThreads && hasLoop.load(ordering: .relaxed)) },
          orUntil: deadline)
      }
      if isReached || (workers.hasThreads && hasLoop.load(ordering: .relaxed)) { return isReached }
    }
  }

  func wait(atMost time: Instant.Span) { unanswered.wait(for: 0, until: clock.now() + time) }

  /// Cancels one request, which gets a `cancelled` result. The flight ends with its last request. A late call is no
  /// error: the answer is on its way then.
  ///
  /// Takes the same time however many requests and flights there are. After the return the flight gets no place: the
  /// network's thread asks the table before it gives one.
  func cancel(_ request: UInt64, because error: FetchError = .cancelled) {
    let (leaving, waiter) = table.withLock { $0.leave(request) }
    guard let waiter else { return }
    waiter.hasLeft.store(true, ordering: .relaxed)
    switch leaving {
    case .abandoned(let flight): loop.withLock { $0 }?.post { $0.cancel(flight) }
    case .left(let flight, sinksTo: let priority?): setPriority(priority, of: flight)
    case .left, .tooLate: break
    }
    workers.add { [self] in refuse(waiter, because: error) }
  }

  /// The requests that wait for a flight with a time limit of their own.
  func timeLimits(of flight: UInt64) -> [(request: UInt64, end: Instant)] {
    guard hasTimeLimits.load(ordering: .sequentiallyConsistent) else { return [] }
    return table.withLock { $0.waiters(of: flight) }.compactMap { waiter in
      waiter.deadline.map { (waiter.id.load(ordering: .relaxed), $0) }
    }
  }

  /// Watches the time limits of a flight's waiters, before work that may take long.
  func watchTime(of flight: Flight) {
    guard hasTimeLimits.load(ordering: .sequentiallyConsistent) else { return }
    _ = try? network().post { $0.watchTime(of: flight.id) }
  }

  /// Ends a request whose own time is over. Its download continues for others.
  func expire(_ request: UInt64) {
    cancel(
      request, because: FetchError(.timeout, "", "took longer than this request allows", remedy: .allowMoreTime))
  }

  /// True while a request waits for the flight.
  func isWanted(_ flight: UInt64) -> Bool { table.withLock { $0.isThere(flight) } }

  // MARK: Priorities

  /// Changes a request's priority, and with it that of its flight.
  func setPriority(_ priority: FetchRequest.Priority, ofRequest id: UInt64) {
    if let change = table.withLock({ $0.setPriority(priority, of: id) }) {
      setPriority(change.priority, of: change.flight)
    }
  }

  /// Gives a flight the priority that its waiters lend it, from now on, also while it waits.
  private func setPriority(_ priority: FetchRequest.Priority, of flight: UInt64) {
    hasLent.store(true, ordering: .sequentiallyConsistent)
    gate.setPriority(priority, of: flight)
    if let errand = errands.withLock({ $0[flight] }) { setPriority(priority, ofRequest: errand) }
    loop.withLock { $0 }?.post { $0.setPriority(priority, of: flight) }
  }

  /// The highest priority among the waiters of a flight.
  func priority(of flight: Flight) -> FetchRequest.Priority {
    guard hasLent.load(ordering: .sequentiallyConsistent) else { return flight.request.priority }
    return table.withLock { $0.priority(of: flight.id) } ?? flight.request.priority
  }

  /// Answers a request without a flight.
  private func refuse(_ waiter: Waiter, because error: FetchError) {
    var result = waiter.blankResult
    result.queuedMilliseconds = waiter.milliseconds(until: clock.now())
    result.error = error.told(to: waiter.request.url.display)
    finish(waiter, &result)
  }

  /// Ends all flights, and keeps their received bytes. Their waiters get the error `cancelled`. No further flight
  /// begins.
  func cancelAll() {
    cancelled.store(true, ordering: .releasing)
    // Flights that have not reached the network yet end when they look.
    loop.withLock { $0 }?.post { $0.cancelAll() }
    gate.open()
    workers.wake()
  }

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// True while no download gets a place. Downloads that have one go on.
  var isSuspended: Bool {
    get { suspended.load(ordering: .sequentiallyConsistent) }
    set {
      suspended.store(newValue, ordering: .sequentiallyConsistent)
      // A turn of the network's thread gives places.
      if !newValue { loop.withLock { $0 }?.post { _ in } }
    }
  }

  /// The bounds on downloads. Places that are taken are not taken away.
  var downloadLimits: DownloadLimits {
    get { limits.withLock { $0 } }
    set {
      limits.withLock { $0 = newValue }
      loop.withLock { $0 }?.post { $0.setLimits(newValue) }
    }
  }

  /// The configuration, with the limits as they are now.
  private var currentConfiguration: PipelineConfiguration {
    var current = configuration
    downloadLimits.apply(to: &current)
    return current
  }

  var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  /// Answers all requests, as cancelled if there is no answer yet, and ends the threads. Requests that follow are
  /// refused at once. Must not be called on one of those threads, since it waits for them.
  func close() {
    closed.store(true, ordering: .sequentiallyConsistent)
    cancelAll()
    wait()
    loop.withLock { $0.take() }?.shutdown()
    names.close()
    workers.close()
    configuration.pixelExecutor.close()
  }

  /// Closes without waiting for the end. For a thread that may be one of those that end.
  func closeAside() {
    guard !closed.exchange(true, ordering: .sequentiallyConsistent) else { return }
    if outstanding == 0, workers.isIdleForGood, loop.withLock({ $0 == nil }) { return }
    // Without a thread for it the requests are cancelled at least; the threads then stay until the process ends.
    cancelAll()
    _ = try? Threads.start(name: "imgfetch-close") { self.close() }
  }

  func finish(_ waiter: Waiter, _ result: inout FetchResult) {
    result.begun = waiter.begun
    result.elapsedMilliseconds = waiter.milliseconds(until: clock.now())
    if waiter.request.purpose.countsForProgram { hooks.answered?(result) }
    waiter.deliver(result)
    news.add()
    if unanswered.remove() { workers.nudge() }
  }

  // MARK: The network's thread

  /// The network's thread, which is started if there is none yet. It is asked for as soon as it will be needed, because
  /// loading it takes some milliseconds.
  @discardableResult
  func network() throws(TransportFailure) -> any Loop {
    let loop: Result<any Loop, TransportFailure> = loop.withLock { present in
      if let present { return .success(present) }
      // A flight that was abandoned before the fetcher was closed may ask for the network only now.
      if isClosed { return .failure(TransportFailure(.other, FetchError.closed.reason)) }
      do throws(TransportFailure) {
        // Both before the loop's thread starts: its first turn could say the contrary, and be overruled by this. The
        // hook may start a thread, which the kernel likes to put on this thread's core, to wait until this one sleeps,
        // and the next on a free core: so the loop begins earlier.
        workers.shareCores(true)
        hooks.whenOnline?()
        let made = try makeLoop(currentConfiguration.network, clock, { [workers] in workers.isFull }) { [self] in
          NetworkStage(self, currentConfiguration, $0)
        }
        present = made
        hasLoop.store(true, ordering: .relaxed)
        return .success(made)
      } catch { return .failure(error) }
    }
    return try loop.get()
  }
}
