/// Decides whether a failed attempt is repeated, and after which pause.
///
/// Only failures that may pass are retried: connections that failed, time-outs, bodies that were cut short, and the
/// statuses by which a server says "later". The step doubles from half a second to eight. The pause is drawn at random
/// from half of the step to all of it, so that a thousand clients that failed together do not come back together. A
/// server's own `Retry-After` is obeyed up to a minute; beyond that it is better to fail at once and let the caller
/// come back.
///
/// ``AttemptCount`` counts the attempts, and ``Throttle`` may ask for a longer pause.
struct RetryRule: Sendable {
  /// The number of times that an attempt is repeated.
  var limit: Int

  enum Decision: Equatable {
    case giveUp
    case retry(after: Instant.Span)

    /// The pause before another attempt, if there is one.
    var pause: Instant.Span { if case .retry(let pause) = self { pause } else { .seconds(0) } }
  }

  /// The first step; each further one is twice as long.
  static let firstPause = Instant.Span.milliseconds(500)
  /// The longest pause that is not the server's wish.
  static let longestPause = Instant.Span.seconds(8)
  static let longestObeyed = RetryAfter.longestObeyed
  /// Statuses that mean "too many requests". They concern the whole origin, not just this URL.
  static let busyStatuses: Set<Int> = [429, 503]
  /// The status of a server that counts requests. The other one means that it is busy, for any reason.
  static let countedStatus = 429
  /// The statuses of a server that is not ready yet, or of the proxy before it.
  static let outageStatuses: Set<Int> = [502, 503, 504]

  /// Decides whether a failed attempt is repeated.
  ///
  /// - Parameters:
  ///   - attempts: the number of attempts, the failed one included.
  ///   - excused: the number of them that do not count.
  ///   - retryAfter: the pause that the server asked for.
  ///   - random: between 0 and 1.
  func decide(
    isTransient: Bool, attempts: Int, excused: Int = 0, retryAfter: Instant.Span?, random: Double
  ) -> Decision {
    guard isTransient, attempts - excused <= limit else { return .giveUp }
    if let retryAfter { return retryAfter > Self.longestObeyed ? .giveUp : .retry(after: retryAfter) }
    return .retry(after: Self.pause(doublings: attempts - 1, random))
  }

  /// Half of the step to all of it.
  static func pause(doublings: Int, _ random: Double) -> Instant.Span {
    let step = min(firstPause.nanoseconds << Int64(min(max(0, doublings), 10)), longestPause.nanoseconds)
    return Instant.Span(nanoseconds: Int64(Double(step) * (0.5 + 0.5 * min(max(random, 0), 1))))
  }
}
