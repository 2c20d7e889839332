import Synchronization

/// The threads that touch disks: they look entries up, inspect, hash and write. Nothing that may block is done elsewhere.
///
/// Jobs are taken one at a time, in the order of their ``JobQueue``. What they hold is counted in bytes, and whoever feeds them asks
/// ``isFull`` first: so the queue is bounded though adding to it never blocks.
///
/// Threads start when there is work for more than the caller; who is called when, the ``Crew`` decides.
package final class Workers: Sendable {
  package typealias Job = @Sendable () -> Void

  /// A job as it is queued: in an array of bare closures each would be wrapped anew at every step.
  private struct Queued {
    let run: Job
  }

  private struct State {
    var queue = JobQueue<Queued>()
    var crew: Crew
    var threads: [ThreadBox] = []
    var isClosed = false

    mutating func call(at now: Instant) -> Crew.Call { crew.call(for: queue, at: now) }
  }

  /// Arrays hold no values without copies yet, so each handle sits in a box.
  private final class ThreadBox: Sendable {
    let handle: Threads.Handle
    init(_ handle: consuming sending Threads.Handle) { self.handle = handle }
  }

  private let state: Guarded<State>
  /// How many of the reserve are recalled and have not come yet; those who rest wait here.
  private let recalled = Guarded(0)
  /// Bytes that wait; a number only, so its order with other memory does not matter.
  private let held = Atomic<Int>(0)
  /// How many jobs wait. Written under the lock; asked for after each job, without it.
  private let waiting = Atomic<Int>(0)
  private let bound: Int
  private let clock: any Clock
  private let drained: @Sendable () -> Void
  private let afterEach: @Sendable (Workers) -> Void

  /// - Parameters:
  ///   - limit: how many threads at most; one a core is right.
  ///   - clock: by which a job is seen to have waited.
  ///   - bound: how many bytes may wait before ``isFull``; `drained` is called when they have fallen to half of it again.
  ///   - afterEach: called after each job, by its thread.
  package init(
    limit: Int = Threads.cores, bound: Int, clock: any Clock = SystemClock(),
    drained: @escaping @Sendable () -> Void = {},
    afterEach: @escaping @Sendable (Workers) -> Void = { _ in }
  ) {
    state = Guarded(State(crew: Crew(limit: max(1, limit))))
    self.bound = bound
    self.clock = clock
    self.drained = drained
    self.afterEach = afterEach
  }

  /// Whether so many bytes wait to be dealt with that their source should pause.
  package var isFull: Bool { held.load(ordering: .relaxed) >= bound }

  /// So many more bytes wait.
  package func hold(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }

  /// So many have been dealt with.
  package func letGo(_ bytes: Int) {
    let (before, after) = held.subtract(bytes, ordering: .relaxed)
    if before >= bound / 2 && after < bound / 2 { drained() }
  }

  /// Whether somebody else keeps a core busy, and lives on what is done here.
  package func shareCores(_ isShared: Bool) { state.withLock { $0.crew.sharesCores = isShared } }

  /// When a job that is added is seen to.
  package enum Seeing: Sendable {
    case now
    /// Now, if there are threads; none is started for it.
    case byThreadsOnly
    /// More jobs follow at once, or ``wake()``, or ``help(until:)``.
    case later
  }

  /// Adds a job. Never blocks. `ahead`: nobody waits for it in particular, and what somebody does wait for is done first.
  package func add(_ seeing: Seeing = .now, ahead: Bool = false, _ job: @escaping Job) {
    let now = clock.now()
    let call = state.withLock { state in
      state.queue.add(Queued(run: job), to: ahead ? .ahead : .due, at: now)
      waiting.store(state.queue.count, ordering: .relaxed)
      return switch seeing {
      case .now: state.call(at: now)
      case .byThreadsOnly: state.threads.isEmpty ? .nobody : state.call(at: now)
      case .later: Crew.Call.nobody
      }
    }
    carryOut(call)
  }

  /// Sees to it that somebody works while there is work.
  package func wake() {
    let now = clock.now()
    carryOut(state.withLock { $0.call(at: now) })
  }

  /// Does what will take the calling job long; others are called for what waits behind it.
  package func engage<Value, Failure: Error>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
    state.withLock { $0.crew.begins() }
    wake()
    defer { state.withLock { $0.crew.ends() } }
    return try work()
  }

  private func carryOut(_ call: Crew.Call) {
    switch call {
    case .nobody: break
    case .sleeper: state.signal()
    case .reserve:
      recalled.withLock { $0 += 1 }
      recalled.signal()
    case .thread(let number): startThread(number)
    }
  }

  private func startThread(_ number: Int) {
    guard let handle = try? Threads.start(name: "imgfetch-disk-\(number)", { [self] in work(number) }) else {
      // The threads that there are, or the helping caller, do the work.
      return state.withLock { $0.crew.lacksThread() }
    }
    let box = ThreadBox(handle)
    state.withLock { $0.threads.append(box) }
  }

  private func work(_ number: Int) {
    while let job = number == 0 ? next(orUntil: nil) : nextOfReserve() {
      job.run()
      afterEach(self)
    }
  }

  /// Lets the calling thread work too, until `isDone`: asked before each job and after each ``nudge()``, under the queue's lock, so
  /// it may not use the queue itself; whether there are other threads it is told. From the deadline on it waits for no further job.
  package func help(
    until isDone: @escaping @Sendable (_ hasThreads: Bool) -> Bool, orUntil deadline: Instant? = nil
  ) {
    state.withLock { $0.crew.joins() }
    while let job = next(orUntil: isDone, deadline) {
      job.run()
      afterEach(self)
    }
    state.withLock { $0.crew.leaves() }
    // A helper that leaves may have been woken for a job that it did not take.
    wake()
  }

  /// Has those who help ask their question again.
  package func nudge() {
    // Its answer is not kept under this lock. Who has just asked, and is about to sleep, holds the lock until it does: only once
    // it was to be had is everybody asleep who must hear this.
    state.withLock { _ in }
    state.broadcast()
  }

  /// Whether nothing waits to be done.
  package var isEmpty: Bool { waiting.load(ordering: .relaxed) == 0 }

  /// Whether there are threads besides those who help.
  package var hasThreads: Bool { state.withLock { !$0.threads.isEmpty } }

  private func next(orUntil isDone: (@Sendable (Bool) -> Bool)?, _ deadline: Instant? = nil) -> Queued? {
    var isAsleep = false
    var call = Crew.Call.nobody
    let taken: Queued?? = state.wait(until: deadline) { state in
      if isAsleep { state.crew.awakes() }
      let isOver = isDone?(!state.threads.isEmpty) == true
      let job = isOver ? nil : take(&state)
      if job != nil || isOver || state.isClosed {
        if job != nil, state.queue.count > 0 { call = state.call(at: clock.now()) }
        return .some(job)
      }
      state.crew.fallsAsleep()
      isAsleep = true
      return nil
    }
    if taken == nil { state.withLock { $0.crew.awakes() } }
    carryOut(call)
    return taken ?? nil
  }

  private func nextOfReserve() -> Queued? {
    while true {
      let (job, isOver): (Queued?, Bool) = state.withLock { state in
        let job = take(&state)
        if job == nil, !state.isClosed { state.crew.rests() }
        return (job, state.isClosed)
      }
      if job != nil || isOver { return job }
      _ = recalled.wait { count -> Void? in
        guard count > 0 else { return nil }
        count -= 1
        return ()
      }
    }
  }

  private func take(_ state: inout State) -> Queued? {
    let job = state.queue.take()
    waiting.store(state.queue.count, ordering: .relaxed)
    return job
  }

  /// Ends the threads once the queue is empty, and waits for them.
  package func close() {
    let threads = state.withLock { state in
      state.isClosed = true
      defer { state.threads = [] }
      return state.threads
    }
    state.broadcast()
    recalled.withLock { $0 += threads.count }
    recalled.broadcast()
    for thread in threads { thread.handle.join() }
  }
}
