import Synchronization

/// What the engine needs of the network's thread.
protocol Loop: Sendable {
  /// Has something done there, with the client that lives there.
  @discardableResult
  func post(_ work: @escaping @Sendable (NetworkStage) -> Void) -> Bool
  /// Ends all transfers and the thread, and waits for that.
  func shutdown()
}

/// Takes requests through the rooms: memory, disk, network, inspection, disk, output.
///
/// The threads: whoever calls ``submit(_:deliver:)`` names the key and joins or begins a flight; the disk threads (``Workers``) look it up, take
/// its body in, store and hand it over; the network's thread (with the ``NetworkStage`` on it) exists from the first flight that needs
/// it. State that they share is the flight table and the counts, each behind its lock.
final class Engine: Sendable {
  /// Makes the transport's thread; tests hand in one without a network.
  typealias LoopMaker =
    @Sendable (
      _ options: NetworkOptions, _ clock: any Clock, _ isBackedUp: @escaping @Sendable () -> Bool,
      _ makeClient: @escaping @Sendable (any Transport) -> NetworkStage
    ) throws(TransportFailure) -> any Loop

  let configuration: EngineConfiguration
  let clock: any Clock
  let workers: Workers
  let disk: DiskCache?
  let memory: MemoryCache
  private let makeLoop: LoopMaker
  let hooks: FetchHooks
  let identity: Guarded<IdentityState>
  private let state = Guarded(State())
  private let asks = Atomic<UInt64>(0)
  private let unanswered = Outstanding()
  /// The network's thread, once something needed it.
  private let loop = Guarded<(any Loop)?>(nil)
  let hasLoop = Atomic<Bool>(false)
  // Asked about each image by several threads: beside the lock, so that they need not take turns for a no.
  private let cancelled = Atomic<Bool>(false)
  private let hasFailures = Atomic<Bool>(false)
  private let news = News()
  /// Look-ups on disk that find nothing.
  let misses = Streak()
  /// Outputs that have the bytes already.
  let standingOutputs = Streak()

  /// Whether answers were given since their taker was last told that this is the moment to hand them on.
  private final class News: Sendable {
    private let flag = Atomic<Bool>(false)
    var isThere: Bool { flag.load(ordering: .relaxed) }
    func add() { flag.store(true, ordering: .releasing) }
    func take() -> Bool { flag.exchange(false, ordering: .acquiringAndReleasing) }
  }
  let derivations = OnePerKey()
  let turnstile = Guarded(Turnstile<NetworkErrand>())

  private struct State {
    var table = FlightTable<Ask>()
    /// What failed for good, by its URL: 16 bytes each. Here and below the keys are those of ``RunDigest``; numbers, since at the first
    /// use of a table the runtime looks for what makes its keys hashable, and of these it knows.
    var failed: [UInt64: RememberedFailure] = [:]
    /// Keys that were asked of the origin in this run, under policies that do so once.
    var asked: Set<UInt64> = []
    /// Keys that another process was waited for once.
    var waited: Set<UInt64> = []
  }

  init(
    _ configuration: EngineConfiguration, disk: DiskCache?, clock: any Clock = SystemClock(),
    hooks: FetchHooks = FetchHooks(), makeLoop: @escaping LoopMaker
  ) {
    self.configuration = configuration
    self.clock = clock
    self.disk = disk
    self.hooks = hooks
    identity = Guarded(IdentityState(rule: IdentityRule(configuration.identity), jar: configuration.identity.jar))
    self.makeLoop = makeLoop
    memory = MemoryCache(limit: configuration.memoryLimit)
    let resume = Guarded<(@Sendable () -> Void)?>(nil)
    let news = news
    workers = Workers(
      bound: configuration.backlog, drained: { resume.withLock { $0 }?() },
      afterEach: { workers in
        // After each job and not with each answer: the job that is the last in the queue may be another one's.
        if let whenIdle = hooks.whenIdle, news.isThere, workers.isEmpty, news.take() { whenIdle() }
      })
    resume.withLock { $0 = { [weak self] in self?.resumeReceiving() } }
  }

  // MARK: Asking

