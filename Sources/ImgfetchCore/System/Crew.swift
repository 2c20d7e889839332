/// Who works on a queue, and who must be called for what waits in it.
///
/// A pure value; ``Workers`` holds one under its lock. A further thread is called only where those that are awake fall behind, or have a
/// long job: two that take turns with every small picture spend more on each other's cache lines than they save. Measured on two
/// cores, with the network's thread and a server beside them: 2,000 pictures of 10 KB in 0.172 s with one and 0.229 s with two.
struct Crew {
  enum Call: Equatable {
    case nobody
    /// One of those who sleep at the queue.
    case sleeper
    /// One of the reserve.
    case reserve
    /// A new thread, the n-th.
    case thread(Int)
  }

  /// How long a job may wait while somebody is awake: far longer than the 0.05 ms that a small picture takes, and too short for a
  /// person to see.
  static let patience = Instant.Span.milliseconds(3)

  let limit: Int
  /// Somebody else keeps a core busy and lives on what is done here: work ahead of time calls nobody to that core.
  var sharesCores = false
  private var hands = 0
  private var asleep = 0
  /// Those who were called and have not heard it yet.
  private var called = 0
  private var resting = 0
  private var engaged = 0
  private var started = 0

  init(limit: Int) { self.limit = limit }

  /// Who is to be called, and counts as awake from now on.
  mutating func call<Job>(for queue: JobQueue<Job>, at now: Instant) -> Call {
    guard queue.count > 0 else { return .nobody }
    let awake = hands - asleep - resting - engaged
    if awake > 0, !isBehind(queue, at: now, hasCore: awake + (sharesCores ? 1 : 0) < limit) { return .nobody }
    if asleep > 0 {
      asleep -= 1
      called += 1
      return .sleeper
    }
    if resting > 0 {
      resting -= 1
      return .reserve
    }
    guard started < limit else { return .nobody }
    started += 1
    hands += 1
    return .thread(started - 1)
  }

  private func isBehind<Job>(_ queue: JobQueue<Job>, at now: Instant, hasCore: Bool) -> Bool {
    if let since = queue.waitingSince(in: .due), now >= since + Self.patience { return true }
    guard hasCore, let since = queue.waitingSince(in: .ahead) else { return false }
    return now >= since + Self.patience
  }

  /// Somebody lends a hand who is no thread of the crew's.
  mutating func joins() { hands += 1 }

  /// A helper goes.
  mutating func leaves() { hands -= 1 }

  /// A thread could not be started; it may be possible later.
  mutating func lacksThread() {
    hands -= 1
    started -= 1
  }

  /// One who found nothing to do sleeps at the queue.
  mutating func fallsAsleep() { asleep += 1 }

  /// One who slept is awake, whoever of those that sleep was meant.
  mutating func awakes() {
    if called > 0 { called -= 1 } else { asleep -= 1 }
  }

  /// A thread beyond the first found nothing to do. It is not woken before the first, which has what it needs at hand.
  mutating func rests() { resting += 1 }

  mutating func begins() { engaged += 1 }
  mutating func ends() { engaged -= 1 }
}
