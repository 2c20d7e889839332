import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Under --cache http a request has its own say")
struct AskingTests {
  /// A run with that Cache-Control, and an answer of `age` seconds that is fresh for 60.
  @Test(
    "on the age of what it takes",
    arguments: [
      ("no-cache", 1, false), ("NO-CACHE", 1, false), ("max-age=0", 1, false), ("max-age=30", 29, true),
      ("max-age=30", 31, false), ("max-age=3600", 59, true), ("max-age=3600", 61, false), ("min-fresh=30", 29, true),
      ("min-fresh=30", 31, false), ("max-stale", 9999, true), ("max-stale=30", 89, true), ("max-stale=30", 91, false),
      ("no-store", 1, true), ("no-transform", 1, true), ("unknown=1", 1, true), ("only-if-cached", 59, true),
    ] as [(String, Double, Bool)])
  func cacheControl(value: String, age: Double, isServed: Bool) throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", .text("x").with("Cache-Control", "max-age=60"))
    _ = try runs.get("/a")
    runs.pass(age)
    let got = try runs.get("/a", [("Cache-Control", value)])
    #expect(got.result.cache == (isServed ? .disk : CacheType.network), "\(got.explanations)")
    #expect(got.result.isStale == (isServed && age > 60))
    if !isServed { #expect(runs.server.requests.last?["Cache-Control"] == value) }
  }

  @Test("by Pragma too, where it has no Cache-Control; an answer's Pragma says nothing")
  func pragma() throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", .text("x").with("Cache-Control", "max-age=60").with("Pragma", "no-cache"))
    _ = try runs.get("/a")
    #expect(try runs.get("/a").result.cache == .disk)
    #expect(try runs.get("/a", [("Pragma", "foo")]).result.cache == .disk)
    #expect(try runs.get("/a", [("Pragma", "no-cache"), ("Cache-Control", "max-age=9")]).result.cache == .disk)
    #expect(try runs.get("/a", [("Pragma", "no-cache")]).result.cache == CacheType.network)
  }

  @Test("on whether the origin is asked at all: only-if-cached is 504 where nothing stored will do")
  func onlyIfCached() throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", .text("x").with("Cache-Control", "max-age=60"))
    let missing = try runs.get("/a", [("Cache-Control", "only-if-cached")])
    #expect(missing.result.error?.kind == .offline)
    #expect(missing.status == 504)
    _ = try runs.get("/a")
    runs.pass(61)
    #expect(try runs.get("/a", [("Cache-Control", "only-if-cached")]).status == 504)
    #expect(try runs.get("/a", [("Cache-Control", "only-if-cached, max-stale")]).status == 200)
    #expect(runs.server.count("/a") == 1)
  }

  @Test(
    "on tags that it has: a stored answer gives it a 304",
    arguments: [
      ("\"abc\"", "\"abc\"", 304), ("\"abc\"", "W/\"abc\"", 304), ("W/\"abc\"", "\"abc\"", 304),
      ("\"abc\"", "\"x\", \"abc\" , \"y\"", 304), ("\"a,c\"", "\"a,c\"", 304), ("\"abc\"", "*", 304),
      ("abc", "abc", 304), ("\"abc\"", "\"ABC\"", 200), ("\"abc\"", "\"x\"", 200), ("\"abc\"", "", 200),
    ])
  func ownTags(etag: String, asked: String, status: Int) throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", .text("x").with("Cache-Control", "max-age=60").with("ETag", etag))
    _ = try runs.get("/a")
    let got = try runs.get("/a", [("If-None-Match", asked)])
    #expect(got.status == status)
    #expect(got.result.cache == .disk)
    #expect(got.text == (status == 304 ? "" : "x"))
    #expect(got.field("ETag") == etag && got.field("Age") == "0")
    #expect((got.field("Content-Length") == nil) == (status == 304))
    #expect(runs.server.count("/a") == 1)
  }

  @Test(
    "on a date that it has, which tags overrule",
    arguments: [
      (-3600, true, [(String, String)](), 304), (-3599, true, [], 304), (-3601, true, [], 200), (0, false, [], 304),
      (-1, false, [], 200), (-3600, true, [("If-None-Match", "\"x\"")], 200),
    ] as [(Int64, Bool, [(String, String)], Int)])
  func ownDate(seconds: Int64, hasModified: Bool, others: [(String, String)], status: Int) throws {
    let runs = try CachedRuns()
    var answer = TestServer.Response.text("x").with("Cache-Control", "max-age=60").with("Date", CachedRuns.date())
    if hasModified { answer = answer.with("Last-Modified", CachedRuns.date(-3600)) }
    runs.server.serve("/a", answer)
    _ = try runs.get("/a")
    #expect(try runs.get("/a", others + [("If-Modified-Since", CachedRuns.date(seconds))]).status == status)
    #expect(runs.server.count("/a") == 1)
  }

  @Test("and its own condition goes on to an origin whose answer is not stored")
  func forwarded() throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", Resource(Array("x".utf8), type: "text/plain", etag: "\"abc\""))
    let got = try runs.get("/a", [("If-None-Match", "\"abc\"")])
    #expect(got.status == 304)
    #expect(runs.server.requests.last?.values(of: "If-None-Match") == ["\"abc\""])
    #expect(try runs.get("/a").text == "x")
    #expect(runs.server.count("/a") == 2)
  }

  @Test("and is asked together with the cache's own; each gets what concerns it")
  func together() throws {
    let runs = try CachedRuns()
    let current = Guarded("\"a\"")
    runs.server.on("/a") { request in
      Resource(Array("x".utf8), type: "text/plain", etag: current.withLock { $0 }).answer(request)
    }
    _ = try runs.get("/a")
    let whole = try runs.get("/a", [("If-None-Match", "\"b\"")])
    #expect(runs.server.requests.last?.values(of: "If-None-Match") == ["\"b\", \"a\""])
    #expect(whole.status == 200 && whole.text == "x" && whole.result.isRevalidated)
    #expect(try runs.get("/a", [("If-None-Match", "\"a\"")]).status == 304)
    current.withLock { $0 = "\"b\"" }
    let theirs = try runs.get("/a", [("If-None-Match", "\"b\"")])
    #expect(theirs.status == 304 && theirs.result.cache == CacheType.network)
    _ = try runs.get("/a")
    #expect(runs.server.requests.last?.values(of: "If-None-Match") == ["\"a\""])
  }
}
