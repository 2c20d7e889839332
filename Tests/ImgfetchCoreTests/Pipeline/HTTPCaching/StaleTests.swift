import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Under --cache http a stale answer is served if the request or the answer allows it")
struct StaleTests {
  @Test(
    "and the origin fails to answer",
    arguments: [
      ("max-age=10", true), ("max-age=10, stale-if-error=60", true), ("max-age=10, stale-if-error=1", false),
      ("max-age=10, must-revalidate", false), ("max-age=10, no-cache", false), ("max-age=10, proxy-revalidate", true),
      ("max-age=10, s-maxage=5", true),
    ])
  func unreachable(cacheControl: String, isServed: Bool) throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", inTurn: [.text("x").with("Cache-Control", cacheControl), .nothing])
    _ = try runs.get("/a")
    runs.pass(20)
    let got = try runs.get("/a")
    #expect(got.result.isStale == isServed)
    #expect((got.result.error == nil) == isServed)
    if isServed {
      #expect(got.text == "x" && got.field("Age") == "20")
      #expect(got.result.warnings.count == 1)
    }
  }

  @Test("or answers 5xx: what counts is stale-if-error, then whether the user takes that status for an answer")
  func serverError() throws {
    let runs = try CachedRuns()
    for (path, directives) in [("/sie", "max-age=10, stale-if-error=60"), ("/plain", "max-age=10")] {
      runs.server.serve(
        path, inTurn: [.text("x").with("Cache-Control", directives), .text("busy", status: 503)])
      _ = try runs.get(path)
    }
    runs.pass(20)
    let tolerated = try runs.get("/sie")
    #expect(tolerated.status == 200 && tolerated.result.isStale && tolerated.text == "x")
    #expect(try runs.get("/plain").status == 503)
    #expect(try runs.get("/plain") { $0.acceptedStatuses = .success }.text == "x")
    #expect(try runs.get("/plain", [("Cache-Control", "stale-if-error=60")]).text == "x")
    #expect(try runs.get("/sie") { $0.servesStale = false }.status == 503)
  }

  @Test("but never a stored error in an error's place")
  func storedError() throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", inTurn: [.text("1", status: 503).with("Cache-Control", "max-age=10"), .nothing])
    _ = try runs.get("/a")
    runs.pass(20)
    #expect(try runs.get("/a").result.error?.kind == .connect)
  }

  @Test("over stale redirects as well")
  func redirect() throws {
    let runs = try CachedRuns()
    runs.server.serve(
      "/1", inTurn: [.redirect(to: "/a", status: 301).with("Cache-Control", "max-age=10"), .nothing])
    runs.server.serve("/a", .text("x").with("Cache-Control", "max-age=100"))
    _ = try runs.get("/1")
    runs.pass(20)
    let got = try runs.get("/1")
    #expect(got.text == "x" && got.result.isStale && got.result.warnings.count == 1)
  }

  @Test("at once within stale-while-revalidate, and the run asks the origin before it ends")
  func whileRevalidating() throws {
    let runs = try CachedRuns()
    runs.server.on("/a") { request in
      .text("\(request.ordinal)").with("Cache-Control", "max-age=10, stale-while-revalidate=60").with("ETag", "\"1\"")
    }
    _ = try runs.get("/a")
    runs.pass(20)
    let got = try runs.get("/a")
    #expect(got.text == "1" && got.result.isStale && got.field("Age") == "20")
    #expect(runs.server.count("/a") == 2)
    #expect(runs.server.requests.last?["If-None-Match"] == "\"1\"")
    let next = try runs.get("/a")
    #expect(next.text == "2" && !next.result.isStale)
    #expect(runs.server.count("/a") == 2)
    runs.pass(71)
    #expect(try runs.get("/a").text == "3")
  }

  @Test("and a list that names it often asks once")
  func refreshedOnce() throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", .text("x").with("Cache-Control", "max-age=10, stale-while-revalidate=60"))
    _ = try runs.get("/a")
    runs.pass(20)
    let got = try runs.ask(["/a", "/a", "/a"])
    #expect(got.allSatisfy { $0.text == "x" })
    #expect(runs.server.count("/a") == 2)
  }
}
