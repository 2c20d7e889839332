import Foundation
import ImgfetchCore
import TestSupport
import Testing

/// Nothing is removed because of a clock that was set back.
@Suite struct ClockJumpTests {
  private let day = 86_400.0
  private let fixture: CacheFixture
  private let key: CacheKey

  init() throws {
    fixture = try CacheFixture()
    key = try fixture.store("https://example.org/a.png", [1])
    fixture.clock.set(wallTime: SystemClock().wallTime())
  }

  /// Sets the clock relative to the true time.
  private func set(days: Double) {
    let now = SystemClock().wallTime()
    fixture.clock.set(wallTime: WallTime(nanoseconds: now.nanoseconds + Int64(days * day * 1e9)))
  }

  @Test(arguments: [-2.0, -30, -9000]) func entriesAndPartsStay(days: Double) throws {
    let part = CacheKey(url: "https://example.org/part.png").partPath
    try fixture.folder.write("cache/v1/default/\(part)", [1])
    set(days: days)
    let report = try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil)
    #expect(report.removed.entries == 0 && report.temporaries == 0)
    fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30)
    #expect(Set(fixture.files) == [key.path, part])
  }

  @Test func entriesStayWhenTheClockIsRightAgain() throws {
    set(days: -9000)
    let entry = try #require(fixture.cache.lookup(key))
    fixture.cache.touch(entry)
    _ = fixture.cache.revalidated(entry, HeaderFields())
    fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30)
    set(days: 0)
    #expect(try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil).removed.entries == 0)
    #expect(fixture.files == [key.path])
  }

  @Test func aClockThatStaysBehindIsTrustedInTheEnd() throws {
    set(days: -30)
    _ = try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil)
    #expect(fixture.files == [key.path])
    set(days: -22)
    _ = try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil)
    #expect(fixture.files.isEmpty)
  }

  @Test func aTimeAheadOfAllKnownTimesIsWrong() throws {
    let names = [key.path, try fixture.store("https://example.org/b.png", [1]).path]
    let ahead = timeval(tv_sec: Int(fixture.clock.wallTime().seconds) + 40 * 86_400, tv_usec: 0)
    try #require(utimes(fixture.folder.path("cache/v1/default/\(names[0])"), [ahead, ahead]) == 0)
    set(days: -2)
    #expect(try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil).removed.entries == 1)
    #expect(fixture.files == [names[1]])
  }
}
