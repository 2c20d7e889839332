import Glibc

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
