/// Decides whether an origin counts as down. A pure value.
///
/// After some attempts in a row without one byte of an answer, the origin counts as down: one request at a time tries
/// it again, with growing pauses. When enough of those have failed, the origin is given up, and the flights that wait
/// for it fail. Later, a request tries it again now and then. One answer brings it back. An origin that has answered
/// before is waited for longer: it may be restarting, or this machine may be moving to another network.
///
/// Answers that come too slowly count in the same way. From such an outage, only a whole answer brings the origin back,
/// not the beginning of one.
///
/// Without this rule, 1,000 URLs of a host that swallows packets take 80 minutes: six at once, three attempts of ten
/// seconds each.
package struct OriginHealth {
  /// The change of state that a failed attempt causes.
  package enum Change: Sendable {
    case none
    case wentDown
    case gaveUp
  }

  private struct Outage {
    /// The time at which the outage was noticed. Failures of attempts that began earlier belong to it.
    let since: Instant
    /// The time before which the origin is not given up, however many trials fail. Nil means that it has never
    /// answered, or answered too slowly.
    let until: Instant?
    /// True if the origin has answered, but too slowly.
    let isOfSlowness: Bool
    var trials = 0
    /// The time from which the next request may try the origin.
    var notBefore: Instant
    /// The time for which the origin is left alone, or nil until it is given up.
    var rest: Instant.Span?
    /// The problem of the last attempt.
    var reason: String

    /// True if an attempt that began before the outage, and fails now, counts as the first trial: it has kept the
    /// origin's one place until that was due.
    func standsForTrial(at now: Instant) -> Bool { trials == 0 && notBefore <= now }
  }

  /// True if the origin has answered, and has not gone down since.
  private(set) var isProven = false
  /// True if the origin has ever answered.
  private var hasAnswered = false
  private var outage: Outage?
  /// Attempts in a row that had no answer.
  private var silences = 0
  /// The time at which the first of the silent attempts failed.
  private var firstSilence: Instant?
  /// Answers in a row that came too slowly.
  private var slownesses = 0
  /// The number of answers whose bodies are still coming.
  private var standing = 0
  private var lastAnswer: Instant?
  /// The time until which an origin that was down may answer that it is not ready yet.
  private var recovery: Instant?

  /// Notes that an answer begins.
  mutating func answerBegan(at now: Instant) {
    hasAnswered = true
    silences = 0
    standing += 1
    lastAnswer = now
    if outage?.isOfSlowness == true { return }
    outage = nil
    isProven = true
  }

  /// Notes that an answer has ended.
  ///
  /// - Parameter isWhole: true if all of it has come.
  mutating func answerEnded(isWhole: Bool = true) {
    standing = max(0, standing - 1)
    guard isWhole else { return }
    slownesses = 0
    guard outage?.isOfSlowness == true else { return }
    outage = nil
    isProven = true
  }

  /// Notes that an attempt ended without one byte of an answer.
  ///
  /// - Parameters:
  ///   - start: the time at which it began.
  ///   - retries: the number of retries of a flight.
  ///   - patience: the time for which an origin that has answered before may be silent, from the first of these
  ///     attempts on.
  ///   - random: between 0 and 1.
  mutating func wasSilent(
    to start: Instant, at now: Instant, because reason: String, retries: Int,
    patience: Instant.Span = Instant.Span(nanoseconds: 0), random: Double
  ) -> Change {
    // The fault was this connection's.
    guard !hasAnswered(since: start) else { return .none }
    if outage != nil { return trialFailed(start, now, reason, retries, random) }
    if silences == 0 { firstSilence = now }
    silences += 1
    guard silences >= Self.decisive else { return .none }
    let until = hasAnswered ? (firstSilence ?? now) + patience : nil
    recovery = until
    goDown(Outage(since: now, until: until, isOfSlowness: false, notBefore: now, reason: reason), random)
    return .wentDown
  }

  /// True if an answer has come since a moment, or is coming.
  func hasAnswered(since start: Instant) -> Bool { standing > 0 || lastAnswer.map { start <= $0 } ?? false }

  /// Notes that an answer was broken off because it came too slowly.
  mutating func wasSlow(
    to start: Instant, at now: Instant, because reason: String, retries: Int, random: Double
  ) -> Change {
    if outage != nil { return trialFailed(start, now, reason, retries, random) }
    slownesses += 1
    guard slownesses >= Self.decisive else { return .none }
    goDown(Outage(since: now, until: nil, isOfSlowness: true, notBefore: now, reason: reason), random)
    return .wentDown
  }

  private mutating func goDown(_ outage: Outage, _ random: Double) {
    isProven = false
    self.outage = outage
    self.outage?.notBefore = outage.since + Self.pause(trials: 0, random)
  }

  private mutating func trialFailed(
    _ start: Instant, _ now: Instant, _ reason: String, _ retries: Int, _ random: Double
  ) -> Change {
    guard var outage, start > outage.since || outage.standsForTrial(at: now) else { return .none }
    outage.trials += 1
    outage.reason = reason
    defer { self.outage = outage }
    let isDue = outage.until.map { $0 <= now } ?? true
    if outage.rest != nil || (isDue && outage.trials >= max(Self.leastTrials, retries - Self.decisive + 1)) {
      let rest = outage.rest.map { min($0.nanoseconds * 2, Self.longestRest.nanoseconds) }
      outage.rest = rest.map(Instant.Span.init(nanoseconds:)) ?? Self.firstRest
      outage.notBefore = now + (outage.rest ?? Self.firstRest)
      return .gaveUp
    }
    outage.notBefore = now + Self.pause(trials: outage.trials, random)
    // The last trial is made when the origin's time is over, not a pause later.
    if let until = outage.until, until > now { outage.notBefore = min(outage.notBefore, until) }
    return .none
  }

  /// True if attempts that fail now fail because of an outage that may pass.
  var isExcused: Bool { outage.map { $0.until != nil && $0.rest == nil } ?? false }

  /// True if the origin was down a moment ago, and may still answer that it is not ready yet.
  func isRecovering(at now: Instant) -> Bool { recovery.map { now < $0 } ?? false }

  /// True if the origin may be dead: it has not answered, and an attempt had no answer.
  var isInDoubt: Bool { !isProven && (silences > 0 || outage != nil) }

  /// True if the origin counts as down.
  var isDown: Bool { outage != nil }

  /// The time from which one request at a time may try the origin, or nil if it is not down.
  var notBefore: Instant? { outage?.notBefore }

  /// The reason why the origin is down, or nil if it is not.
  var reason: String? { outage?.reason }

  /// True if a flight fails instead of waiting for the origin.
  func isGivenUp(at now: Instant) -> Bool {
    guard let outage, outage.rest != nil else { return false }
    return now < outage.notBefore
  }

  private static func pause(trials: Int, _ random: Double) -> Instant.Span {
    RetryRule.pause(doublings: trials, random)
  }

  /// One failure may be chance, and two a busy moment.
  static let decisive = 3
  /// Together with the three attempts before, these take about as long as the restart of a server.
  private static let leastTrials = 3
  /// Lists may run for hours. A request now and then notices that a host has come back, and costs little if it is dead.
  private static let firstRest = Instant.Span.seconds(30)
  private static let longestRest = Instant.Span.seconds(600)
}
