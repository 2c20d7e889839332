/// Counts the requests that were sent for one purpose, not counting redirects, and decides whether another one follows.
/// The purpose is a flight, or one step of a conversation with a store.
struct AttemptCount: Sendable {
  /// The requests to the present URL or mirror.
  var made = 0
  /// The number of requests that an earlier answer asked for in another form, such as with a login.
  var repeats = 0
  /// The number of requests that failed while their origin was down or was coming back, or were never processed.
  var excused = 0
  /// The number of requests that were never processed, and are excused for that.
  private var losses = 0
  /// True if no further attempt is made.
  var areOver = false
  /// The number of attempts that were refused as one too many, or had no answer.
  var refusals = 0
  /// The requests to URLs and mirrors that were given up.
  private var elsewhere = 0

  var inAll: Int { made + elsewhere }

  /// The number of losses that are excused: a server may refuse one request for ever.
  private static let mostLosses = 5

  /// Excuses a request that was lost with connections that the server closed, while it answered others.
  mutating func excuseLoss() {
    guard losses < Self.mostLosses else { return }
    losses += 1
    excused += 1
  }

  /// True if a retry that fails would be followed by another one.
  func hasSpare(under rule: RetryRule) -> Bool { made - repeats - excused < rule.limit }

  /// Decides whether another attempt follows one that failed.
  ///
  /// - Parameters:
  ///   - retryAfter: the pause that the server asked for.
  ///   - random: between 0 and 1.
  func decide(
    under rule: RetryRule, isTransient: Bool, retryAfter: Instant.Span?, random: Double
  ) -> RetryRule.Decision {
    rule.decide(
      isTransient: isTransient && !areOver, attempts: made - repeats, excused: excused, retryAfter: retryAfter,
      random: random)
  }

  /// Begins to count anew, for another mirror or another step.
  mutating func moveOn() {
    let past = inAll
    self = AttemptCount()
    elsewhere = past
  }
}
