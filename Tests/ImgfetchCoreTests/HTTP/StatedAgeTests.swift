import Testing

@testable import ImgfetchCore

@Suite("For how long an answer says that it is right") struct StatedAgeTests {
  private let received = WallTime(seconds: 1_000_000)

  private func age(_ fields: (name: String, value: String)...) -> StatedAge {
    let all = HeaderFields(fields)
    let read = StatedAge(encoded: all.encoded(), received: received)
    #expect(read == StatedAge(all, received: received), "the stored form says the same")
    return read
  }

  @Test("Most answers say nothing")
  func nothing() {
    #expect(age() == .nothing)
    #expect(
      age(("Date", "Sun, 06 Nov 1994 08:00:00 GMT"), ("ETag", "\"a\""), ("Content-Type", "image/png")) == .nothing)
    #expect(age(("Cache-Control", "public, immutable, s-maxage=1"), ("Age", "100")) == .nothing)
    #expect(age(("Cache-Control", "no-cache=\"set-cookie\"")) == .nothing)
    #expect(age(("Expires-Not", "0"), ("X", "\ncache-control:no-store")) == .nothing)
  }

  @Test("The strictest word counts")
  func words() {
    #expect(age(("cache-control", "max-age=60, no-cache")) == .noCache)
    #expect(age(("Cache-Control", "no-cache"), ("CACHE-CONTROL", "No-Store")) == .noStore)
    #expect(age(("Cache-Control", "max-age=60"), ("Expires", "0")) == .maxAge(60))
    #expect(age(("Cache-Control", "max-age=soon")) == .maxAge(0))
  }

  @Test("Expires counts from Date, or from when the answer came")
  func expires() {
    let (date, later) = ("Sun, 06 Nov 1994 08:00:00 GMT", "Sun, 06 Nov 1994 08:01:00 GMT")
    #expect(age(("Expires", later), ("Date", date)) == .expires(60))
    #expect(age(("Expires", date), ("Date", later)) == .expires(0))
    #expect(age(("Expires", "-1")) == .expires(0))
    #expect(age(("Expires", HTTPDate.format(WallTime(seconds: 1_000_030)))) == .expires(30))
  }

  @Test("A 304 is news about that only if the span changes")
  func span() {
    let stored = HeaderFields([
      ("Date", "Sun, 06 Nov 1994 08:00:00 GMT"), ("Expires", "Sun, 06 Nov 1994 09:00:00 GMT"),
    ])
    let moved = HeaderFields([
      ("Date", "Mon, 07 Nov 1994 08:00:00 GMT"), ("Expires", "Mon, 07 Nov 1994 09:00:00 GMT"),
    ])
    let shorter = HeaderFields([
      ("Date", "Mon, 07 Nov 1994 08:00:00 GMT"), ("Expires", "Mon, 07 Nov 1994 08:00:00 GMT"),
    ])
    #expect(!stored.changesSpan(by: moved, received: received))
    #expect(stored.changesSpan(by: shorter, received: received))
    #expect(!stored.changesSpan(by: HeaderFields([("Date", "Mon, 07 Nov 1994 08:00:00 GMT")]), received: received))
  }
}
