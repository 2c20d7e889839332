import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Under --cache http an answer is stored and used again")
struct StoringTests {
  @Test(
    "with whatever status, while it is explicitly fresh",
    arguments: [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 451, 499, 500, 501, 503, 599])
  func explicitlyFresh(status: Int) throws {
    let runs = try CachedRuns()
    let body = status == 204 ? [] : Array("body".utf8)
    runs.server.serve("/a", .status(status, body).with("Cache-Control", "max-age=60").with("Date", CachedRuns.date()))
    let first = try runs.get("/a")
    #expect(first.status == status)
    #expect(first.result.cache == CacheType.network)
    runs.pass(59)
    let second = try runs.get("/a")
    #expect(second.status == status, "\(second.explanations)")
    #expect(second.result.cache == .disk)
    #expect(second.body == body)
    #expect(second.field("Age") == "59")
    #expect(runs.server.count("/a") == 1)
    runs.pass(1)
    #expect(try runs.get("/a").result.cache == CacheType.network)
    #expect(runs.server.count("/a") == 2)
  }

  @Test(
    "by a guess from Last-Modified, where its status allows one",
    arguments: [
      (200, true), (203, true), (204, true), (300, true), (301, true), (308, true), (404, true), (405, true),
      (410, true), (414, true), (501, true), (201, false), (202, false), (302, false), (307, false), (400, false),
      (403, false), (500, false), (502, false), (503, false), (504, false), (599, false),
    ])
  func guessed(status: Int, isStored: Bool) throws {
    let runs = try CachedRuns()
    runs.server.serve(
      "/a", .status(status).with("Date", CachedRuns.date()).with("Last-Modified", CachedRuns.date(-36000)))
    _ = try runs.get("/a")
    runs.pass(3599)
    _ = try runs.get("/a")
    #expect(runs.server.count("/a") == (isStored ? 1 : 2))
    runs.pass(2)
    _ = try runs.get("/a")
    #expect(runs.server.count("/a") == (isStored ? 2 : 3))
  }

