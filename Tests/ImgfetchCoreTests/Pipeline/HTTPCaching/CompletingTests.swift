import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Under --cache http an incomplete answer is completed")
struct CompletingTests {
  private static let body = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
  private static let rest = "bytes=240000-"
  private static let fresh = ("Cache-Control", "max-age=60")
  private static let tag = ("ETag", "\"1\"")

  /// A server that breaks the first answer off and sends the rest on request, each with these fields.
  private func serve(
    _ runs: CachedRuns, _ fields: [(String, String)], rest: [(String, String)] = [Self.fresh, Self.tag]
  ) {
    runs.server.on("/a") { request in
      if request["Range"] == Self.rest {
        let answer = TestServer.Response.status(206, Array(Self.body[240_000...]))
        return rest.reduce(answer.with("Content-Range", "bytes 240000-399999/400000")) { $0.with($1.0, $1.1) }
      }
      let answer = fields.reduce(TestServer.Response.ok(Self.body, type: "x/y")) { $0.with($1.0, $1.1) }
      return request.ordinal == 1 ? answer.cutAfter(240_000) : answer
    }
  }

  @Test("by the next run, with the fields of both answers and the length of the whole")
  func brokenOff() throws {
    let runs = try CachedRuns()
    serve(
      runs,
      [
        ("Cache-Control", "max-age=5"), Self.tag, ("Date", CachedRuns.date()), ("Age", "3"), ("X-First", "1"),
        ("X-Both", "old"),
      ], rest: [Self.fresh, Self.tag, ("Date", CachedRuns.date(10)), ("X-Both", "new"), ("X-Rest", "2")])
    #expect(try runs.get("/a").result.error?.kind == .truncated)
    runs.pass(10)
    let second = try runs.get("/a")
    #expect(second.result.downloaded == 160_000, "\(second.explanations)")
    #expect(runs.server.requests.map { $0["If-Range"] } == [nil, "\"1\""])
    let third = try runs.get("/a")
    #expect(third.result.cache == .disk && third.field("Age") == "0")
    for got in [second, third] {
      #expect(got.status == 200 && got.body == Self.body)
      #expect(got.fields("Content-Length") == ["400000"] && got.field("Content-Range") == nil)
      #expect(got.field("Content-Type") == "x/y" && got.field("X-First") == "1" && got.field("X-Rest") == "2")
      #expect(got.fields("X-Both") == ["new"] && got.fields("Cache-Control") == ["max-age=60"])
      #expect(got.fields("Date") == [CachedRuns.date(10)])
    }
    #expect(runs.server.count("/a") == 2)
  }

  @Test("but not stored, if the answer with the rest forbids it")
  func forbiddenLater() throws {
    let runs = try CachedRuns()
    serve(runs, [Self.fresh, Self.tag], rest: [("Cache-Control", "no-store"), Self.tag])
    _ = try runs.get("/a")
    #expect(try runs.get("/a").body == Self.body)
    #expect(runs.server.requests.last?["Range"] == Self.rest)
    #expect(try runs.get("/a").result.cache == CacheType.network)
    #expect(runs.server.requests.last?["Range"] == nil)
  }

  @Test(
    "or asked for whole, where it may not be stored or its rest could not be known",
    arguments: [
      [("Cache-Control", "no-store"), Self.tag], [("Vary", "*"), Self.fresh, Self.tag], [Self.fresh],
      [Self.fresh, ("ETag", "W/\"1\"")],
      // The variant of the bytes would not be known.
      [Self.fresh, ("Vary", "X"), ("Date", CachedRuns.date()), ("Last-Modified", CachedRuns.date(-3600))],
    ] as [[(String, String)]])
  func notKept(fields: [(String, String)]) throws {
    let runs = try CachedRuns()
    serve(runs, fields)
    #expect(try runs.get("/a").result.error?.kind == .truncated)
    #expect(try runs.get("/a").body == Self.body)
    #expect(runs.server.requests.map { $0["Range"] } == [nil, nil])
  }

  @Test(
    "or whatever the asker's own fields say",
    arguments: [("Cache-Control", "no-store"), ("If-None-Match", "\"2\""), ("Range", "bytes=0-1")])
  func ownFields(name: String, value: String) throws {
    let runs = try CachedRuns()
    serve(runs, [Self.fresh, Self.tag])
    _ = try runs.get("/a")
    _ = try runs.get("/a", [(name, value)])
    #expect(runs.server.requests.last?[name] == value)
    #expect(runs.server.requests.last?["Range"] != Self.rest)
  }

