import Glibc
import Testing

@testable import ImgfetchCore

/// A clock, a file or a caller may say anything: no number of theirs ends the process.
@Suite("Times beyond what 64 bits of nanoseconds hold") struct TimeLimitsTests {
  private static let seconds: [Int] = [
    .min, -9_223_372_037, -9_223_372_036, -1, 0, 1, 9_223_372_036, 9_223_372_037, 32_503_680_000, .max,
  ]

  @Test("are the first or the last that there is", arguments: seconds)
  func clamped(seconds: Int) {
    let time = WallTime(timespec(tv_sec: seconds, tv_nsec: 999_999_999))
    if (-9_223_372_036...9_223_372_035).contains(seconds) {
      #expect(time.nanoseconds == seconds * 1_000_000_000 + 999_999_999)
    } else {
      #expect(time.nanoseconds == (seconds < 0 ? .min : .max))
    }
    #expect(WallTime(seconds: Int64(seconds)).nanoseconds.signum() == seconds.signum())
  }

  @Test("come back from a file as they were", arguments: [Int64.min, -1_500_000_000, -1, 0, 1, 1_500_000_000, .max])
  func timespecs(nanoseconds: Int64) {
    let time = WallTime(nanoseconds: nanoseconds)
    #expect((0..<1_000_000_000).contains(time.timespec.tv_nsec))
    #expect(WallTime(time.timespec) == time)
  }

  @Test("can be compared, printed and judged, each with each")
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

  @Test("are no limit where a caller's number is none", arguments: [Double.nan, .infinity, 1e300, 9e9])
  func spans(seconds: Double) {
    #expect(Instant.Span.seconds(seconds).nanoseconds == .max)
    #expect(Instant.Span.seconds(-.infinity).nanoseconds < 0)
  }
}
