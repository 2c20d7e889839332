import Synchronization

/// The threads that work with disks: they look entries up, inspect, hash and write. All blocking work is done here.
///
/// Jobs run one at a time per thread, in the order of their ``JobQueue``. The bytes that they hold are counted, and the
/// source of jobs checks ``isFull`` first: so the queue is bounded although adding never blocks.
///
/// Threads start when there is more work than the caller can do. ``WorkerPolicy`` decides which thread is woken when.
/// If the system has no thread left, the thread that adds a job runs it.
package final class Workers: Sendable {
  package typealias Job = @Sendable () -> Void

  /// A queued job. An array of bare closures would wrap each of them anew at every step.
  private struct Queued {
    let run: Job
  }

  private struct State {
    var queue = JobQueue<Queued>()
    var policy: WorkerPolicy
    var threads: [Threads.Handle] = []
    var isClosed = false

    // Threads that are ending need no waking, and none may start whose end is not waited for.
    mutating func wake(at now: Instant) -> WorkerPolicy.Wake { isClosed ? .none : policy.wake(for: queue, at: now) }
  }

  private let state: Guarded<State>
  /// The number of reserve threads that are to wake up. The reserve waits here.
  private let recalled = Guarded(0)
  /// Bytes that wait. Only a number, so its order relative to other memory does not matter.
  private let held = Atomic<Int>(0)
  /// The number of jobs that wait. Written under the lock, and read after each job without it.
  private let waiting = Atomic<Int>(0)
  private let bound: Int
  private let clock: any Clock
  private let drained: @Sendable () -> Void
  private let afterEach: @Sendable (Workers) -> Void

  /// - Parameters:
  ///   - limit: the greatest number of threads; one per core is right.
  ///   - bound: how many waiting bytes make ``isFull``. `drained` is called when they have fallen to half of that
  ///     again.
  ///   - clock: measures how long a job has waited.
  ///   - afterEach: called after each job, by its thread.
  package init(
    limit: Int = Threads.cores, bound: Int, clock: any Clock = SystemClock(),
    drained: @escaping @Sendable () -> Void = {},
    afterEach: @escaping @Sendable (Workers) -> Void = { _ in }
  ) {
    state = Guarded(State(policy: WorkerPolicy(limit: max(1, limit))))
    self.bound = bound
    self.clock = clock
    self.drained = drained
    self.afterEach = afterEach
  }

  /// True if so many bytes wait that their source should pause.
  package var isFull: Bool { held.load(ordering: .relaxed) >= bound }

  /// Adds to the bytes that wait.
  package func hold(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }

  /// Subtracts from the bytes that wait.
  package func release(_ bytes: Int) {
    let (before, after) = held.subtract(bytes, ordering: .relaxed)
    if before >= bound / 2 && after < bound / 2 { drained() }
  }

  /// Sets whether a thread of another kind keeps a core busy and depends on the results of the jobs.
  package func shareCores(_ isShared: Bool) { state.withLock { $0.policy.sharesCores = isShared } }

  /// The threads that are woken for a new job.
  package enum Waking: Sendable {
    /// The thread that the policy chooses.
    case now
    /// The thread that the policy chooses, if there are threads. None is started.
    case byThreadsOnly
    /// No thread: more jobs follow at once, or ``wake()``, or ``help(until:orUntil:)``.
    case later
  }

  /// Adds a job. Never blocks. With `ahead`, the job runs after all that are waited for.
  package func add(_ waking: Waking = .now, ahead: Bool = false, _ job: @escaping Job) {
    let now = clock.now()
    let wake = state.withLock { state in
      state.queue.add(Queued(run: job), to: ahead ? .ahead : .due, at: now)
      waiting.store(state.queue.count, ordering: .relaxed)
      return switch waking {
      case .now: state.wake(at: now)
      case .byThreadsOnly: state.threads.isEmpty ? .none : state.wake(at: now)
      case .later: WorkerPolicy.Wake.none
      }
    }
    carryOut(wake)
  }

  /// Adds a job, or runs it on the calling thread if the threads have ended.
  package func addOrRun(_ job: @escaping Job) {
    let now = clock.now()
    let wake: WorkerPolicy.Wake? = state.withLock { state in
      if state.isClosed { return nil }
      state.queue.add(Queued(run: job), to: .due, at: now)
      waiting.store(state.queue.count, ordering: .relaxed)
      return state.wake(at: now)
    }
    if let wake { carryOut(wake) } else { job() }
  }

  /// Wakes a thread if one is needed for the jobs that wait.
  package func wake() {
    let now = clock.now()
    carryOut(state.withLock { $0.wake(at: now) })
  }

  /// Does work that will take the calling job long. Other threads are woken for the jobs behind it.
  package func engage<Value, Failure: Error>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
    state.withLock { $0.policy.longJobBegan() }
    wake()
    defer { state.withLock { $0.policy.longJobEnded() } }
    return try work()
  }

  private func carryOut(_ wake: WorkerPolicy.Wake) {
    switch wake {
    case .none: break
    case .sleeper: state.signal()
    case .reserve:
      recalled.withLock { $0 += 1 }
      recalled.signal()
    case .thread(let number): startThread(number)
    }
  }

  private func startThread(_ number: Int) {
    guard let handle = try? Threads.start(name: "imgfetch-disk-\(number)", { [self] in work(number) }) else {
      let isLeftAlone = state.withLock { state in
        state.policy.startFailed()
        return state.policy.hasNoThread
      }
      // The existing threads, or a helping caller, do the work. Where there is neither, this thread does, whatever else
      // it has to do: who waits for the result may not be one that helps.
      if isLeftAlone { help(until: { [self] _ in isEmpty }) }
      return
    }
    // Closed meanwhile, it ends by itself.
    state.withLock { state in if !state.isClosed { state.threads.append(handle) } }
  }

  private func work(_ number: Int) {
    while let job = number == 0 ? next(orUntil: nil) : nextOfReserve() {
      job.run()
      afterEach(self)
    }
  }

  /// Lets the calling thread run jobs until `isDone`, or until there are none after the deadline. `isDone` is called
  /// before each job and after each ``nudge()``, under the queue's lock, so it may not use the queue. Its argument is
  /// whether there are other threads.
  package func help(
    until isDone: @escaping @Sendable (_ hasThreads: Bool) -> Bool, orUntil deadline: Instant? = nil
  ) {
    state.withLock { $0.policy.helperJoined() }
    while let job = next(orUntil: isDone, deadline) {
      job.run()
      afterEach(self)
    }
    state.withLock { $0.policy.helperLeft() }
    // This thread may have been woken for a job that it did not take.
    wake()
  }

  /// Makes helping threads check again whether they are done.
  package func nudge() {
    // The state that they check is not protected by this lock. A thread that has just checked holds the lock until it
    // sleeps: once the lock was free here, all threads that need this wake-up are asleep.
    state.withLock { _ in }
    state.broadcast()
  }

  /// The number of jobs that wait.
  package var waitingJobs: Int { waiting.load(ordering: .relaxed) }

  /// True if no job waits.
  package var isEmpty: Bool { waiting.load(ordering: .relaxed) == 0 }

  /// True if no job waits and there is no thread that could have one.
  package var isIdleForGood: Bool { isEmpty && !hasThreads }

  /// True if there are threads other than helping ones.
  package var hasThreads: Bool { state.withLock { !$0.threads.isEmpty } }

  private func next(orUntil isDone: (@Sendable (Bool) -> Bool)?, _ deadline: Instant? = nil) -> Queued? {
    var isAsleep = false
    var wake = WorkerPolicy.Wake.none
    let taken: Queued?? = state.wait(until: deadline) { state in
      if isAsleep { state.policy.awoke() }
      let isOver = isDone?(!state.threads.isEmpty) == true
      let job = isOver ? nil : take(&state)
      if job != nil || isOver || state.isClosed {
        if job != nil, state.queue.count > 0 { wake = state.wake(at: clock.now()) }
        return .some(job)
      }
      state.policy.fellAsleep()
      isAsleep = true
      return nil
    }
    if taken == nil { state.withLock { $0.policy.awoke() } }
    carryOut(wake)
    return taken ?? nil
  }

  private func nextOfReserve() -> Queued? {
    while true {
      let (job, isOver): (Queued?, Bool) = state.withLock { state in
        let job = take(&state)
        if job == nil, !state.isClosed { state.policy.joinedReserve() }
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
    for thread in threads { thread.join() }
  }
}

/// Decides when a thread is woken or started for a queue, and which. A pure value; ``Workers`` holds one under its
/// lock. Another thread is woken only if the awake ones fall behind or have a long job. Two threads that alternate on
/// small images spend more on each other's cache lines than they save. <doc:Speed> has figures.
struct WorkerPolicy {
  enum Wake: Equatable {
    case none
    /// One that sleeps on the queue.
    case sleeper
    /// One of the reserve.
    case reserve
    /// A new thread, with this number.
    case thread(Int)
  }

  /// The time that a job may wait while a thread is awake: far longer than the 0.05 ms that a small image takes, and
  /// too short for a person to notice.
  static let patience = Instant.Span.milliseconds(3)

  /// The most threads in all, as a multiple of their limit: images of one origin that wait for a helper must
  /// not keep others from it.
  private static let most = 8

  let limit: Int
  /// True if a thread of another kind keeps a core busy and depends on the results of the jobs. Work ahead of time then
  /// wakes no thread for that core.
  var sharesCores = false
  private var threads = 0
  private var sleeping = 0
  /// Woken, but not running yet.
  private var waking = 0
  private var inReserve = 0
  private var onLongJobs = 0
  private var started = 0

  init(limit: Int) { self.limit = limit }

  /// Returns which thread to wake for the queue. It counts as awake from now on.
  mutating func wake<Job>(for queue: JobQueue<Job>, at now: Instant) -> Wake {
    guard queue.count > 0 else { return .none }
    let awake = threads - sleeping - inReserve - onLongJobs
    if awake > 0, !isBehind(queue, at: now, hasCore: awake + (sharesCores ? 1 : 0) < limit) { return .none }
    if sleeping > 0 {
      sleeping -= 1
      waking += 1
      return .sleeper
    }
    if inReserve > 0 {
      inReserve -= 1
      return .reserve
    }
    // A thread on a long job mostly waits, for a helper or for memory.
    guard started - onLongJobs < limit, started < Self.most * limit else { return .none }
    started += 1
    threads += 1
    return .thread(started - 1)
  }

  private func isBehind<Job>(_ queue: JobQueue<Job>, at now: Instant, hasCore: Bool) -> Bool {
    if let since = queue.waitingSince(in: .due), now >= since + Self.patience { return true }
    guard hasCore, let since = queue.waitingSince(in: .ahead) else { return false }
    return now >= since + Self.patience
  }

  /// Notes that a thread that is not one of the workers begins to help.
  mutating func helperJoined() { threads += 1 }

  mutating func helperLeft() { threads -= 1 }

  /// Notes that a thread could not be started. It may be possible later.
  mutating func startFailed() {
    threads -= 1
    started -= 1
  }

  /// True if no thread works, waits for work or helps.
  var hasNoThread: Bool { threads == 0 }

  /// Notes that a thread found nothing to do and sleeps on the queue.
  mutating func fellAsleep() { sleeping += 1 }

  /// Notes that a sleeping thread is awake, whether or not it was the one that was woken.
  mutating func awoke() {
    if waking > 0 { waking -= 1 } else { sleeping -= 1 }
  }

  /// Notes that a thread other than the first found nothing to do and joins the reserve. The reserve is woken after the
  /// first thread, whose caches hold the data that it needs.
  mutating func joinedReserve() { inReserve += 1 }

  mutating func longJobBegan() { onLongJobs += 1 }
  mutating func longJobEnded() { onLongJobs -= 1 }
}

/// Jobs in two lanes, each first in, first out: those that are waited for, and behind all of them those that are done
/// ahead of time. A pure value; ``Workers`` holds one under its lock.
struct JobQueue<Job> {
  enum Lane { case due, ahead }

  private struct Queued {
    let job: Job
    let since: Instant
  }

  private var due = Queue<Queued>()
  private var ahead = Queue<Queued>()

  var count: Int { due.count + ahead.count }

  mutating func add(_ job: Job, to lane: Lane, at now: Instant) {
    let queued = Queued(job: job, since: now)
    switch lane {
    case .due: due.append(queued)
    case .ahead: ahead.append(queued)
    }
  }

  mutating func take() -> Job? { (due.popFirst() ?? ahead.popFirst())?.job }

  /// The time since which the oldest job of a lane has waited, or nil if the lane is empty.
  func waitingSince(in lane: Lane) -> Instant? {
    switch lane {
    case .due: due.first?.since
    case .ahead: ahead.first?.since
    }
  }
}
