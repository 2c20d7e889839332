/// Paces the requests to an origin that has answered "too many requests" (429, 503) without a time to come back. A pure
/// value.
///
/// The first refusal only halves the number of requests that may be out at once: the trouble may concern one image. A
/// further one, before the first is forgotten, halves it again and keeps a pause between two starts, and each one more
/// doubles the pause; nothing starts during such a pause. Each answer gives a place back and shortens the pause by a
/// seventh, until the origin is asked as before. If two minutes bring nothing but refusals, the number of requests is
/// not the cause: then the origin is asked one by one, with the shortest pause, and refusals are not retried.
///
/// A pause of more than two seconds is the result of several refusals in a row. The answer that ends them ends the
/// pause, too, since the origin is back. An origin that says 429 again at once has a rate limit: from then on its pause
/// is only shortened by sevenths.
///
/// <doc:Speed> has the simulations behind these numbers.
struct Throttle {
  /// The number of requests that may be out at once.
  private(set) var places: Int
  /// The time from one start to the next.
  private(set) var pause = Instant.Span(nanoseconds: 0)
  /// The time before which nothing starts.
  private(set) var notBefore: Instant
  /// True if nothing has been answered since the last refusal.
  private(set) var isClosed = true
  /// The time of the last refusal. The outcomes of requests that started before it say nothing about the current rate.
  private var since: Instant
  /// The time of the first refusal after the last answer.
  private var closedSince: Instant
  /// The pause that an answer took away as a whole, until the next refusal.
  private var lifted: Instant.Span?
  /// The number of answers since the last refusal.
  private var answers = 0
  /// True if the origin has shown that it allows less than one request in two seconds.
  private var isRateLow = false

  /// Creates the throttle after a first refusal.
  ///
  /// - Parameter places: the number of requests that may be out at once otherwise.
  init(places: Int, refusedAt now: Instant) {
    self.places = max(1, places / 2)
    since = now
    closedSince = now
    notBefore = now
  }

  /// True if waiting is useless.
  func isHopeless(at now: Instant) -> Bool { isClosed && now - closedSince >= Self.patience }

  /// True if several refusals in a row have left a long pause.
  var isStuck: Bool { isClosed && pause > Self.longestKept }

  /// Notes a further refusal.
  ///
  /// - Parameters:
  ///   - random: between 0 and 1. Nothing starts for half of the pause to all of it, so that clients that were refused
  ///     together do not come back together.
  ///   - isCounted: true if the origin counts requests (429), and is not just busy.
  mutating func refused(startedAt start: Instant, at now: Instant, random: Double, isCounted: Bool = true) {
    guard start > since else { return }
    places = max(1, places / 2)
    if !isClosed { closedSince = now }
    if let lifted, isCounted, answers < Self.proof {
      isRateLow = true
      pause = max(pause, Instant.Span(nanoseconds: lifted.nanoseconds / 2))
    }
    lifted = nil
    answers = 0
    pause = isHopeless(at: now) ? Self.noPause : pause
    pause = min(max(Instant.Span(nanoseconds: pause.nanoseconds * 2), RetryRule.firstPause), RetryRule.longestPause)
    isClosed = true
    since = now
    let share = 0.5 + 0.5 * min(max(random, 0), 1)
    notBefore = now + Instant.Span(nanoseconds: Int64(Double(pause.nanoseconds) * share))
  }

  mutating func answered(startedAt start: Instant, of limit: Int) {
    guard start > since else { return }
    isClosed = false
    answers += 1
    places = min(limit, places + 1)
    if pause > Self.longestKept, !isRateLow {
      lifted = pause
      pause = Self.noPause
      notBefore = since
      return
    }
    pause = Instant.Span(nanoseconds: pause < Self.shortest ? 0 : pause.nanoseconds / 7 * 6)
  }

  mutating func started(at now: Instant) { notBefore = max(notBefore, now + pause) }

  /// True if the origin is asked as it would be without a throttle.
  func isOver(of limit: Int) -> Bool { pause.nanoseconds == 0 && places >= limit }

  private static let noPause = Instant.Span(nanoseconds: 0)
  /// Twice what a `Retry-After` may ask for.
  private static let patience = Instant.Span.seconds(120)
  /// The longest pause that an answer shortens, and does not end. Servers that allow a request a second are asked with
  /// pauses of up to this.
  private static let longestKept = Instant.Span.seconds(2)
  /// The number of answers that show that a pause was not needed.
  private static let proof = 4
  /// No server that counts requests allows a hundred a second, so a shorter pause has no effect.
  private static let shortest = Instant.Span.milliseconds(10)
}
