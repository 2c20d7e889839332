import TestSupport
import Testing

/// The statements of a result about the network: requests, bytes and status.
@Suite("Reported costs") struct ReportedCostTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  private func result(_ arguments: String...) throws -> [String: Any] {
    let outcome = try program.run(["get", "--json", "--retry", "0"] + arguments)
    return try JSON.object(try #require(outcome.lines.first))
  }

  @Test("A body that exceeded a limit counts as one request and its received bytes")
  func limited() throws {
    let image = TestImages.jpeg(bytes: 400_000)
    server.serve("/a.jpg", .ok(image).withoutLength().stallAfter(300_000))
    let result = try result("--max-bytes", "100K", server.url("/a.jpg"))
    #expect(result["attempts"] as? Int == 1, "\(result)")
    #expect((result["downloaded"] as? Int ?? 0) > 100 << 10, "\(result)")
    #expect(result["status"] as? Int == 200, "\(result)")
  }

  @Test("A non-image, a truncated or an oversized one was answered with 200")
  func refusedBodies() throws {
    let image = TestImages.jpeg(width: 40, height: 30)
    server.serve("/page.jpg", TestImages.html())
    server.serve("/half.jpg", Array(image.prefix(image.count / 2)))
    server.serve("/large.jpg", image)
    for (path, option) in [("/page.jpg", "1G"), ("/half.jpg", "1G"), ("/large.jpg", "10")] {
      let result = try result("--max-bytes", option, server.url(path))
      #expect(result["status"] as? Int == 200, "\(result)")
      #expect(result["attempts"] as? Int == 1, "\(result)")
    }
  }

  @Test("A refused or broken answer has its status and its bytes")
  func brokenOffBodies() throws {
    let page = TestImages.html() + [UInt8](repeating: 10, count: 2000)
    server.serve("/page.jpg", .ok(page).stallAfter(1000))
    server.serve("/cut.jpg", .ok(TestImages.jpeg(bytes: 20_000)).cutAfter(5000))
    for (path, count, kind) in [("/page.jpg", 1000, "not-image"), ("/cut.jpg", 5000, "truncated")] {
      let result = try result(server.url(path))
      #expect(result["status"] as? Int == 200, "\(result)")
      #expect(result["attempts"] as? Int == 1, "\(result)")
      #expect(result["downloaded"] as? Int == count, "\(result)")
      #expect((result["error"] as? [String: Any])?["kind"] as? String == kind, "\(result)")
    }
  }

  @Test("An entry found damaged after a 304 cost two requests")
  func damagedAfterAll() throws {
    let image = TestImages.jpeg(bytes: 400_000)
    server.serve("/a.jpg", Resource(image, etag: "\"1\""))
    _ = try program.run("get", server.url("/a.jpg"))
    let path = try #require(try program.run("cache", "path", server.url("/a.jpg")).lines.first)
    var bytes = try #require(Command.contents(of: path))
    bytes[200_000] ^= 1
    try Command.overwrite(path, with: bytes)
    let result = try result("--cache", "refresh", "-d", "other", server.url("/a.jpg"))
    #expect(program.folder.read("work/other/a.jpg") == image, "\(result)")
    #expect(server.count("/a.jpg") == 3)
    #expect(result["attempts"] as? Int == 2, "\(result)")
  }
}
