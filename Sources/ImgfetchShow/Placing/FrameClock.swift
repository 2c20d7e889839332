import ImgfetchCore

/// Decides when the frames of an animation are shown. A pure value: times are passed in.
package struct FrameClock {
  /// The time at which the next frame is due.
  private var due: Instant

  package init(begun: Instant) { due = begun }

  /// A shorter time is one that browsers do not believe, and show so long instead.
  private static let shortest = 11
  private static let usual = 100
  /// The delay from which on the rest is timed anew: the program was stopped, or is far too slow.
  private static let longestDelay = Instant.Span.seconds(1)

  /// The time at which a frame is shown that is ready now, or nil if its time is over, and it is skipped.
  package mutating func moment(forMilliseconds milliseconds: Int, isLast: Bool, ready now: Instant) -> Instant? {
    if now - due > Self.longestDelay { due = now }
    let begin = due
    due = begin + .milliseconds(milliseconds < Self.shortest ? Self.usual : milliseconds)
    return due > now || isLast ? begin : nil
  }
}
