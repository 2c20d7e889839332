/// Whether an origin answers at all. A pure value.
///
/// Some attempts in a row without one byte of an answer, and the origin counts as down: one request at a time tries it again, with growing
/// pauses. When enough of those have failed it is given up, and so is what waits for it. Later on a request tries it again now and then.
/// One answer brings it back.
///
/// Without it, 1,000 URLs of a host that swallows packets take 80 minutes: six at once, three attempts of ten seconds each.
package struct OriginHealth {
  /// What has changed by a failed attempt.
  package enum Change: Sendable {
    case none
    case wentDown
    case gaveUp
  }

  private struct Outage {
    /// When the outage was noticed. Failures of attempts that began earlier belong to it.
    let since: Instant
    var trials = 0
    /// From when on the next request may try it.
    var resumption: Instant
    /// How long it is left alone; nil until it is given up.
    var rest: Instant.Span?
    /// What the last attempt ran into.
    var reason: String
  }

  /// Whether it has answered, and has not gone down since.
  private(set) var isProven = false
  private var outage: Outage?
  /// Attempts in a row that had no answer.
  private var silences = 0
  /// Answers whose bodies are still coming.
  private var standing = 0
  private var lastAnswer: Instant?

  /// An answer begins.
  mutating func answerBegan(at now: Instant) {
    isProven = true
    outage = nil
    silences = 0
    standing += 1
    lastAnswer = now
  }

  mutating func answerEnded() { standing = max(0, standing - 1) }

  /// An attempt ended without one byte of an answer.
  ///
  /// - Parameters:
  ///   - start: when it began.
  ///   - retries: how often a flight is to be tried again.
  ///   - random: between 0 and 1.
  mutating func wasSilent(
    to start: Instant, at now: Instant, because reason: String, retries: Int, random: Double
  ) -> Change {
    // Where another answer came meanwhile, the trouble was this connection's.
    guard standing == 0, lastAnswer.map({ start > $0 }) ?? true else { return .none }
    guard var outage else {
      silences += 1
      guard silences >= Self.decisive else { return .none }
      isProven = false
      self.outage = Outage(since: now, resumption: now + Self.pause(trials: 0, random), reason: reason)
      return .wentDown
    }
    guard start > outage.since else { return .none }
    outage.trials += 1
    outage.reason = reason
    defer { self.outage = outage }
    if outage.rest != nil || outage.trials >= max(Self.leastTrials, retries + 1 - Self.decisive) {
      let rest = outage.rest.map { min($0.nanoseconds * 2, Self.longestRest.nanoseconds) }
      outage.rest = rest.map(Instant.Span.init(nanoseconds:)) ?? Self.firstRest
      outage.resumption = now + (outage.rest ?? Self.firstRest)
      return .gaveUp
    }
    outage.resumption = now + Self.pause(trials: outage.trials, random)
    return .none
  }

  /// Whether it counts as down.
  var isDown: Bool { outage != nil }

  /// Whether only one request at a time may try it, and from when on; nil: it is not down.
  var resumption: Instant? { outage?.resumption }

  /// Why it is down; nil: it is not.
  var reason: String? { outage?.reason }

  /// Whether a flight need not wait for it.
  func isGivenUp(at now: Instant) -> Bool {
    guard let outage, outage.rest != nil else { return false }
    return now < outage.resumption
  }

  /// Half of the pause to all of it, so that many machines do not come back together.
  private static func pause(trials: Int, _ random: Double) -> Instant.Span {
    let share = 0.5 + 0.5 * min(max(random, 0), 1)
    let whole = min(RetryRule.firstPause.nanoseconds << Int64(min(trials, 10)), RetryRule.longestPause.nanoseconds)
    return Instant.Span(nanoseconds: Int64(Double(whole) * share))
  }

  /// One may be chance, and two a busy moment.
  static let decisive = 3
  /// Together with the three attempts before, these take about as long as the restart of a server.
  private static let leastTrials = 3
  /// A list goes on for hours. One request in a while finds a host that has come back, and costs a dead one little.
  private static let firstRest = Instant.Span.seconds(30)
  private static let longestRest = Instant.Span.seconds(600)
}
