import Testing

@testable import ImgfetchCore

@Suite("An HTTP date")
struct HTTPDateTests {
  /// 1 January 2026.
  private let now = WallTime(seconds: 1_767_225_600)

  @Test(
    "is parsed in three forms, in either case",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
      ("sun, 06 nOV 1994 08:49:37 gmt", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
      ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Tue, 19 Jan 2038 14:14:08 GMT", 2_147_523_248),
      ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878), ("Wednesday, 31-Dec-75 00:00:00 GMT", 3_344_976_000),
      ("Friday, 31-Dec-76 00:00:00 GMT", 220_838_400), ("Sunday, 01-Jan-00 00:00:00 GMT", 946_684_800),
    ])
  func valid(text: String, seconds: Int64) {
    #expect(HTTPDate.parse(text, now: now)?.seconds == seconds)
  }

  @Test(
    "is rejected in any other form",
    arguments: [
      "", "0", "-1", "1994", "Sun", "Sun,", "Sun, 06 Nov 1994", "Sun 06 Nov 1994 08:49:37 GMT",
      "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
      "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994  8:49:37 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37",
      "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 AEST", "Sun, 06 Nov 1994 08:49:37 +0000",
      "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMTx",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
      "Sun, 06 Non 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
      "Sun Nov 06 08:49:37 94", "Sunday Nov  6 08:49:37 1994", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    ])
  func invalid(text: String) {
    #expect(HTTPDate.parse(text, now: now) == nil)
  }

  @Test("beyond the clock's range is clamped")
  func clamping() throws {
    let future = try #require(HTTPDate.parse("Fri, 31 Dec 9999 23:59:59 GMT", now: now))
    #expect(future.nanoseconds == .max)
    #expect(HTTPDate.parse("Sun, 21 Nov 2286 04:46:39 GMT", now: now) == future)
    #expect(HTTPDate.parse("Sat, 01 Jan 0000 00:00:00 GMT", now: now)?.nanoseconds == .min)
  }

  @Test("is written in the preferred form")
  func format() {
    #expect(HTTPDate.format(WallTime(seconds: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.format(WallTime(nanoseconds: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
    #expect(HTTPDate.format(WallTime(nanoseconds: .max)) == "Fri, 11 Apr 2262 23:47:16 GMT")
    #expect(HTTPDate.format(WallTime(nanoseconds: .min)) == "Tue, 21 Sep 1677 00:12:43 GMT")
  }

  @Test("parses to the same time as it was written, for every day of five centuries")
  func roundTrip() {
    var day = CalendarDay(dayNumber: -100_000)
    var wrong: [Int64] = []
    for number in Int64(-99_999)...100_000 {
      let next = CalendarDay(dayNumber: number)
      if next.dayNumber != number || (next.day != day.day + 1 && next.day != 1) { wrong.append(number) }
      day = next
      let time = WallTime(seconds: number * 86400 + 3661)
      if number % 997 == 0, HTTPDate.parse(HTTPDate.format(time), now: now) != time { wrong.append(number) }
    }
    #expect(wrong.isEmpty)
  }
}
