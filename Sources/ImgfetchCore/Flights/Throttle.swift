/// How an origin is asked that has said "too many requests" (429, 503) without saying for how long. A pure value.
///
/// The first refusal halves how many requests may be out at once, and no more: it may be one image's trouble. A further one, before
/// that is forgotten, halves them again and has a pause kept between two starts, and each one more doubles the pause; nothing starts for
/// such a pause. Each answer gives a place back and takes a seventh off the pause, until the origin is asked as before.
///
/// Simulated: 60 images, six at once, three attempts each, before buckets of 0.2 to 50 requests a second, windows of 1 to 60 s and servers
/// that take one or two at once: 1 image lost in 1,440 runs, with 61 to 88 requests. 5,000 images of an origin that answers one in a
/// hundred with 503 by chance take 6 % longer; where the first refusal paused, nine times as long.
struct Throttle {
  /// How many requests may be out at once.
  private(set) var places: Int
  /// From one start to the next.
  private(set) var pause = Instant.Span(nanoseconds: 0)
  /// Nothing starts before.
  private(set) var resumption: Instant
  /// Whether nothing has been answered since the last refusal.
  private(set) var isClosed = true
  /// Requests that started up to this moment did so before the last refusal. Their outcomes say nothing about the current rate.
  private var since: Instant

  /// After a first refusal.
  ///
  /// - Parameter places: how many may be out at once otherwise.
  init(places: Int, refusedAt now: Instant) {
    self.places = max(1, places / 2)
    since = now
    resumption = now
  }

  /// - Parameter random: between 0 and 1. Nothing starts for half of the pause to all of it, so that those who were refused together
  ///   do not come back together.
  mutating func refused(startedAt start: Instant, at now: Instant, random: Double) {
    guard start > since else { return }
    places = max(1, places / 2)
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

  /// Whether the origin is asked as it would be without it.
  func isOver(of limit: Int) -> Bool { pause.nanoseconds == 0 && places >= limit }

  /// No server that counts requests allows a hundred a second, so a shorter pause is none.
  private static let shortest = Instant.Span.milliseconds(10)
}
