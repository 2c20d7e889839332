/// Jobs in two lanes, each first in, first out: those that somebody waits for, and behind all of them those that are done ahead of time.
///
/// A pure value; ``Workers`` holds one under its lock.
struct JobQueue<Job> {
  enum Lane { case due, ahead }

  private struct Queued {
    let job: Job
    let since: Instant
  }

  private struct Line {
    var jobs: [Queued?] = []
    /// Where the line begins in `jobs`; the taken part is dropped in large pieces.
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

  /// Since when the longest waiting job of a lane has waited; nil: none waits there.
  func waitingSince(in lane: Lane) -> Instant? {
    switch lane {
    case .due: due.first?.since
    case .ahead: ahead.first?.since
    }
  }
}
