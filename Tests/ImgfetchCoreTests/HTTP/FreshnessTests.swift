import Testing

@testable import ImgfetchCore

@Suite("The freshness of a response")
struct FreshnessTests {
  /// The Date of every response here: 6 November 1994, 08:49:37.
  private static let date: Int64 = 784_111_777
  private static let dateField = ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")

  private func freshness(
    _ fields: [(String, String)], status: Int = 200, asked: Int64 = 0, answered: Int64 = 0, now: Int64 = 0
  ) -> Freshness {
    let fields = HeaderFields(fields.map { (name: $0.0, value: $0.1) })
    return Freshness(
      status: status, fields: fields, directives: ResponseDirectives(fields),
      requestTime: WallTime(seconds: Self.date + asked), responseTime: WallTime(seconds: Self.date + answered),
      now: WallTime(seconds: Self.date + now))
  }

  @Test("is determined by max-age, then Expires, then Last-Modified")
  func order() {
    let maxAge = ("Cache-Control", "max-age=60, s-maxage=1")
    let expires = ("Expires", "Sun, 06 Nov 1994 08:50:07 GMT")
    let modified = ("Last-Modified", "Sun, 06 Nov 1994 08:32:57 GMT")
    func source(_ fields: [(String, String)]) -> String {
      let found = freshness(fields)
      return "\(found.source) \(found.lifetime)"
    }
    #expect(source([Self.dateField, modified, expires, maxAge]) == "maxAge 60")
    #expect(source([Self.dateField, modified, expires]) == "expires 30")
    #expect(source([Self.dateField, modified]) == "heuristic 100")
    #expect(source([Self.dateField]) == "none 0")
    #expect(source([Self.dateField, expires, ("Cache-Control", "s-maxage=9")]) == "expires 30")
    #expect(source([Self.dateField, expires, ("Cache-Control", "max-age=x")]) == "maxAge 0")
  }

  @Test(
    "treats an invalid Expires as past",
    arguments: [
      ("0", 0), ("-1", 0), ("", 0), ("Sun, 06 Nov 1994 08:49:36 GMT", 0), ("Sun, 06 Nov 1994 09:49:37 UTC", 0),
      ("sun, 06 nov 1994 09:49:37 gmt", 3600), ("Sunday, 06-Nov-94 09:49:37 GMT", 3600),
      ("Sun Nov  6 09:49:37 1994", 3600), ("Sun, 21 Nov 2286 04:46:39 GMT", 1 << 31),
    ])
  func expires(value: String, lifetime: Int) {
    let found = freshness([Self.dateField, ("Expires", value), ("Last-Modified", "Sun, 06 Nov 1994 08:32:57 GMT")])
    #expect(found.lifetime == lifetime)
    #expect(found.source == .expires)
  }

  @Test("counts Expires from the time of receipt where there is no valid Date")
  func expiresWithoutDate() {
    #expect(freshness([("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], answered: 20, now: 20).lifetime == 40)
    #expect(
      freshness([("Date", "x"), ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], answered: 20, now: 20).lifetime == 40)
  }

  @Test("uses a heuristic only where allowed, and for a week at most")
  func heuristics() {
    let old = ("Last-Modified", "Sun, 06 Nov 1983 08:49:37 GMT")
    #expect(freshness([Self.dateField, old]).lifetime == 7 * 86400)
    #expect(freshness([Self.dateField, old], status: 404).source == .heuristic)
    #expect(freshness([Self.dateField, old], status: 302).source == .none)
    #expect(freshness([Self.dateField, old, ("Cache-Control", "public")], status: 302).source == .heuristic)
    #expect(freshness([Self.dateField, ("Last-Modified", "Sun, 06 Nov 1995 08:49:37 GMT")]).lifetime == 0)
    #expect(freshness([Self.dateField, ("Last-Modified", "yesterday")]).source == .none)
  }

  @Test("counts its age from Date, Age, the duration of the request and the time since")
  func age() {
    #expect(freshness([Self.dateField], asked: 3, answered: 3, now: 10).ageInSeconds == 10)
    #expect(freshness([Self.dateField, ("Age", "5")], answered: 2, now: 10).ageInSeconds == 15)
    #expect(freshness([("Age", "5")], asked: 1, answered: 3, now: 10).ageInSeconds == 14)
    #expect(freshness([], asked: 1, answered: 3, now: 10).ageInSeconds == 9)
    // An origin whose clock is ahead.
    #expect(freshness([Self.dateField], asked: -5, answered: -5, now: 0).ageInSeconds == 5)
  }

  @Test(
    "uses the first Age, and ignores an invalid one",
    arguments: [
      ("7200", 7200), ("7200, 0", 7200), ("0, 7200", 0), ("7200 , x", 7200), ("-7200", 0), ("7200.0", 0), ("abc", 0),
      ("7200;a=b", 0), ("", 0), ("2147483649", 1 << 31), ("99999999999999999999", 1 << 31),
    ])
  func statedAge(value: String, seconds: Int) {
    #expect(freshness([("Age", value)]).ageInSeconds == seconds)
    #expect(freshness([("Age", value), ("Age", "9")]).ageInSeconds == seconds)
  }

  @Test("ends when the age reaches the lifetime")
  func boundary() {
    let fields = [Self.dateField, ("Cache-Control", "max-age=10")]
    #expect(freshness(fields, now: 9).isFresh)
    #expect(!freshness(fields, now: 10).isFresh)
    #expect(!freshness([Self.dateField, ("Cache-Control", "max-age=99999999999"), ("Age", "99999999999")]).isFresh)
  }

  @Test("tolerates a clock that was set back a little, but not by more than a day")
  func clock() {
    let fields = [("Cache-Control", "max-age=10")]
    #expect(freshness(fields, asked: 3600, answered: 3600, now: 0).isFresh)
    #expect(!freshness(fields, asked: 86401, answered: 86401, now: 0).isFresh)
  }

  @Test("is computed without overflow for extreme times")
  func extremes() {
    let ends = [WallTime(nanoseconds: .min), WallTime(nanoseconds: 0), WallTime(nanoseconds: .max)]
    for fields in [
      HeaderFields([("Date", "Fri, 31 Dec 9999 23:59:59 GMT"), ("Expires", "Sat, 01 Jan 0000 00:00:00 GMT")]),
      HeaderFields([("Date", "Sat, 01 Jan 0000 00:00:00 GMT"), ("Last-Modified", "Fri, 31 Dec 9999 23:59:59 GMT")]),
    ] {
      for asked in ends {
        for answered in ends {
          for now in ends {
            let found = Freshness(
              status: 200, fields: fields, directives: ResponseDirectives(), requestTime: asked, responseTime: answered,
              now: now)
            #expect(found.age >= 0 && found.lifetime >= 0)
            let request = RequestDirectives(HeaderFields([("Cache-Control", "max-stale=99999999999, min-fresh=1")]))
            #expect(!ReuseRule(request: request, response: ResponseDirectives(), freshness: found).description.isEmpty)
          }
        }
      }
    }
  }
}
