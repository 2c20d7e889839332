import Testing

@testable import ImgfetchCore

@Suite struct ChallengeTests {
  @Test(
    arguments: [
      "Digest realm=\"r\", nonce=\"n\"", "digest realm=r", "Basic realm=\"a\", Digest realm=\"b\"",
      "Basic realm=\"quoted \\\" , Basic\",Digest nonce=\"x\"", "Negotiate, DIGEST  qop=auth",
    ])
  func offered(value: String) {
    #expect(Challenge.offersDigest(HeaderFields([("WWW-Authenticate", "Bearer"), ("WWW-Authenticate", value)])))
  }

  @Test(
    arguments: [
      "Basic realm=\"x, Digest y\"", "Basic realm=\"Digest\"", "", "Digestive x=1",
      "Basic realm=\"\\\"\", x=\", Digest \"",
      "Basic Digest",
    ])
  func notOffered(value: String) {
    #expect(!Challenge.offersDigest(HeaderFields([("WWW-Authenticate", value), ("X", "Digest realm=r")])))
  }
}

@Suite("Retry-After")
struct RetryAfterTests {
  private let now = WallTime(seconds: 784_111_777)

  @Test(
    "is seconds or a date",
    arguments: [
      ("0", 0), ("120", 120_000_000_000), ("Sun, 06 Nov 1994 08:49:40 GMT", 3_000_000_000),
      ("Sun, 06 Nov 1994 08:49:30 GMT", 0), ("99999999999999999999", Int64.max),
      ("Fri, 31 Dec 9999 23:59:59 GMT", Int64.max - 784_111_777_000_000_000),
      ("Sat, 01 Jan 0000 00:00:00 GMT", 0),
    ])
  func valid(value: String, nanoseconds: Int64) {
    #expect(RetryAfter.parse(value, now: now)?.nanoseconds == nanoseconds)
  }

  @Test(
    "is a date of the server's clock, where that of this machine makes no sense of it",
    arguments: [
      // What is asked for, the server's clock, and the pause in seconds. This clock says 08:49:37.
      ("Sun, 06 Nov 1994 08:49:40 GMT", "Sun, 06 Nov 1994 08:49:30 GMT", 3),
      ("Sun, 06 Nov 1994 09:49:40 GMT", "Sun, 06 Nov 1994 09:49:30 GMT", 10),
      ("Sun, 06 Nov 1994 07:49:40 GMT", "Sun, 06 Nov 1994 07:49:30 GMT", 10),
      ("Sun, 06 Nov 1994 07:49:40 GMT", "Sun, 06 Nov 1994 07:39:30 GMT", 0),
      ("Sun, 06 Nov 1994 10:49:37 GMT", "Sun, 06 Nov 1994 09:49:37 GMT", 3600),
      ("Sun, 06 Nov 1994 08:49:40 GMT", "Tue, 06 Nov 1984 08:49:30 GMT", 3),
      ("Sun, 06 Nov 1994 10:49:37 GMT", "Tue, 06 Nov 1984 08:49:30 GMT", 7200),
    ])
  func otherClock(value: String, date: String, seconds: Double) {
    let fields = HeaderFields([("Retry-After", value), ("Date", date)])
    #expect(RetryAfter.stated(in: fields, now: now) == .seconds(seconds))
  }

  @Test("is rejected in any other form", arguments: ["", "-1", "1.5", "1 s", "soon", "+1", "Sun, 06 Nov 1994"])
  func invalid(value: String) {
    #expect(RetryAfter.parse(value, now: now) == nil)
  }
}

@Suite("A request's target")
struct RequestTargetTests {
  @Test(
    "is the URL's path and query as they stand",
    arguments: [
      ("http://a.example/b", "/b"), ("https://a.example:81/b/%c3%A4?c=/d?e", "/b/%c3%A4?c=/d?e"),
      ("http://a.example", "/"),
      ("http://a.example/b?", "/b?"), ("https://a.example:81/b/c??", "/b/c??"), ("http://a.example?", "/?"),
      ("http://a.example/b?#part", "/b?"), ("http://a.example/#?", "/"), ("http://[::1]:8/?", "/?"),
      ("http://a.example/b:c@d%25/../e", "/b:c@d%25/../e"),
    ])
  func target(url: String, target: String) throws {
    let found = try #require(RequestText.target(of: url))
    #expect(found.text == target)
    #expect(url.utf8.dropFirst(found.start).first.map { "/?#".utf8.contains($0) } != false)
  }

  @Test(
    "is left to libcurl where something has to be escaped or the host is no plain one",
    arguments: [
      "http://a.example/\u{E4}?", "http://a.example/a b?", "http://b\u{FC}cher.example/", "http://[fe80::1%25lo]/a",
      "http://user:word@a.example/", "a.example",
    ])
  func other(url: String) {
    #expect(RequestText.target(of: url) == nil)
  }
}
