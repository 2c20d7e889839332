/// Decides which flights give their places back and continue beside the others, and which are broken off, so that no
/// server holds a place for ever. A pure value.
///
/// A flight whose body comes too slowly continues beside the others, and is broken off if it stays slow. The oldest of
/// the flights that have held a place for a minute do so, too, if they hold more than half of the places while others
/// wait. If no other origin has ever been faster, this machine's own connection may be slow, and no body is broken off.
/// A head is so short that no connection is too slow for it: a server whose head is still not whole by then sends a
/// field now and then.
struct Stragglers {
  struct Rule: Sendable {
    /// The bytes a second that a body must have. With 0, any speed is allowed.
    var leastSpeed: Int64 = 1024
    /// The number of places.
    var jobs = 100
    /// The most flights that may go on beside the others.
    var beside = 100

    /// True if there is more than one place. With one, downloads follow one another.
    var isInForce: Bool { jobs > 1 }
  }

  struct Candidate {
    let flight: UInt64
    let origin: Origin
    let pace: Pace
  }

  enum Order: Equatable {
    case stepAside(UInt64)
    case breakOff(UInt64)
  }

  var rule: Rule
  /// Up to two origins that were fast enough, so that for any origin there is another one.
  private var fast: [Origin] = []

  init(_ rule: Rule) { self.rule = rule }

  /// True if further fast bodies need not be reported.
  var knowsEnough: Bool { fast.count >= 2 }

  /// Notes that a body has come whole, from its first byte to its last in that time.
  mutating func came(_ bytes: Int64, in span: Instant.Span, from origin: Origin) {
    if !knowsEnough, Pace.isFast(bytes, in: span, atLeast: max(1, rule.leastSpeed)) { noteFast(origin) }
  }

  /// Notes that an origin has shown that it is fast enough.
  mutating func noteFast(_ origin: Origin) {
    if !knowsEnough, !fast.contains(origin) { fast.append(origin) }
  }

  /// The orders that are due now.
  ///
  /// - Parameter othersWait: true if a flight waits for a place.
  func orders(_ candidates: [Candidate], othersWait: Bool, at now: Instant) -> [Order] {
    guard rule.isInForce else { return [] }
    var orders: [Order] = []
    var room = rule.beside - candidates.count { $0.pace.isBeside }
    var old: [Candidate] = []
    for candidate in candidates {
      if let since = candidate.pace.slowSince, rule.leastSpeed > 0 {
        let isHopeless = candidate.pace.isInHead || fast.contains { $0 != candidate.origin }
        if since + Self.patience <= now, isHopeless {
          orders.append(.breakOff(candidate.flight))
          continue
        }
        if !candidate.pace.isBeside, room > 0 {
          orders.append(.stepAside(candidate.flight))
          room -= 1
          continue
        }
      }
      if !candidate.pace.isBeside, candidate.pace.start + Self.age <= now { old.append(candidate) }
    }
    let excess = othersWait ? old.count - (rule.jobs / 2 + rule.jobs % 2) : 0
    guard excess > 0, room > 0 else { return orders }
    old.sort { ($0.pace.start, $0.flight) < ($1.pace.start, $1.flight) }
    return orders + old.prefix(min(excess, room)).map { .stepAside($0.flight) }
  }

  /// The time for which a flight may be too slow.
  static let patience = Instant.Span.seconds(30)
  /// The time after which a flight counts as old.
  private static let age = Instant.Span.seconds(60)
}
