extension Duration {
  /// A duration in seconds. Any number is allowed: one that is too large, and NaN, becomes the longest
  /// time that counts, 292 years.
  package static func lasting(_ seconds: Double) -> Duration { Instant.Span.seconds(seconds).duration }

  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// The source of time for the core. Tests pass their own, so that years go by in no time.
package protocol Clock: Sendable {
  /// The time for deadlines and durations.
  func now() -> Instant
  /// The time for the ages of files and for dates in header fields.
  func wallTime() -> WallTime
}
