/// Decides when a thread is woken or started for a queue, and which. A pure value; ``Workers`` holds one under its
/// lock. Another thread is woken only if the awake ones fall behind or have a long job. Two threads that alternate on
/// small images spend more on each other's cache lines than they save. Measured on two cores, with the network thread
/// and a server beside them: 2,000 images of 10 KB take 0.172 s with one thread and 0.229 s with two.
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

  /// How long a job may wait while a thread is awake: far longer than the 0.05 ms that a small image takes, and too
  /// short for a person to notice.
  static let patience = Instant.Span.milliseconds(3)

  let limit: Int
  /// Whether a thread of another kind keeps a core busy and depends on the results of the jobs. Work ahead of time then
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
    guard started < limit else { return .none }
    started += 1
    threads += 1
    return .thread(started - 1)
  }

  private func isBehind<Job>(_ queue: JobQueue<Job>, at now: Instant, hasCore: Bool) -> Bool {
    if let since = queue.waitingSince(in: .due), now >= since + Self.patience { return true }
    guard hasCore, let since = queue.waitingSince(in: .ahead) else { return false }
    return now >= since + Self.patience
  }

  /// A thread that is not one of the workers begins to help.
  mutating func helperJoined() { threads += 1 }

  mutating func helperLeft() { threads -= 1 }

  /// A thread could not be started. It may be possible later.
  mutating func startFailed() {
    threads -= 1
    started -= 1
  }

  /// A thread found nothing to do and sleeps on the queue.
  mutating func fellAsleep() { sleeping += 1 }

  /// A sleeping thread is awake, whether or not it was the one that was woken.
  mutating func awoke() {
    if waking > 0 { waking -= 1 } else { sleeping -= 1 }
  }

  /// A thread other than the first found nothing to do and joins the reserve. The reserve is woken after the first
  /// thread, whose caches hold what it needs.
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

  private struct Line {
    var jobs: [Queued?] = []
    /// The index of the first job. Taken ones are dropped in large blocks.
    var head = 0
    var count: Int { jobs.count - head }
    var first: Queued? { head < jobs.count ? jobs[head] : nil }

    mutating func take() -> Job? {
      guard let first else { return nil }
      jobs[head] = nil
      head += 1
      if head == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 1024, head * 2 >= jobs.count {
        jobs.removeFirst(head)
        head = 0
      }
      return first.job
    }
  }

  private var due = Line()
  private var ahead = Line()

  var count: Int { due.count + ahead.count }

  mutating func add(_ job: Job, to lane: Lane, at now: Instant) {
    let queued = Queued(job: job, since: now)
    switch lane {
    case .due: due.jobs.append(queued)
    case .ahead: ahead.jobs.append(queued)
    }
  }

  mutating func take() -> Job? { due.take() ?? ahead.take() }

  /// Since when the oldest job of a lane has waited; nil if the lane is empty.
  func waitingSince(in lane: Lane) -> Instant? {
    switch lane {
    case .due: due.first?.since
    case .ahead: ahead.first?.since
    }
  }
}
