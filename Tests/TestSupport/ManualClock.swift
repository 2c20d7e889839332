import ImgfetchCore

/// A clock that stands still until a test moves it.
package final class ManualClock: Clock {
  private let state: Guarded<(now: Instant, wallTime: WallTime)>

  /// The calendar begins at `wallTime`, which by default is a Tuesday in November 2023 at 22:13:20 UTC.
  package init(wallTime: WallTime = WallTime(seconds: 1_700_000_000)) {
    state = Guarded((Instant(nanoseconds: 1_000_000_000_000), wallTime))
  }

  package func now() -> Instant { state.withLock { $0.now } }
  package func wallTime() -> WallTime { state.withLock { $0.wallTime } }

  /// Lets time pass, on both clocks.
  package func advance(_ span: Instant.Span) {
    state.withLock { state in
      state.now = state.now + span
      state.wallTime.nanoseconds += span.nanoseconds
    }
  }

  /// Sets the calendar, as an administrator or a time server does; deadlines are not moved.
  package func set(wallTime: WallTime) { state.withLock { $0.wallTime = wallTime } }
}