  @Test(
    "or not, as its Cache-Control says",
    arguments: [
      ("max-age=60", true), ("MAX-AGE=60", true), ("max-age=\"60\"", true), ("max-age=60, foo=bar", true),
      ("private, max-age=60", true), ("public, max-age=60", true), ("private=\"x\", max-age=60", true),
      ("max-age=60, s-maxage=0", true), ("max-age=99999999999999999999", true), ("max-age=060", true),
      ("max-age=60, no-cache=\"X-Other\"", true), ("must-understand, no-store, max-age=60", true),
      ("max-age=60, no-store", false), ("max-age=60, NO-STORE", false), ("max-age=60, no-cache", false),
      ("max-age=60, No-Cache", false), ("max-age=0", false), ("max-age=-60", false), ("max-age=60a", false),
      ("max-age=6.5", false), ("max-age =60", false), ("max-age= 60", false), ("max-age='60'", false),
      ("extension=\"max-age=60\"", false), ("s-maxage=60", false), ("no-store=x, max-age=60", false),
    ] as [(String, Bool)])
  func cacheControl(value: String, isReused: Bool) throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", .text("x").with("Cache-Control", value))
    _ = try runs.get("/a")
    runs.pass(10)
    let second = try runs.get("/a")
    #expect(runs.server.count("/a") == (isReused ? 1 : 2), "\(second.explanations)")
  }

  @Test("with the age that it has already, by its Age and its Date")
  func age() throws {
    let runs = try CachedRuns()
    runs.server.serve("/age", .text("x").with("Cache-Control", "max-age=60").with("Age", "50"))
    runs.server.serve(
      "/date", .text("x").with("Cache-Control", "max-age=60").with("Date", CachedRuns.date(-50)))
    for path in ["/age", "/date"] {
      _ = try runs.get(path)
      #expect(try runs.get(path).field("Age") == "50")
    }
    runs.pass(9)
    for path in ["/age", "/date"] {
      #expect(try runs.get(path).fields("Age") == ["59"])
      #expect(runs.server.count(path) == 1)
    }
    runs.pass(1)
    for path in ["/age", "/date"] {
      _ = try runs.get(path)
      #expect(runs.server.count(path) == 2)
    }
  }

  @Test("with all of its fields but those of the connection and those that no-cache names")
  func fields() throws {
    let runs = try CachedRuns()
    runs.server.serve(
      "/a",
      .text("x").with("Cache-Control", "max-age=60, no-cache=\"X-Once, set-cookie\", private=\"X-Own\"")
        .with("X-Once", "1").with("Set-Cookie", "a=b").with("X-Own", "2").with("X-Kept", "3").with("X-Kept", "4")
        .with("Connection", "X-Hop").with("X-Hop", "5").with("Proxy-Authenticate", "Basic").with("Keep-Alive", "6"))
    let first = try runs.get("/a")
    #expect(first.field("X-Once") == "1")
    let second = try runs.get("/a")
    #expect(runs.server.count("/a") == 1)
    for name in ["X-Once", "Set-Cookie", "Connection", "X-Hop", "Proxy-Authenticate", "Keep-Alive"] {
      #expect(second.field(name) == nil, "\(name)")
    }
    #expect(second.field("X-Own") == "2")
    #expect(second.fields("X-Kept") == ["3", "4"])
    #expect(second.field("Date") == CachedRuns.date())
  }

  @Test("but not after a later answer that may not be stored")
  func superseded() throws {
    let runs = try CachedRuns()
    runs.server.serve(
      "/a",
      inTurn: [
        .text("old").with("Cache-Control", "max-age=60"), .text("new").with("Cache-Control", "no-store"), .text("3"),
      ])
    _ = try runs.get("/a")
    #expect(try runs.get("/a", [("Cache-Control", "no-cache")]).text == "new")
    #expect(try runs.get("/a").text == "3")
    #expect(runs.server.count("/a") == 3)
  }

  @Test("and a refusal is told as one, from the cache too")
  func refusals() throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", .text("gone", status: 410).with("Cache-Control", "max-age=60"))
    for _ in 1...2 {
      let got = try runs.get("/a") { $0.acceptedStatuses = .success }
      #expect(got.result.error?.kind == .http)
      #expect(got.status == 410)
    }
    #expect(runs.server.count("/a") == 1)
    let accepted = try runs.get("/a")
    #expect(accepted.text == "gone")
    #expect(runs.server.count("/a") == 1)
  }

  @Test("but not one that was broken off, nor an interim one, nor with a trailer's fields")
  func wholeness() throws {
    let runs = try CachedRuns()
    runs.server.serve(
      "/cut", inTurn: [.text("abcdef").with("Cache-Control", "max-age=60").cutAfter(3), .text("whole")])
    #expect(try runs.get("/cut").result.error?.kind == .truncated)
    #expect(try runs.get("/cut").text == "whole")
    runs.server.serve(
      "/interim",
      .text("x").with("Cache-Control", "max-age=60").after(
        interim: 103, [("Cache-Control", "no-store"), ("Link", "a")]))
    runs.server.serve(
      "/trailer", .text("x").with("Cache-Control", "max-age=60").chunked([1], trailer: ["X-Trailer: t"]))
    for path in ["/interim", "/trailer"] {
      _ = try runs.get(path)
      let second = try runs.get(path)
      #expect(runs.server.count(path) == 1)
      #expect(second.status == 200)
      #expect(second.field("Link") == nil && second.field("X-Trailer") == nil)
    }
  }

  @Test("for a reason that -v tells with its numbers")
  func words() throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", .text("x").with("Cache-Control", "max-age=60"))
    runs.server.serve("/b", .text("x").with("Cache-Control", "no-store"))
    #expect(try runs.get("/a").explanations.last == "stored with status 200, fresh (age 0 s, lifetime 60 s by max-age)")
    runs.pass(7)
    #expect(try runs.get("/a").explanations == ["on disk, fresh (age 7 s, lifetime 60 s by max-age): served"])
    #expect(try runs.get("/b").explanations.last == "not stored: the answer says no-store")
    runs.pass(60)
    #expect(try runs.get("/a").explanations.first == "stored, and stale (age 67 s, lifetime 60 s by max-age)")
  }
}
