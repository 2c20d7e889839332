/// The share of its limit that a memory cache uses, according to the system. A pure value.
///
/// The share is half at the first sign of shortage, and half of that at each further one, down to a thirty-second. It
/// doubles after each half minute without one.
struct MemoryShare: Sendable {
  /// The number of times that the limit is halved.
  private(set) var halvings = 0
  private var lastLook: Instant?
  private var calmSince: Instant?

  private static let mostHalvings = 5
  /// The kernel's averages cover ten seconds, and asking takes some 50 µs.
  private static let pause = Instant.Span.seconds(2)
  private static let calm = Instant.Span.seconds(30)

  /// True if the system is to be asked now.
  mutating func isLookDue(_ now: Instant) -> Bool {
    if let lastLook, now - lastLook < Self.pause { return false }
    lastLook = now
    return true
  }

  mutating func note(isShort: Bool, at now: Instant) {
    if isShort {
      halvings = min(Self.mostHalvings, halvings + 1)
      calmSince = now
    } else if halvings > 0, let since = calmSince, now - since >= Self.calm {
      halvings -= 1
      calmSince = now
    }
  }

  func of(_ limit: Int) -> Int { limit >> halvings }
}
