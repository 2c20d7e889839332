import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Under --cache http requests that differ in what Vary names get answers of their own")
struct VaryingTests {
  /// Answers with what the request has in X, and with this Vary.
  private func runs(vary: String?, _ also: [(String, String)] = []) throws -> CachedRuns {
    let runs = try CachedRuns()
    runs.server.on("/a") { request in
      var answer = TestServer.Response.text(request.values(of: "X").joined(separator: "|"))
        .with("Cache-Control", "max-age=60")
      if let vary { answer = answer.with("Vary", vary) }
      for (name, value) in also { answer = answer.with(name, value) }
      return answer
    }
    return runs
  }

  @Test("and several are kept side by side")
  func several() throws {
    let runs = try runs(vary: "X")
    for round in 0..<2 {
      for value in ["1", "2", "3"] {
        let got = try runs.get("/a", [("X", value)])
        #expect(got.text == value)
        #expect(got.result.cache == (round == 0 ? CacheType.network : .disk))
      }
      let without = try runs.get("/a")
      #expect(without.text == "")
      #expect(without.result.cache == (round == 0 ? CacheType.network : .disk))
    }
    #expect(runs.server.count("/a") == 4)
  }

  @Test("in one run as well, from memory")
  func memory() throws {
    let runs = try runs(vary: "X")
    for value in ["1", "2"] {
      let got = try runs.ask(["/a", "/a"], [("X", value)])
      #expect(got.map(\.result.cache) == [CacheType.network, .memory])
      #expect(got.map(\.text) == [value, value])
    }
    #expect(runs.server.count("/a") == 2)
  }

  @Test("while each is stale for itself, and confirmed for itself")
  func validation() throws {
    let runs = try CachedRuns()
    runs.server.on("/a") { request in
      let tag = "\"\(request["X"] ?? "")\""
      if request["If-None-Match"] == tag { return .status(304).with("ETag", tag).with("Vary", "X") }
      return .text(request["X"] ?? "").with("ETag", tag).with("Vary", "X").with("Cache-Control", "max-age=60")
    }
    _ = try runs.get("/a", [("X", "1")])
    runs.pass(50)
    _ = try runs.get("/a", [("X", "2")])
    runs.pass(11)
    #expect(try runs.get("/a", [("X", "2")]).field("Age") == "11")
    let first = try runs.get("/a", [("X", "1")])
    #expect(first.result.isRevalidated && first.text == "1")
    #expect(runs.server.requests.last?["If-None-Match"] == "\"1\"")
    #expect(try runs.get("/a", [("X", "1")]).field("Age") == "0")
    #expect(runs.server.count("/a") == 3)
  }

  @Test(
    "unless the values differ in nothing that means something",
    arguments: [
      ("X", [("X", "1, 2")], [("X", "1,2")], true), ("x", [("X", "1")], [("x", "1")], true),
      ("X", [("X", "1, 2")], [("X", "1"), ("X", "2")], true), ("X", [("X", "1")], [("X", "1"), ("Y", "2")], true),
      ("X", [("X", "1, 2")], [("X", "2, 1")], false), ("X", [("X", "a")], [("X", "A")], false),
      ("Accept-Language", [("Accept-Language", "en, de")], [("Accept-Language", "DE,en")], true),
      ("Accept-Language", [("Accept-Language", "en")], [("Accept-Language", "de")], false),
      ("X, Y", [("X", "1"), ("Y", "1")], [("Y", "1"), ("X", "1")], true),
      ("X, Y", [("X", "1"), ("Y", "1")], [("X", "1"), ("Y", "2")], false),
      ("X, Y", [("X", "1")], [("X", "1"), ("Y", "")], false), ("X", [], [], true), ("X", [("X", "1")], [], false),
      ("User-Agent", [], [], true), ("User-Agent", [], [("User-Agent", "other")], false),
    ] as [(String, [(String, String)], [(String, String)], Bool)])
  func normalisation(vary: String, first: [(String, String)], second: [(String, String)], isSame: Bool) throws {
    let runs = try runs(vary: vary)
    _ = try runs.get("/a", first)
    #expect(try runs.get("/a", second).result.cache == (isSame ? .disk : CacheType.network))
  }

  @Test("and a star says that none is like another", arguments: ["*", "*, *", ", *", "*, X", "X, *", "X,,*"])
  func star(vary: String) throws {
    let runs = try runs(vary: vary)
    let first = try runs.get("/a", [("X", "1")])
    #expect(first.explanations.last == "not stored: the answer says Vary: *")
    #expect(try runs.get("/a", [("X", "1")]).result.cache == CacheType.network)
  }

  @Test("and an answer without Vary, among others with it, is kept for requests like its own")
  func missingVary() throws {
    let runs = try CachedRuns()
    runs.server.on("/a") { request in
      let answer = TestServer.Response.text(request["X"] ?? "none").with("Cache-Control", "max-age=60")
      return request["X"] == nil ? answer : answer.with("Vary", "X")
    }
    #expect(try runs.get("/a", [("X", "1")]).text == "1")
    #expect(try runs.get("/a").text == "none")
    #expect(try runs.get("/a", [("X", "2")]).text == "2")
    #expect(try runs.get("/a").text == "none")
    #expect(try runs.get("/a", [("X", "1")]).text == "1")
    #expect(runs.server.count("/a") == 3)
  }

  @Test("and their number is bounded, whatever is asked")
  func bounded() throws {
    let places = Set(
      (0..<100_000).map { number in
        CacheKey(url: "http://a/").variant(selecting: HeaderFields([("X", "\(number)")])).path
      })
    #expect(places.count > 50_000 && places.count <= 65_536)
    #expect(places.allSatisfy { $0.hasPrefix(CacheKey(url: "http://a/").path + "-") })
  }
}
