import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Under --cache http a range is cut out of what is stored")
struct RangeTests {
  private static let digits = Array("0123456789".utf8)

  private func runs(etag: String? = "\"a\"", lie: Resource.Lie? = nil) throws -> CachedRuns {
    let runs = try CachedRuns()
    let modified = etag == nil ? CachedRuns.date(-3600) : nil
    runs.server.serve(
      "/a",
      Resource(
        Self.digits, type: "text/plain", etag: etag, lastModified: modified,
        headers: [("Cache-Control", "max-age=60"), ("Date", CachedRuns.date())], lie: lie))
    return runs
  }

  @Test(
    "of a whole answer",
    arguments: [
      ("bytes=0-1", "01", "bytes 0-1/10"), ("bytes=7-", "789", "bytes 7-9/10"), ("bytes=-3", "789", "bytes 7-9/10"),
      ("bytes=8-99999999999999999999", "89", "bytes 8-9/10"), ("bytes=-99", "0123456789", "bytes 0-9/10"),
      ("BYTES=4-4", "4", "bytes 4-4/10"),
    ])
  func whole(range: String, body: String, place: String) throws {
    let runs = try runs()
    _ = try runs.get("/a")
    let got = try runs.get("/a", [("Range", range)])
    #expect(got.status == 206 && got.result.cache == .disk)
    #expect(got.text == body)
    #expect(got.field("Content-Range") == place)
    #expect(got.field("Content-Length") == "\(body.utf8.count)")
    #expect(got.field("Age") == "0")
    #expect(runs.server.count("/a") == 1)
  }

  @Test(
    "or not: what asks for several, in other units or in vain gets no part",
    arguments: [
      ("bytes=0-1,3-4", 200), ("lines=0-1", 200), ("bytes=2-1", 200), ("bytes=x-1", 200), ("bytes=10-", 416),
      ("bytes=-0", 416),
    ])
  func noPart(range: String, status: Int) throws {
    let runs = try runs()
    _ = try runs.get("/a")
    let got = try runs.get("/a", [("Range", range)])
    #expect(got.status == status)
    #expect(got.text == (status == 200 ? "0123456789" : ""))
    #expect(got.field("Content-Range") == (status == 200 ? nil : "bytes */10"))
    #expect(runs.server.count("/a") == 1)
  }

  @Test(
    "while If-Range names exactly that version",
    arguments: [
      ("\"a\"", "\"a\"", 206), ("\"a\"", "\"b\"", 200), ("W/\"a\"", "W/\"a\"", 200),
      (nil, CachedRuns.date(-3600), 206), (nil, CachedRuns.date(-3599), 200), ("\"a\"", CachedRuns.date(-3600), 200),
    ] as [(String?, String, Int)])
  func ifRange(etag: String?, condition: String, status: Int) throws {
    let runs = try runs(etag: etag)
    _ = try runs.get("/a")
    #expect(try runs.get("/a", [("Range", "bytes=0-1"), ("If-Range", condition)]).status == status)
    #expect(runs.server.count("/a") == 1)
  }

  @Test("also of one that the origin has just confirmed")
  func confirmed() throws {
    let runs = try runs()
    _ = try runs.get("/a")
    runs.pass(61)
    let got = try runs.get("/a", [("Range", "bytes=0-1")])
    #expect(got.status == 206 && got.text == "01" && got.result.isRevalidated)
    #expect(runs.server.requests.last?["If-None-Match"] == "\"a\"")
  }

  @Test("of a large one that lies in a file")
  func large() throws {
    let runs = try CachedRuns()
    let body = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    runs.server.serve("/a", .ok(body).with("Cache-Control", "max-age=60"))
    _ = try runs.get("/a")
    let got = try runs.get("/a", [("Range", "bytes=100000-299999")])
    #expect(got.body == Array(body[100_000..<300_000]))
    #expect(runs.server.count("/a") == 1)
  }

  @Test("and a part that came is used for what lies within it, and never as the whole")
  func storedPart() throws {
    let runs = try runs()
    let first = try runs.get("/a", [("Range", "bytes=2-6")])
    #expect(first.status == 206 && first.text == "23456")
    for (range, body) in [("bytes=2-6", "23456"), ("bytes=3-4", "34"), ("bytes=6-6", "6")] {
      let got = try runs.get("/a", [("Range", range)])
      #expect(got.status == 206 && got.text == body && got.result.cache == .disk, "\(got.explanations)")
      #expect(got.field("Content-Range")?.hasSuffix("/10") == true)
    }
    #expect(runs.server.count("/a") == 1)
    #expect(try runs.get("/a", [("Range", "bytes=5-8")]).text == "5678")
    #expect(runs.server.count("/a") == 2)
    #expect(try runs.get("/a", [("Range", "bytes=-2")]).text == "89")
    #expect(runs.server.count("/a") == 3)
    #expect(try runs.get("/a").text == "0123456789")
    #expect(runs.server.count("/a") == 4)
    runs.pass(61)
    _ = try runs.get("/a", [("Range", "bytes=8-9")])
    #expect(runs.server.count("/a") == 5)
  }

  @Test("but a part that was not asked for is refused, and one that does not say where it belongs is not kept")
  func oddParts() throws {
    let runs = try CachedRuns()
    runs.server.serve("/a", .text("01", status: 206).with("Cache-Control", "max-age=60"))
    #expect(try runs.get("/a").result.error?.kind == .http)
    for count in 2...3 {
      #expect(try runs.get("/a", [("Range", "bytes=0-1")]).status == 206)
      #expect(runs.server.count("/a") == count)
    }
  }
}