  /// Asks for an image. `deliver` is called once, on a disk thread or a thread that helps; it may be called before this returns.
  @discardableResult
  func submit(_ request: consuming FetchRequest, deliver: @escaping @Sendable (FetchResult) -> Void) -> UInt64 {
    let key = key(of: request)
    let begun = clock.now()
    let identity = FlightTable<Ask>.Identity(key: key, demands: request.shared.signature)
    unanswered.add()
    let id = asks.add(1, ordering: .relaxed).newValue
    let ask = Ask(id: id, request: request, key: key, begun: begun, deliver: deliver)
    let joining = state.withLock { $0.table.join(identity, id, ask) }
    if case .leads(let number) = joining {
      let flight = Flight(id: number, for: ask)
      // Whoever asks for one image only does the work itself, when it waits.
      workers.add(outstanding > 1 ? .now : .byThreadsOnly, ahead: true) { self.prepare(flight) }
    }
    return id
  }

  /// How many asks have no answer yet.
  var outstanding: Int { unanswered.count }

  /// Sees to it that what was asked for is under way, before the caller waits for something else.
  func kick() { workers.wake() }

  /// Waits until at most `count` asks have no answer; the calling thread works too while that helps.
  ///
  /// - Parameter patience: for how long at the most, where they may be waiting for a host: without a network it is only a matter of
  ///   the work that there is.
  /// - Returns: whether so few are left.
  @discardableResult
  func wait(untilOutstanding count: Int, patience: Instant.Span? = nil) -> Bool {
    let count = max(0, count)
    while true {
      let deadline = patience.map { clock.now() + $0 }
      let isReached = unanswered.wait(for: count, until: deadline) {
        // Beside a network and threads of its own a helper is one too many: it would take turns with the network's thread.
        workers.help(
          until: { [self] hasThreads in outstanding <= count || (hasThreads && hasLoop.load(ordering: .relaxed)) },
          orUntil: deadline)
      }
      if isReached || (workers.hasThreads && hasLoop.load(ordering: .relaxed)) { return isReached }
    }
  }

  /// The same, for so long at the most.
  func wait(atMost time: Instant.Span) { unanswered.wait(for: 0, until: clock.now() + time) }

  /// One asker waits no longer, and is told so; the last to leave ends the flight. Too late is no error: the answer is on
  /// its way then.
  func cancel(_ ask: UInt64) {
    let (leaving, asker) = state.withLock { $0.table.leave(ask) }
    if case .abandoned(let flight) = leaving { loop.withLock { $0 }?.post { $0.cancel(flight) } }
    guard let asker else { return }
    workers.add { [self] in
      var result = asker.blankResult
      result.queuedMilliseconds = asker.milliseconds(until: clock.now())
      result.error = Self.cancelled.told(to: asker.request.url.display)
      finish(asker, &result)
    }
  }

  /// Ends all flights, keeping what came; who waits for them is told so. Nothing new is begun.
  func cancelAll() {
    cancelled.store(true, ordering: .releasing)
    // Those that are not on their way yet hear of it when they would set out.
    loop.withLock { $0 }?.post { $0.cancelAll() }
    workers.wake()
  }

  /// Ends the threads. Nothing may be asked any more.
  func close() {
    loop.withLock { $0.take() }?.shutdown()
    workers.close()
  }

  // MARK: What the network stage uses

  func random() -> Double { Double.random(in: 0...1) }

  private func resumeReceiving() {
    loop.withLock { $0 }?.post { $0.resumeReceiving() }
  }

  // MARK: State that stages share

  func failure(rememberedFor url: String) -> RememberedFailure? {
    guard hasFailures.load(ordering: .acquiring) else { return nil }
    let digest = RunDigest(url: url).value
    return state.withLock { $0.failed[digest] }
  }

  func remember(_ error: FetchError, for url: String) {
    guard let remembered = RememberedFailure(error) else { return }
    let digest = RunDigest(url: url).value
    state.withLock { $0.failed[digest] = remembered }
    hasFailures.store(true, ordering: .releasing)
  }

  /// Whether the key is now asked of the origin for the first time in this run.
  func isFirstAsking(of key: CacheKey) -> Bool {
    let digest = RunDigest(key).value
    return state.withLock { $0.asked.insert(digest).inserted }
  }

  /// The asking came to nothing, so it does not count as the one of this run.
  func forgetAsking(of key: CacheKey) {
    if state.withLock({ $0.asked.isEmpty }) { return }
    let digest = RunDigest(key).value
    state.withLock { _ = $0.asked.remove(digest) }
  }

