import Testing

@testable import ImgfetchCore

@Suite("A stored response")
struct StoredAnswerTests {
  private let then = WallTime(seconds: 784_111_777)

  private func answer(
    _ fields: [(String, String)], status: Int = 200, selecting: [(String, String)] = []
  ) -> StoredAnswer {
    StoredAnswer(
      status: status, fields: HeaderFields(fields.map { (name: $0.0, value: $0.1) }), requestTime: then,
      responseTime: then, selecting: selecting.map { (name: $0.0, value: $0.1) })
  }

  private func request(_ fields: [(String, String)]) -> HeaderFields {
    HeaderFields(fields.map { (name: $0.0, value: $0.1) })
  }

  private func later(_ seconds: Int64) -> WallTime { WallTime(seconds: then.seconds + seconds) }

  @Test("loses fields that must not be stored, and gets the time of receipt as Date")
  func storable() {
    var stored = answer([
      ("Cache-Control", "max-age=1, no-cache=\"A, b\", no-cache=c"), ("a", "1"), ("B", "2"), ("C", "3"), ("D", "4"),
      ("Connection", "e"), ("E", "5"), ("Proxy-Authenticate", "6"), ("Upgrade", "7"),
    ])
    stored.makeStorable()
    #expect(stored.fields.map(\.name) == ["Cache-Control", "D", "Date"])
    #expect(stored.fields.first("date") == "Sun, 06 Nov 1994 08:49:37 GMT")
  }

  @Test("is selected by a request with the same Vary fields")
  func selecting() {
    let varied = answer([("Vary", "X, Y")], selecting: [("x", "1,2")])
    #expect(varied.isSelected(by: request([("X", "1, 2")])))
    #expect(varied.isSelected(by: request([("X", "1"), ("X", "2"), ("Z", "3")])))
    #expect(!varied.isSelected(by: request([("X", "1, 2"), ("Y", "")])))
    #expect(!varied.isSelected(by: request([])))
    #expect(answer([]).isSelected(by: request([("X", "1")])))
    #expect(!answer([("Vary", "*")]).isSelected(by: request([])))
    // Stored without a Vary, beside others that have one.
    #expect(!answer([], selecting: [("x", "1")]).isSelected(by: request([("X", "2")])))
  }

  @Test("has an Age field, whose value is limited")
  func age() {
    let stored = answer([("Age", "5"), ("Age", "7"), ("Cache-Control", "no-cache=\"a\""), ("A", "1")])
    let delivered = stored.deliveredFields(now: later(3))
    #expect(delivered.all("age") == ["8"])
    #expect(!delivered.contains("a"))
    #expect(answer([("Age", "99999999999999999999")]).deliveredFields(now: later(3)).first("age") == "2147483648")
  }

  @Test("restarts its age when it is confirmed")
  func confirmation() {
    var stored = answer([
      ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Age", "100"), ("Cache-Control", "max-age=10, no-cache=\"a\""),
      ("X", "1"),
    ])
    stored.confirm(
      by: request([("Cache-Control", "max-age=50"), ("A", "2")]), requestTime: later(200), responseTime: later(201))
    #expect(stored.freshness(now: later(210)).ageInSeconds == 10)
    #expect(stored.freshness(now: later(210)).lifetime == 50)
    #expect(stored.fields.first("x") == "1" && stored.fields.first("a") == "2")
    stored.confirm(
      by: request([("Age", "30"), ("Date", "Sun, 06 Nov 1994 08:53:00 GMT")]), requestTime: later(300),
      responseTime: later(300))
    #expect(stored.freshness(now: later(301)).ageInSeconds == 98)
  }

  @Test("from a run with another policy is used only if it may be stored")
  func obstacle() {
    #expect(answer([("Cache-Control", "no-store, max-age=9")]).obstacle == .noStore)
    #expect(answer([], status: 302).obstacle == .notCacheable(302))
    #expect(answer([]).obstacle == nil)
  }
}

@Suite("Vary")
struct VarianceTests {
  private func variance(_ lines: String...) -> Variance { Variance(HeaderFields(lines.map { ("Vary", $0) })) }

  private func request(_ fields: [(String, String)]) -> HeaderFields {
    HeaderFields(fields.map { (name: $0.0, value: $0.1) })
  }

  @Test("names request fields, nothing, or everything")
  func names() {
    #expect(variance() == .nothing && variance("", " , ") == .nothing)
    #expect(variance("Cookie, ACCEPT", "cookie") == .fields(["accept", "cookie"]))
    #expect(variance("Accept", "x, *") == .everything)
  }

  @Test(
    "treats equivalent fields as equal",
    arguments: [
      ("accept-language", [("Accept-Language", "en, de;q=0.5")], [("accept-language", "DE ; q=0.5 ,EN")]),
      ("accept-encoding", [("Accept-Encoding", "gzip"), ("Accept-Encoding", "br")], [("Accept-Encoding", "br,gzip")]),
      ("accept", [("Accept", "image/webp, */*;q=0.8")], [("Accept", "*/*;q=0.8,image/webp")]),
      ("x", [("X", "a, b")], [("X", "a"), ("X", " b")]), ("x", [("Y", "1")], [("Y", "2")]),
      ("x, y", [("X", "1"), ("Y", "2")], [("y", "2"), ("x", "1")]),
    ])
  func same(vary: String, first: [(String, String)], second: [(String, String)]) {
    #expect(variance(vary).selecting(from: request(first)) == variance(vary).selecting(from: request(second)))
  }

  @Test(
    "distinguishes other fields",
    arguments: [
      ("x", [("X", "a, b")], [("X", "b, a")]), ("x", [("X", "a")], [("X", "A")]), ("x", [("X", "")], []),
      ("x", [("X", "\"a, b\"")], [("X", "\"a,b\"")]), ("x", [("X", "a b")], [("X", "ab")]),
      ("x, y", [("X", "1")], [("Y", "1")]),
      ("accept", [("Accept", "a/b;q=1")], [("Accept", "a/b;q=0.5")]),
      ("accept-language", [("Accept-Language", "en")], []),
    ])
  func different(vary: String, first: [(String, String)], second: [(String, String)]) {
    #expect(variance(vary).selecting(from: request(first)) != variance(vary).selecting(from: request(second)))
  }
}
