import TestSupport
import Testing

/// Results of transforms, cached beside their images.
@Suite("Transformed images in the cache") struct DerivedCacheTests {
  private let server: TestServer
  private let program: Program
  private let options = ["get", "--cache-derived", "--resize", "50x", "--convert", "png"]

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  private func entries() throws -> String? { try program.run("cache", "size", "--exact").rows.first?.last }

  /// An image whose entry is read in pieces, so that damage is noticed only when it is read.
  private func large(seed: UInt64 = 1) -> [UInt8] {
    TestImages.jpeg(width: 200, height: 100, seed: seed) { $0.padding = 400_000 }
  }

  @Test("The second run uses the cached result without reading or decoding the image")
  func found() throws {
    server.serve("/a.jpg", large(), type: "image/jpeg")
    let url = server.url("/a.jpg")
    let first = try program.run(options + [url])
    #expect(first.exitCode == 0, "\(first)")
    #expect(first.rows.first.map { Array($0[0...2]) } == ["none", "image/png", "50x25"])
    #expect(try entries() == "2")
    let result = try #require(program.folder.read("work/a.png"))

    let path = try #require(try program.run("cache", "path", url).lines.first)
    var stored = try #require(Command.contents(of: path))
    stored[200_000] ^= 1
    try Command.overwrite(path, with: stored)
    let second = try program.run(options + ["-o", "again.png", "-v", url])
    #expect(second.exitCode == 0, "\(second)")
    #expect(second.rows.first.map { Array($0[0...3]) } == ["disk", "image/png", "50x25", "\(result.count)"])
    #expect(program.folder.read("work/again.png") == result)
    #expect(second.errorText.contains("what is to be made of it is on disk"), "\(second)")
    #expect(server.count("/a.jpg") == 1)
    // A run that makes another result notices the damage and fetches the image again.
    let other = try program.run(["get", "--resize", "40x", url])
    #expect(other.rows.first.map { Array($0[0...2]) } == ["none", "image/jpeg", "40x20"], "\(other)")
    #expect(server.count("/a.jpg") == 2)
  }

  @Test("A new image at the origin makes a new result, and the old one is no longer used")
  func replaced() throws {
    server.serve("/a.jpg", Resource(large(), type: "image/jpeg", etag: "\"1\""))
    let url = server.url("/a.jpg")
    _ = try program.run(options + [url])
    let old = try #require(program.folder.read("work/a.png"))
    server.serve("/a.jpg", Resource(large(seed: 2), type: "image/jpeg", etag: "\"2\""))
    #expect(try program.run(options + ["--cache", "refresh", url]).rows.first?.first == "none")
    let new = try #require(program.folder.read("work/a.png"))
    #expect(new != old)
    #expect(try program.run(options + ["--offline", url]).rows.first?.first == "disk")
    #expect(program.folder.read("work/a.png") == new)
    #expect(try entries() == "2")
  }

  @Test("An image in which there is nothing to change is cached once, and has no source in any run")
  func unchanged() throws {
    let image = TestImages.jpeg(width: 20, height: 10)
    server.serve("/a.jpg", image, type: "image/jpeg")
    for kind in ["none", "disk"] {
      let outcome = try program.run("get", "--json", "--cache-derived", "--convert", "jpeg", server.url("/a.jpg"))
      let row = try JSON.object(try #require(outcome.lines.first))
      #expect(row["cache"] as? String == kind && row["source"] is JSON.Null, "\(outcome)")
      #expect(program.folder.read("work/a.jpg") == image)
      #expect(try entries() == "1")
    }
  }

  @Test("The demands of a run apply to the image, not to its cached results")
  func demands() throws {
    server.serve("/a.jpg", large(), type: "image/jpeg")
    let url = server.url("/a.jpg")
    _ = try program.run(options + [url])
    let sum = String(repeating: "00", count: 32)
    for demand in [
      ["--min-size", "300x300"], ["--max-pixels", "100"], ["--max-bytes", "1K"], ["--only-format", "png"],
    ] {
      let outcome = try program.run(options + ["--offline"] + demand + [url])
      #expect(outcome.exitCode == 6, "\(demand): \(outcome)")
    }
    let checked = try program.run(options + ["--offline", "-i", "-"], input: "\(url)\tanother\tsha256=\(sum)\n")
    #expect(checked.exitCode == 5, "\(checked)")
  }

  @Test("When the image has expired, the origin is asked, and its answer counts")
  func age() throws {
    server.serve("/a.jpg", inTurn: [.ok(large(), type: "image/jpeg").with("ETag", "\"1\""), .status(404)])
    let url = server.url("/a.jpg")
    _ = try program.run(options + [url])
    let outcome = try program.run(options + ["--max-age", "0s", url])
    #expect(outcome.exitCode == 4, "\(outcome)")
  }

  @Test("The cache commands show results as derived entries")
  func commands() throws {
    server.serve("/a.jpg", large(), type: "image/jpeg")
    let url = server.url("/a.jpg")
    _ = try program.run(options + [url])
    #expect(try program.run("cache", "verify").exitCode == 0)
    let rows = try program.run("cache", "list").rows
    #expect(rows.map(\.first) == [url, url])
    #expect(Set(rows.map { $0[4] }) == ["image/jpeg", "image/png"])
    let objects = try program.run("cache", "list", "--json").lines.map { try JSON.object($0) }
    #expect(objects.first { $0["derived"] as? Bool == true }?["mime"] as? String == "image/png")
    #expect(objects.first { $0["derived"] as? Bool == false }?["mime"] as? String == "image/jpeg")
    // Keys are URLs to be fetched again, each once.
    #expect(try program.run("cache", "list", "--print0").outputText == url + "\0")
    let path = try #require(try program.run("cache", "path", url).lines.first)
    try Command.setTimes(of: path, daysAgo: 9)
    #expect(try program.run("cache", "clean", "--max-age", "7d").rows.map(\.first) == ["2", "0"])
    _ = try program.run(options + ["--overwrite", url])
    #expect(try program.run("cache", "remove", url).rows.first?.first == "2")
    #expect(try entries() == "0")
  }

  @Test("Two outputs of one image need one download and one transform")
  func twice() throws {
    server.serve("/a.jpg", large(), type: "image/jpeg")
    let url = server.url("/a.jpg")
    let outcome = try program.run(
      ["get", "--resize", "50x", "-i", "-"], input: "\(url)\tone\n\(url)\ttwo\n")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.read("work/one.jpg") == program.folder.read("work/two.jpg"))
    #expect(server.count("/a.jpg") == 1)
    #expect(try entries() == "1")
  }

  @Test("A cache that cannot be written costs the cache, not the image")
  func unwritable() throws {
    server.serve("/a.jpg", large(), type: "image/jpeg")
    let url = server.url("/a.jpg")
    let tier = program.folder.path("tier")
    _ = try program.run("prefetch", "--cache-dir", tier, url)
    let file = try program.folder.write("file", [1])
    let outcome = try program.run(options + ["--cache-dir", file + "/cache", "--read-only-cache", tier, url])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.read("work/a.png") != nil)
  }
}
