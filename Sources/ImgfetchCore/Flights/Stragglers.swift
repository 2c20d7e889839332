/// How fast a flight's body comes, and since when it holds its place. A pure value.
struct Pace {
  /// How a transfer stands at one moment.
  struct Reading: Equatable {
    /// Bytes of its body so far; nil: none has begun.
    var received: Int64?
    /// How often it has not been read because this side would not.
    var holdUps = 0
    /// Whether it is not read now.
    var isHeld = false
  }

  private struct Window {
    let start: Instant
    let received: Int64
    let holdUps: Int
  }

  /// When it took its place.
  let start: Instant
  /// Whether it has given its place back, and goes on.
  var isBeside = false
  /// Since when it is too slow; nil: it is not.
  private(set) var slowSince: Instant?
  private var window: Window?

  init(start: Instant) { self.start = start }

  /// Notes how it stands. Whether it has shown that it comes fast enough.
  mutating func note(_ reading: Reading, atLeast speed: Int64, at now: Instant) -> Bool {
    // What this side has held up is not the server's fault.
    guard let received = reading.received, !reading.isHeld, window?.holdUps ?? reading.holdUps == reading.holdUps else {
      (window, slowSince) = (nil, nil)
      return false
    }
    guard let begun = window else {
      window = Window(start: now, received: received, holdUps: reading.holdUps)
      return false
    }
    let span = now - begun.start
    if span < Self.span { return false }
    let isFast = Self.isFast(received - begun.received, in: span, atLeast: speed)
    slowSince = isFast ? nil : slowSince ?? now
    window = Window(start: now, received: received, holdUps: reading.holdUps)
    return isFast
  }

  /// Whether so many bytes in such a time are as many as are wanted.
  static func isFast(_ bytes: Int64, in span: Instant.Span, atLeast speed: Int64) -> Bool {
    bytes > 0 && Double(bytes) >= Double(speed) * span.seconds
  }

  /// Over which the speed is measured: a server may think in between.
  static let span = Instant.Span.seconds(10)
}

/// Which flights give their places back and go on beside the others, and which are broken off, so that no server holds a place for ever.
/// A pure value.
///
/// A flight whose body comes too slowly goes on beside, and is broken off if that lasts. So do the oldest of those that have held a place for
/// a minute, beyond half of the places, while others wait. Where no other origin has ever been faster, this machine's own line may be slow,
/// and nothing is broken off.
struct Stragglers {
  struct Rule: Sendable {
    /// Bytes a second that a body must have; 0: it may be as slow as it likes.
    var leastSpeed: Int64 = 1024
    /// Places.
    var jobs = 100
    /// How many flights may go on beside those.
    var beside = 100

    /// With one place there is one download after the other.
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
  /// Up to two origins that have come fast enough: one of them is another than any that is asked about.
  private var fast: [Origin] = []

  init(_ rule: Rule) { self.rule = rule }

  /// Whether a body that comes fast enough need not be told any more.
  var knowsEnough: Bool { fast.count >= 2 }

  /// A body has come whole, from its first byte to its last in that time.
  mutating func came(_ bytes: Int64, in span: Instant.Span, from origin: Origin) {
    if !knowsEnough, Pace.isFast(bytes, in: span, atLeast: max(1, rule.leastSpeed)) { noteFast(origin) }
  }

  /// An origin has shown that it is fast enough.
  mutating func noteFast(_ origin: Origin) {
    if !knowsEnough, !fast.contains(origin) { fast.append(origin) }
  }

  /// What is to be done now.
  ///
  /// - Parameter othersWait: whether a flight waits for a place.
  func orders(_ candidates: [Candidate], othersWait: Bool, at now: Instant) -> [Order] {
    guard rule.isInForce else { return [] }
    var orders: [Order] = []
    var room = rule.beside - candidates.count { $0.pace.isBeside }
    var old: [Candidate] = []
    for candidate in candidates {
      if let since = candidate.pace.slowSince, rule.leastSpeed > 0 {
        if since + Self.patience <= now, fast.contains(where: { $0 != candidate.origin }) {
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

  /// How long a flight may be too slow.
  static let patience = Instant.Span.seconds(30)
  /// From when on a flight counts as old.
  private static let age = Instant.Span.seconds(60)
}
