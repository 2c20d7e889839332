import ImgfetchCore

/// A clock that stands still until a test moves it, a year ahead of the machine's: a thread that waits for one of its
/// moments is woken by messages only.
package final class ShiftedClock: Clock {
  private let shift: Guarded<Instant.Span>
  private let begin = (now: SystemClock().now(), wallTime: SystemClock().wallTime())

  package init() { shift = Guarded(.seconds(365 * 86_400)) }

  package func now() -> Instant { begin.now + shift.withLock { $0 } }

  package func wallTime() -> WallTime {
    var time = begin.wallTime
    time.nanoseconds += shift.withLock { $0.nanoseconds }
    return time
  }

  /// Lets time pass, on both clocks.
  package func advance(_ span: Instant.Span) { shift.withLock { $0.nanoseconds += span.nanoseconds } }
}
