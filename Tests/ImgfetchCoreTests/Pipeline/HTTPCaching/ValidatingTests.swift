import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Under --cache http the origin is asked about what is stale")
struct ValidatingTests {
  private static let conditions = ["If-None-Match", "If-Modified-Since"]

  /// Answers once with `first`, then with a 304 with these fields to conditional requests.
  private func serve(
    _ runs: CachedRuns, _ first: [(String, String)], then confirmation: [(String, String)] = []
  ) {
    runs.server.on("/a") { request in
      let isAsked = Self.conditions.contains { request[$0] != nil }
      var answer: TestServer.Response = isAsked ? .status(304) : .text("body \(request.ordinal)")
      for (name, value) in isAsked ? confirmation : first { answer = answer.with(name, value) }
      return answer
    }
  }

  @Test(
    "with the validators as they came",
    arguments: [
      ("ETag", "\"abc\"", "If-None-Match"), ("ETag", "W/\"abc\"", "If-None-Match"), ("ETag", "abc", "If-None-Match"),
      ("ETag", "\"a,b\"", "If-None-Match"), ("ETag", "w/\"abc", "If-None-Match"),
      ("Last-Modified", "Tue, 14 Nov 2023 21:00:00 GMT", "If-Modified-Since"),
      ("Last-Modified", "yesterday", "If-Modified-Since"),
    ])
  func validators(name: String, value: String, condition: String) throws {
    let runs = try CachedRuns()
    serve(runs, [(name, value), ("Cache-Control", "max-age=10")], then: [("Cache-Control", "max-age=100")])
    _ = try runs.get("/a")
    runs.pass(11)
    let second = try runs.get("/a")
    #expect(runs.server.requests.last?.values(of: condition) == [value])
    #expect(second.status == 200 && second.text == "body 1", "\(second.explanations)")
    #expect(second.result.isRevalidated && second.result.cache == .disk)
    runs.pass(99)
    #expect(try runs.get("/a").field("Age") == "99")
    #expect(runs.server.count("/a") == 2)
  }

  @Test("with nothing where there are no validators, or none that a 304 could be about")
  func noValidators() throws {
    let runs = try CachedRuns()
    runs.server.serve("/plain", .text("x"))
    runs.server.serve("/gone", .text("x", status: 404).with("ETag", "\"a\""))
    for path in ["/plain", "/gone", "/plain", "/gone"] { #expect(try runs.get(path).result.isRevalidated == false) }
    #expect(runs.server.requests.count == 4)
    #expect(runs.server.requests.allSatisfy { $0["If-None-Match"] == nil })
  }

  @Test("and a 304 updates what is stored, but for what is about the body's framing or the connection")
  func update() throws {
    let runs = try CachedRuns()
    serve(
      runs,
      [
        ("ETag", "\"a\""), ("Age", "100"), ("Cache-Control", "max-age=10"), ("X-Old", "1"), ("X-Both", "1"),
        ("Content-Type", "text/plain"), ("X-Twice", "1"), ("X-Twice", "2"),
      ],
      then: [
        ("ETag", "\"a\""), ("Cache-Control", "max-age=100"), ("X-New", "2"), ("x-both", "2"), ("Content-Length", "99"),
        ("Connection", "X-Hop"), ("X-Hop", "2"), ("Content-Type", "text/css"), ("X-Twice", "3"),
      ])
    _ = try runs.get("/a")
    runs.pass(20)
    for got in [try runs.get("/a"), try runs.get("/a")] {
      #expect(got.text == "body 1")
      #expect(got.field("X-Old") == "1" && got.field("X-New") == "2")
      #expect(got.fields("X-Both") == ["2"] && got.fields("X-Twice") == ["3"])
      #expect(got.fields("Content-Length") == ["6"])
      #expect(got.field("X-Hop") == nil)
      #expect(got.field("Content-Type") == "text/css" && got.result.mime == "text/css")
      #expect(got.field("Date") == CachedRuns.date(20))
    }
    #expect(runs.server.count("/a") == 2)
    // The first answer's Age no longer counts.
    #expect(try runs.get("/a").field("Age") == "0")
  }

  @Test("and a 304 is not taken for the time at which the image came")
  func cameEarlier() throws {
    let runs = try CachedRuns()
    serve(runs, [("ETag", "\"a\""), ("Cache-Control", "max-age=10")], then: [("ETag", "\"a\"")])
    _ = try runs.get("/a")
    for _ in 1...2 {
      runs.pass(20)
      #expect(try runs.get("/a").result.isRevalidated)
      let standing = try #require(try runs.standing("/a"))
      #expect(standing.stored == CachedRuns.start && standing.confirmed != nil)
    }
  }

  @Test("and a 304 that is about another version changes nothing: the origin is asked once more, plainly")
  func otherVersion() throws {
    let runs = try CachedRuns()
    serve(runs, [("ETag", "\"a\""), ("Cache-Control", "max-age=10")], then: [("ETag", "\"b\"")])
    _ = try runs.get("/a")
    runs.pass(11)
    let second = try runs.get("/a")
    #expect(second.text == "body 3")
    #expect(!second.result.isRevalidated)
    #expect(runs.server.requests.last?["If-None-Match"] == nil)
    #expect(runs.server.count("/a") == 3)
  }

  @Test("and a whole answer takes its place", arguments: [200, 404, 410])
  func replaced(status: Int) throws {
    let runs = try CachedRuns()
    runs.server.serve(
      "/a",
      inTurn: [
        .text("old").with("ETag", "\"a\"").with("Cache-Control", "max-age=10"),
        .text("new", status: status).with("Cache-Control", "max-age=10"),
      ])
    _ = try runs.get("/a")
    runs.pass(11)
    for _ in 1...2 {
      let got = try runs.get("/a")
      #expect(got.text == "new" && got.status == status)
    }
    #expect(runs.server.count("/a") == 2)
  }

  @Test("and what the 304 forbids to keep is served once and forgotten")
  func noStoreLater() throws {
    let runs = try CachedRuns()
    serve(runs, [("ETag", "\"a\"")], then: [("Cache-Control", "no-store")])
    _ = try runs.get("/a")
    #expect(try runs.get("/a").text == "body 1")
    #expect(try runs.get("/a").text == "body 3")
    #expect(runs.server.requests.last?["If-None-Match"] == nil)
  }

  @Test("or not, if the request says no-store: then a 304 is used and nothing changes")
  func requestNoStore() throws {
    let runs = try CachedRuns()
    serve(runs, [("ETag", "\"a\""), ("Cache-Control", "max-age=10")], then: [("Cache-Control", "max-age=100")])
    _ = try runs.get("/a", [("Cache-Control", "no-store")])
    #expect(try runs.get("/a").text == "body 2")
    runs.pass(11)
    #expect(try runs.get("/a", [("Cache-Control", "no-store")]).text == "body 2")
    _ = try runs.get("/a")
    #expect(runs.server.count("/a") == 4)
  }

  @Test("by no condition of the cache's where the asker's is for the origin to judge")
  func ifMatch() throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", .text("x").with("Cache-Control", "max-age=60").with("ETag", "\"a\""))
    _ = try runs.get("/a")
    for header in [("If-Match", "\"a\""), ("If-Unmodified-Since", CachedRuns.date())] {
      let got = try runs.get("/a", [header])
      #expect(got.result.cache == CacheType.network)
      #expect(runs.server.requests.last?[header.0] == header.1)
      #expect(runs.server.requests.last?["If-None-Match"] == nil)
    }
    #expect(try runs.get("/a").result.cache == .disk)
  }
}