  /// Whether another process is now waited for, for this key, for the first time in this run.
  func isFirstWaiting(for key: CacheKey) -> Bool {
    let digest = RunDigest(key).value
    return state.withLock { $0.waited.insert(digest).inserted }
  }

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  static let cancelled = FetchError(.cancelled, "", "broken off")

  /// Posts to the network stage, on the network's thread, which is started if it is not there yet.
  func conduct(_ work: @escaping @Sendable (NetworkStage) -> Void) throws(TransportFailure) { try network().post(work) }

  /// The network's thread, which is started if it is not there yet. Who knows that it will be needed asks for it early: it has some
  /// milliseconds of loading before it.
  @discardableResult
  func network() throws(TransportFailure) -> any Loop {
    let loop: Result<any Loop, TransportFailure> = loop.withLock { present in
      if let present { return .success(present) }
      do throws(TransportFailure) {
        // Both before the loop's thread starts: its first turn could say the contrary, and be overruled by this. And whoever is told
        // may start a thread, which the kernel likes to put on this thread's core, to wait until it sleeps, and the next on a free
        // one: measured on two cores, the loop began 0.3 ms earlier, of the 11 that one cold picture takes.
        workers.shareCores(true)
        hooks.whenOnline?()
        let made = try makeLoop(
          configuration.network, clock, { [workers] in workers.isFull }, { NetworkStage(engine: self, transport: $0) })
        present = made
        hasLoop.store(true, ordering: .relaxed)
        return .success(made)
      } catch { return .failure(error) }
    }
    return try loop.get()
  }

  // MARK: Landing

  /// Ends a flight: all who wait for it get the answer, or are told why there is none.
  func land(_ flight: Flight, _ answer: Answer?, _ error: FetchError?) {
    let asks = state.withLock { $0.table.land(flight.id) }
    let traffic = flight.traffic
    emit { .ended(flight: flight.id) }
    // What came over the network is told to the first, or sums would count it several times.
    // An answer from a cache, or a failure before any request, ends the waiting itself.
    let asked = traffic.asked ?? clock.now()
    func blank(_ position: Int, _ ask: Ask) -> FetchResult {
      var result = ask.blankResult
      result.queuedMilliseconds = max(0, ask.milliseconds(until: asked))
      result.attempts = traffic.attempts
      result.downloaded = position == 0 ? traffic.downloaded : 0
      return result
    }
    guard let answer else {
      for (position, ask) in asks.enumerated() {
        var result = blank(position, ask)
        result.error = (error ?? Self.cancelled).told(to: ask.request.url.display)
        result.status = error?.status
        finish(ask, &result)
      }
      return
    }
    var handover = Handover(answer, self)
    for (position, ask) in asks.enumerated() {
      var result = blank(position, ask)
      handover.deliver(to: ask, isFirst: position == 0, &result)
      if result.error != nil, handover.answer.cache != .none, handover.answer.body.isDamaged {
        // What was stored is not what was stored: out with it, and begin again.
        if let entry = handover.answer.entry { disk?.discard(entry) }
        rejoin(ask, after: traffic)
      } else if result.error?.kind == .checksum, handover.answer.cache != .none, ask.request.options.policy.asksOrigin {
        // Stored for somebody who did not say which bytes they must be, or called right by who does not know either.
        rejoin(ask.distrusting, after: traffic)
      } else {
        finish(ask, &result)
      }
    }
  }

  /// Takes those out of a flight who asked for another URL of the same key.
  func takeOthers(outOf flight: Flight) -> [Ask] {
    state.withLock { $0.table.takeOut(of: flight.id) { $0.request.url.canonical != flight.request.url.canonical } }
  }

  /// Begins again for an asker who was in a flight before, which has cost so much in vain.
  func rejoin(_ ask: Ask, after traffic: Traffic) {
    let identity = FlightTable<Ask>.Identity(key: ask.key, demands: ask.request.shared.signature)
    if case .leads(let number) = state.withLock({ $0.table.join(identity, ask.id, ask) }) {
      let flight = Flight(id: number, for: ask)
      flight.note(traffic)
      workers.add { self.prepare(flight) }
    }
  }

  private func finish(_ ask: Ask, _ result: inout FetchResult) {
    result.begun = ask.begun
    result.elapsedMilliseconds = ask.milliseconds(until: clock.now())
    ask.deliver(result)
    news.add()
    if unanswered.remove() { workers.nudge() }
  }
}
