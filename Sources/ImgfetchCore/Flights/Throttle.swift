/// Paces the requests to an origin that has said "too many requests" (429, 503) without saying
/// for how long. A pure value.
///
/// The first refusal halves the number of requests that may be out at once, and no more: the trouble may be that of
/// one image. A further one, before that is forgotten, halves it again and keeps a pause between two starts, and
/// each one more doubles the pause; nothing starts during such a pause. Each answer gives a place back and takes a
/// seventh off the pause, until the origin is asked as before. If two minutes bring nothing but refusals, the
/// number of requests is not the trouble: then the origin is asked one by one, with the shortest pause, and no
/// refusal is worth another attempt.
///
/// <doc:Speed> has the simulations behind these numbers.
struct Throttle {
  /// The number of requests that may be out at once.
  private(set) var places: Int
  /// The time from one start to the next.
  private(set) var pause = Instant.Span(nanoseconds: 0)
  /// The time before which nothing starts.
  private(set) var resumption: Instant
  /// True if nothing has been answered since the last refusal.
  private(set) var isClosed = true
  /// Requests that started up to this moment did so before the last refusal. Their outcomes say
  /// nothing about the current rate.
  private var since: Instant
  /// The time of the first refusal after the last answer.
  private var closedSince: Instant

  /// Creates the throttle after a first refusal.
  ///
  /// - Parameter places: the number of requests that may be out at once otherwise.
  init(places: Int, refusedAt now: Instant) {
    self.places = max(1, places / 2)
    since = now
    closedSince = now
    resumption = now
  }

  /// True if waiting is of no use.
  func isHopeless(at now: Instant) -> Bool { isClosed && now - closedSince >= Self.patience }

  /// Notes a further refusal.
  ///
  /// - Parameter random: between 0 and 1. Nothing starts for half of the pause to all of it, so that clients that were
  ///   refused together do not come back together.
  mutating func refused(startedAt start: Instant, at now: Instant, random: Double) {
    guard start > since else { return }
    places = max(1, places / 2)
    if !isClosed { closedSince = now }
    pause = isHopeless(at: now) ? Self.noPause : pause
    pause = min(max(Instant.Span(nanoseconds: pause.nanoseconds * 2), RetryRule.firstPause), RetryRule.longestPause)
    isClosed = true
    since = now
    let share = 0.5 + 0.5 * min(max(random, 0), 1)
    resumption = now + Instant.Span(nanoseconds: Int64(Double(pause.nanoseconds) * share))
  }

  mutating func answered(startedAt start: Instant, of limit: Int) {
    guard start > since else { return }
    isClosed = false
    places = min(limit, places + 1)
    pause = Instant.Span(nanoseconds: pause < Self.shortest ? 0 : pause.nanoseconds / 7 * 6)
  }

  mutating func started(at now: Instant) { resumption = max(resumption, now + pause) }

  /// True if the origin is asked as it would be without a throttle.
  func isOver(of limit: Int) -> Bool { pause.nanoseconds == 0 && places >= limit }

  private static let noPause = Instant.Span(nanoseconds: 0)
  /// Twice what a `Retry-After` may ask for.
  private static let patience = Instant.Span.seconds(120)
  /// No server that counts requests allows a hundred a second, so a shorter pause is none.
  private static let shortest = Instant.Span.milliseconds(10)
}
