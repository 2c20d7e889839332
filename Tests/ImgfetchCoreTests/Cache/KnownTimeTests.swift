import ImgfetchCore
import Testing

/// How far time has come, by a clock that may have jumped.
@Suite struct KnownTimeTests {
  private func day(_ days: Double) -> WallTime { WallTime(seconds: 1_700_000_000 + Int64(days * 86_400)) }

  private func known(_ days: Double, noting clock: Double...) -> KnownTime {
    var known = KnownTime(latest: day(days))
    for now in clock { known.note(day(now)) }
    return known
  }

  @Test func itGoesOnWithTheClockAndNotBack() {
    #expect(known(0, noting: 5) == KnownTime(latest: day(5)))
    #expect(known(0, noting: 5, 4.5) == KnownTime(latest: day(5)))
    #expect(known(0, noting: -2) == KnownTime(latest: day(0), behindSince: day(-2)))
  }

  @Test func aClockThatIsRightAgainIsBelieved() {
    #expect(known(0, noting: -9000, -8999, 1) == KnownTime(latest: day(1)))
  }

  @Test func aClockThatStaysBehindForAWeekIsBelievedToo() {
    #expect(known(0, noting: -2000, -1994).latest == day(0))
    #expect(known(0, noting: -2000, -1994, -1992) == KnownTime(latest: day(-1992)))
    // Set back once more, it has to show a week again.
    #expect(known(0, noting: -2000, -3000, -2999) == KnownTime(latest: day(0), behindSince: day(-3000)))
  }

  @Test func numbersThatCannotBeDoNoHarm() {
    for latest: Int64 in [.min, -1, 0, .max] {
      for since: Int64? in [nil, .min, .max] {
        for now: Int64 in [.min, 0, .max] {
          var known = KnownTime(
            latest: WallTime(nanoseconds: latest), behindSince: since.map(WallTime.init(nanoseconds:)))
          known.note(WallTime(nanoseconds: now))
          #expect(known.latest >= WallTime(nanoseconds: min(latest, now)))
        }
      }
    }
  }
}
