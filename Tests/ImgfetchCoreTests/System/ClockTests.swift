import Glibc
import TestSupport
import Testing
@testable import ImgfetchCore

@Suite("Timers")
struct TimersTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

  @Test("Nothing is due before its time, and the earliest comes first")
  func order() {
    var timers = Timers<String>()
    timers.add("late", at: at(3))
    timers.add("early", at: at(1))
    timers.add("middle", at: at(2))
    #expect(timers.nextDeadline == at(1))
    #expect(timers.popDue(at: at(0.5)) == nil)
    #expect(timers.popDue(at: at(2)) == "early")
    #expect(timers.popDue(at: at(2)) == "middle")
    #expect(timers.popDue(at: at(2)) == nil)
    #expect(timers.popDue(at: at(9)) == "late")
    #expect(timers.nextDeadline == nil)
  }

  @Test("Values with the same deadline come in the order in which they were added")
  func ties() {
    var timers = Timers<Int>()
    for number in 0..<50 { timers.add(number, at: at(1)) }
    var order: [Int] = []
    while let number = timers.popDue(at: at(1)) { order.append(number) }
    #expect(order == Array(0..<50))
  }

  @Test("A thousand random deadlines come out sorted", arguments: 1...5)
  func sorted(walk: Int) {
    let seed = Seed()
    var random = seed.random(for: walk)
    var timers = Timers<Instant>()
    for _ in 0..<1000 {
      let deadline = Instant(nanoseconds: Int64.random(in: 0...1_000_000, using: &random))
      timers.add(deadline, at: deadline)
    }
    var last = Instant(nanoseconds: 0)
    while let deadline = timers.popDue(at: Instant(nanoseconds: .max)) {
      #expect(deadline >= last, "\(seed)")
      last = deadline
    }
  }
}

/// A clock, a file or a caller may give any number. None of them ends the process.
@Suite("Times beyond what 64 bits of nanoseconds hold") struct TimeLimitsTests {
  private static let seconds: [Int] = [
    .min, -9_223_372_037, -9_223_372_036, -1, 0, 1, 9_223_372_036, 9_223_372_037, 32_503_680_000, .max,
  ]

  @Test("become the first or the last moment", arguments: seconds)
  func clamped(seconds: Int) {
    let time = WallTime(timespec(tv_sec: seconds, tv_nsec: 999_999_999))
    if (-9_223_372_036...9_223_372_035).contains(seconds) {
      #expect(time.nanoseconds == seconds * 1_000_000_000 + 999_999_999)
    } else {
      #expect(time.nanoseconds == (seconds < 0 ? .min : .max))
    }
    #expect(WallTime(seconds: Int64(seconds)).nanoseconds.signum() == seconds.signum())
  }

  @Test("survive the round trip through a file", arguments: [Int64.min, -1_500_000_000, -1, 0, 1, 1_500_000_000, .max])
  func timespecs(nanoseconds: Int64) {
    let time = WallTime(nanoseconds: nanoseconds)
    #expect((0..<1_000_000_000).contains(time.timespec.tv_nsec))
    #expect(WallTime(time.timespec) == time)
  }

  @Test("can be compared, printed and judged in any combination")
  func arithmetic() {
    let times = [Int64.min, -1, 0, 1_700_000_000_000_000_000, .max].map { WallTime(nanoseconds: $0) }
    for now in times {
      #expect(!now.timestamp.isEmpty && !HTTPDate.format(now).isEmpty)
      _ = HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now)
      _ = RetryAfter.parse("Sun, 06 Nov 9994 08:49:37 GMT", now: now)
      for other in times {
        #expect((now.since(other).nanoseconds < 0) == (now < other))
        _ = now.earlier(Instant.Span(nanoseconds: other.nanoseconds))
        let freshness = Freshness(
          status: 200, fields: HeaderFields([(name: "Age", value: "9999999999")]), directives: ResponseDirectives(),
          requestTime: now, responseTime: other, now: now)
        #expect(freshness.age >= 0)
        _ = CachedEntry.age(of: other, now: now)
      }
    }
  }

  @Test("mean no limit if the caller's number is out of range", arguments: [Double.nan, .infinity, 1e300, 9e9])
  func spans(seconds: Double) {
    #expect(Instant.Span.seconds(seconds).nanoseconds == .max)
    #expect(Instant.Span.seconds(-.infinity).nanoseconds < 0)
  }
}
