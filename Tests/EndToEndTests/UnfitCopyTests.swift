import TestSupport
import Testing

/// A stored image that the demands of this run rule out counts as none, also for a condition: the origin could only
/// say that it is unchanged.
@Suite("Unusable stored images are fetched without a condition") struct UnfitCopyTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.jpeg(width: 40, height: 30)

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  /// One tag for everything: an origin that has repaired a file in its place.
  private func serve(_ bytes: [UInt8]) { server.serve("/a.jpg", Resource(bytes, etag: "\"1\"")) }

  private static let asking = [["--cache", "refresh"], ["--max-age", "0s"], ["--cache", "http"]]

  @Test("A truncated image that was stored unverified, and is complete now", arguments: asking)
  func storedUnseen(_ policy: [String]) throws {
    serve(Array(image.prefix(image.count / 2)))
    _ = try program.run("get", "--verify", "none", server.url("/a.jpg"))
    serve(image)
    let outcome = try program.run(["get"] + policy + [server.url("/a.jpg")])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.last?.values(of: "If-None-Match") == [])
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("The message names the filter that failed", arguments: asking)
  func filtered(_ policy: [String]) throws {
    serve(image)
    _ = try program.run("get", server.url("/a.jpg"))
    let outcome = try program.run(["get", "--min-size", "100x100"] + policy + [server.url("/a.jpg")])
    #expect(outcome.exitCode == 5)
    #expect(outcome.errorText.contains("40x30, smaller than 100x100"), "\(outcome)")
  }

  @Test("A checksum that the stored image does not have, and the new one has", arguments: asking)
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

  @Test("A 304 with another version's tag confirms nothing, and its tag is not stored", arguments: asking)
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
