/// The latest time that a cache is known to have been used at, beside a clock that may have jumped back.
///
/// A pure value, kept in the ledger. An entry whose time lies ahead of the clock is either wrong or the clock is: it was wrong if its time
/// lies ahead of this, too. A clock that goes on for a week far behind this time is believed at last, and the time was the wrong
/// one.
package struct KnownTime: Hashable, Sendable {
  /// The latest that the clock has shown.
  package private(set) var latest: WallTime
  /// What the clock showed when it was first seen far behind that; nil: it is not.
  package private(set) var behindSince: WallTime?

  package init(latest: WallTime, behindSince: WallTime? = nil) {
    self.latest = latest
    self.behindSince = behindSince
  }

  /// Files' times are forgiven as much.
  private static let tolerance = 86_400.0
  /// Longer than a machine without a clock of its own waits for a time server.
  private static let patience = 7 * 86_400.0

  /// The clock shows this now.
  package mutating func note(_ now: WallTime) {
    guard now.seconds(before: latest) > Self.tolerance else {
      latest = max(latest, now)
      behindSince = nil
      return
    }
    guard let since = behindSince, since <= now else {
      behindSince = now
      return
    }
    if since.seconds(before: now) > Self.patience { self = KnownTime(latest: now) }
  }
}

extension WallTime {
  /// How long after this the other is; below 0 where it is before.
  func seconds(before other: WallTime) -> Double { (Double(other.nanoseconds) - Double(nanoseconds)) / 1e9 }
}
