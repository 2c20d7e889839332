import Glibc

/// A moment on a clock that never jumps; only differences mean anything.
package struct Instant: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
  package static func - (left: Instant, right: Instant) -> Span {
    Span(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
  package static func + (left: Instant, right: Span) -> Instant {
    let (sum, over) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
    return Instant(nanoseconds: over ? .max : sum)
  }

  /// A length of time.
  package struct Span: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    package static func milliseconds(_ count: Int) -> Span { Span(nanoseconds: Int64(count) * 1_000_000) }
    /// A caller's number may be anything, no number too: that is no limit.
    package static func seconds(_ count: Double) -> Span {
      Span(nanoseconds: count < 9e9 ? Int64(max(count, -9e9) * 1_000_000_000) : .max)
    }
    package var milliseconds: Int { Int(nanoseconds / 1_000_000) }
    package var seconds: Double { Double(nanoseconds) / 1_000_000_000 }
    package static func < (left: Span, right: Span) -> Bool { left.nanoseconds < right.nanoseconds }
  }
}

/// A moment of the calendar, in nanoseconds since 1970 (UTC). It may jump, and lie in the future.
package struct WallTime: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
  /// What lies beyond what 64 bits hold (1677 to 2262) is as far as they go.
  package init(seconds: Int64) { self.init(seconds: seconds, nanoseconds: 0) }
  /// The same, with so many nanoseconds more.
  package init(seconds: Int64, nanoseconds: Int64) {
    let (whole, over) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overToo) = whole.addingReportingOverflow(nanoseconds)
    self.nanoseconds = over || overToo ? (seconds < 0 ? .min : .max) : sum
  }
  package var seconds: Int64 { nanoseconds / 1_000_000_000 }
  /// How long after `other` it is; negative where it is before.
  package func since(_ other: WallTime) -> Instant.Span {
    let (difference, over) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
    return Instant.Span(nanoseconds: over ? (self < other ? .min : .max) : difference)
  }
  package static func < (left: WallTime, right: WallTime) -> Bool { left.nanoseconds < right.nanoseconds }

  package func earlier(_ span: Instant.Span) -> WallTime {
    let (difference, over) = nanoseconds.subtractingReportingOverflow(span.nanoseconds)
    return over ? self : WallTime(nanoseconds: difference)
  }
}

/// Where the core gets the time. Handed in, so that a test's years pass in no time.
package protocol Clock: Sendable {
  /// For deadlines and durations.
  func now() -> Instant
  /// For ages of files and header fields.
  func wallTime() -> WallTime
}

/// The machine's clocks.
package struct SystemClock: Clock {
  package init() {}

  package func now() -> Instant { Instant(nanoseconds: read(CLOCK_MONOTONIC).nanoseconds) }
  package func wallTime() -> WallTime { read(CLOCK_REALTIME) }

  private func read(_ clock: clockid_t) -> WallTime {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return WallTime(time)
  }
}