  @Test("and so is a stored part that the whole begins with", arguments: ["\"a\"", nil])
  func part(etag: String?) throws {
    let runs = try CachedRuns()
    let digits = Resource(
      Array("0123456789".utf8), type: "text/plain", etag: etag, lastModified: CachedRuns.date(-3600),
      headers: [Self.fresh, ("Date", CachedRuns.date())])
    runs.server.on("/a") { digits.answer($0) }
    _ = try runs.get("/a", [("Range", "bytes=0-4")])
    // Fresh or not: the origin is asked.
    runs.pass(61)
    let whole = try runs.get("/a")
    #expect(whole.status == 200 && whole.text == "0123456789", "\(whole.explanations)")
    #expect(whole.result.downloaded == 5 && whole.fields("Content-Length") == ["10"])
    #expect(whole.field("Content-Range") == nil)
    let request = try #require(runs.server.requests.last)
    #expect(request["Range"] == "bytes=5-")
    #expect(request["If-Range"] == etag ?? CachedRuns.date(-3600))
    #expect(runs.server.count("/a") == 2)
  }

  @Test("and kept as the whole")
  func wholeIsKept() throws {
    let runs = try CachedRuns()
    let digits = Resource(Array("0123456789".utf8), etag: "\"a\"", headers: [Self.fresh])
    runs.server.on("/a") { digits.answer($0) }
    _ = try runs.get("/a", [("Range", "bytes=0-4")])
    _ = try runs.get("/a")
    let again = try runs.get("/a")
    #expect(again.result.cache == .disk && again.status == 200 && again.text == "0123456789")
    #expect(try runs.get("/a", [("Range", "bytes=3-6")]).text == "3456")
    #expect(runs.server.count("/a") == 2)
  }

  @Test(
    "but not one that could be another's, or lies elsewhere",
    arguments: [
      ("W/\"a\"", "bytes=0-4", [], []), ("\"a\"", "bytes=2-6", [], []), ("\"a\"", "bytes=-5", [], []),
      ("\"a\"", "bytes=0-9", [], []), ("\"a\"", "bytes=0-4", [("Vary", "X")], [("X", "1")]),
    ] as [(String, String, [(String, String)], [(String, String)])])
  func otherPart(etag: String, range: String, fields: [(String, String)], asked: [(String, String)]) throws {
    let runs = try CachedRuns()
    let digits = Resource(Array("0123456789".utf8), etag: etag, headers: [Self.fresh] + fields)
    runs.server.on("/a") { digits.answer($0) }
    _ = try runs.get("/a", [("Range", range)] + asked)
    let whole = try runs.get("/a")
    #expect(whole.status == 200 && whole.text == "0123456789" && whole.result.downloaded == 10)
    #expect(runs.server.requests.last?["Range"] == nil)
  }

  @Test("nor with what has changed since")
  func changed() throws {
    let runs = try CachedRuns()
    runs.server.on("/a") { request in
      let text = request.ordinal == 1 ? "0123456789" : "abcdefghij"
      return Resource(Array(text.utf8), etag: "\"\(text)\"", headers: [Self.fresh]).answer(request)
    }
    _ = try runs.get("/a", [("Range", "bytes=0-4")])
    let whole = try runs.get("/a")
    #expect(whole.status == 200 && whole.text == "abcdefghij")
    #expect(try runs.get("/a").text == "abcdefghij")
    #expect(runs.server.count("/a") == 2)
  }

  @Test("and an image that was put together is looked at from its first byte")
  func verified() throws {
    let runs = try CachedRuns()
    let image = TestImages.jpeg(bytes: 100_000)
    let resource = Resource(image, etag: "\"a\"", headers: [Self.fresh])
    runs.server.on("/a") { resource.answer($0) }
    _ = try runs.get("/a", [("Range", "bytes=0-69999")])
    let whole = try runs.get("/a") { $0.verification = .structure }
    #expect(whole.body == image && whole.result.downloaded == 30_000)
    #expect(whole.result.facts?.format == .jpeg)
  }
}
