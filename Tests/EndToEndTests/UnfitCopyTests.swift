import TestSupport
import Testing

/// A stored image that this run's demands rule out counts as none: also where the origin is to be asked, which could only say that
/// it is still the same.
@Suite("Stored images that do not do are asked for plainly") struct UnfitCopyTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.jpeg(width: 40, height: 30)

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  /// One tag for whatever is served: an origin that has mended a file in its place.
  private func serve(_ bytes: [UInt8]) { server.serve("/a.jpg", Resource(bytes, etag: "\"1\"")) }

  private static let asking = [["--cache", "refresh"], ["--max-age", "0s"], ["--cache", "http"]]

  @Test("Half an image that was stored unseen, and is whole by now", arguments: asking)
  func storedUnseen(_ policy: [String]) throws {
    serve(Array(image.prefix(image.count / 2)))
    _ = try program.run("get", "--verify", "none", server.url("/a.jpg"))
    serve(image)
    let outcome = try program.run(["get"] + policy + [server.url("/a.jpg")])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.last?.values(of: "If-None-Match") == [])
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("A filter's true reason is told", arguments: asking)
  func filtered(_ policy: [String]) throws {
    serve(image)
    _ = try program.run("get", server.url("/a.jpg"))
    let outcome = try program.run(["get", "--min-size", "100x100"] + policy + [server.url("/a.jpg")])
    #expect(outcome.exitCode == 5)
    #expect(outcome.errorText.contains("40x30, smaller than 100x100"), "\(outcome)")
  }

  @Test("A checksum that the stored image has not, and a new one has", arguments: asking)
  func checksum(_ policy: [String]) throws {
    serve(TestImages.jpeg(width: 8, height: 8))
    _ = try program.run("get", server.url("/a.jpg"))
    serve(image)
    let known = try #require(
      try program.run("get", "--cache", "off", "--json", "--checksum", server.url("/a.jpg")).lines.first)
    let sum = try #require(try JSON.object(known)["sha256"] as? String)
    let outcome = try program.run(
      ["get", "-i", "-"] + policy, input: "\(server.url("/a.jpg"))\tb.jpg\tsha256=\(sum)\n")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.read("work/b.jpg") == image)
  }

  @Test("A 304 that names another version confirms nothing, and its tag is not taken over", arguments: asking)
  func otherVersion(_ policy: [String]) throws {
    server.serve(
      "/a.jpg",
      inTurn: [
        .ok(TestImages.jpeg(width: 8, height: 8), type: "image/jpeg").with("ETag", "\"v1\""),
        .status(304).with("ETag", "\"v2\""), .ok(image, type: "image/jpeg").with("ETag", "\"v2\""),
      ])
    _ = try program.run("get", server.url("/a.jpg"))
    let outcome = try program.run(["get", "--json"] + policy + [server.url("/a.jpg")])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.map { $0.values(of: "If-None-Match") } == [[], ["\"v1\""], []])
    #expect(program.folder.read("work/a.jpg") == image, "\(outcome)")
    #expect(try JSON.object(try #require(outcome.lines.first))["attempts"] as? Int == 2, "\(outcome)")
  }
}
