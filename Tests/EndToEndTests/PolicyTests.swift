import TestSupport
import Testing

@Suite("Cache policies") struct PolicyTests {
  @Test("Offline delivers stored images and refuses others")
  func offline() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    let missing = try program.run("get", "--offline", server.url("/a.jpg"))
    #expect(missing.exitCode == 6)
    #expect(missing.errorText.contains(server.url("/a.jpg")))
    #expect(server.requests.isEmpty)
    _ = try program.run("get", server.url("/a.jpg"))
    #expect(try program.run("get", "--offline", server.url("/a.jpg")).rows.first?.first == "disk")
    #expect(server.count("/a.jpg") == 1)
  }

  @Test("Reload fetches in every run, once for the duplicates in it")
  func reload() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", Resource(TestImages.jpeg(width: 20, height: 10), etag: "\"v1\""))
    for run in 1...2 {
      let outcome = try program.run("get", "--cache", "reload", "-j1", server.url("/a.jpg"), server.url("/a.jpg"))
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(server.count("/a.jpg") == run)
    }
    #expect(server.requests.allSatisfy { $0.values(of: "If-None-Match").isEmpty })
  }

  @Test("Off always fetches and stores nothing")
  func off() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    for _ in 0..<2 {
      #expect(try program.run("get", "--cache", "off", server.url("/a.jpg")).rows.first?.first == "none")
    }
    #expect(server.count("/a.jpg") == 2)
    #expect(try program.run("get", "--offline", server.url("/a.jpg")).exitCode == 6)
  }

  @Test("An image past its age is revalidated, and a 304 serves the stored one")
  func revalidation() throws {
    let server = try TestServer()
    let program = try Program()
    let image = TestImages.jpeg(width: 20, height: 10)
    server.serve("/a.jpg", Resource(image, etag: "\"v1\""))
    _ = try program.run("get", server.url("/a.jpg"))
    let outcome = try program.run("get", "--max-age", "0s", server.url("/a.jpg"))
    #expect(outcome.rows.first?.first == "disk=", "\(outcome)")
    #expect(server.requests.last?.values(of: "If-None-Match") == ["\"v1\""])
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("Only the URL that gave an ETag is asked by it: others may have the same for another image")
  func otherETags() throws {
    let (server, other, program) = (try TestServer(), try TestServer(), try Program())
    let (here, there) = (TestImages.jpeg(width: 20, height: 10), TestImages.jpeg(width: 9, height: 9))
    other.serve("/m.jpg", Resource(there, etag: "\"1\""))
    let resource = Resource(here, etag: "\"1\"")
    server.on("/a.jpg") { $0.ordinal == 1 ? .status(503) : resource.answer($0) }
    server.on("/r.jpg") { $0.ordinal < 3 ? .redirect(to: other.url("/m.jpg")) : resource.answer($0) }

    let mirrored = try program.run(
      "get", "--retry", "0", "--mirror", other.url("/m.jpg"), server.url("/a.jpg"))
    #expect(mirrored.exitCode == 0 && program.folder.read("work/a.jpg") == there, "\(mirrored)")
    let again = try program.run("get", "--max-age", "0s", server.url("/a.jpg"))
    #expect(again.rows.first?.first == "none" && program.folder.read("work/a.jpg") == here, "\(again)")

    _ = try program.run("get", server.url("/r.jpg"))
    let confirmed = try program.run("get", "--cache", "refresh", server.url("/r.jpg"))
    #expect(confirmed.rows.first?.first == "disk=" && program.folder.read("work/r.jpg") == there, "\(confirmed)")
    #expect(other.requests.map { $0.values(of: "If-None-Match") } == [[], [], ["\"1\""]])
    let moved = try program.run("get", "--cache", "refresh", server.url("/r.jpg"))
    #expect(moved.rows.first?.first == "none" && program.folder.read("work/r.jpg") == here, "\(moved)")
    #expect(server.requests.allSatisfy { $0.values(of: "If-None-Match").isEmpty })
  }

  @Test("Signed URLs of one image are asked by what it was stored with", arguments: [true, false])
  func signedURLs(isKeyGiven: Bool) throws {
    let (server, program) = (try TestServer(), try Program())
    server.serve("/a.jpg", Resource(TestImages.jpeg(width: 20, height: 10), etag: "\"1\""))
    let key = isKeyGiven ? ["--cache-key", "cat"] : ["--key-ignore-param", "token"]
    _ = try program.run(["get"] + key + [server.url("/a.jpg?token=1")])
    let again = try program.run(["get", "--cache", "refresh"] + key + [server.url("/a.jpg?token=2")])
    #expect(again.rows.first?.first == "disk=", "\(again)")
  }

  @Test("If the origin is unreachable, the stored image is served as stale, unless --no-stale is given")
  func stale() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", inTurn: [.ok(TestImages.jpeg(width: 20, height: 10)).with("ETag", "\"v1\""), .status(500)])
    _ = try program.run("get", server.url("/a.jpg"))
    let served = try program.run("get", "--max-age", "0s", "--retry", "0", server.url("/a.jpg"))
    #expect(served.exitCode == 0)
    #expect(served.rows.first?.first == "disk!", "\(served)")
    #expect(served.errorText.contains("500"))
    let refused = try program.run("get", "--max-age", "0s", "--retry", "0", "--no-stale", server.url("/a.jpg"))
    #expect(refused.exitCode == 4, "\(refused)")
  }

  @Test(
    "The warning about a stale image names the image, also if the target of a redirect fails",
    arguments: ["refresh", "http"])
  func staleBehindRedirect(policy: String) throws {
    let (server, program) = (try TestServer(), try Program())
    let (url, target) = (server.url("/r.jpg"), server.url("/a.jpg"))
    server.serve("/r.jpg", .redirect(to: target))
    server.serve("/a.jpg", inTurn: [.ok(TestImages.jpeg(width: 20, height: 10)).with("ETag", "\"v1\""), .status(500)])
    #expect(try program.run("get", "--cache", policy, url).exitCode == 0)
    let served = try program.run("get", "-q", "--retry", "0", "--cache", policy, url)
    let cause = "\(url): redirected to \(target): the server answered 500"
    #expect(served.exitCode == 0 && served.errorText.hasPrefix("imgfetch: warning: \(cause)"), "\(served)")
  }

  @Test("Clear empties the cache; size shows it before and after")
  func clear() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    _ = try program.run("get", server.url("/a.jpg"))
    let full = try program.run("cache", "size").rows.first ?? []
    #expect(full.last == "1")
    #expect((Int(full.first ?? "") ?? 0) > 0)
    #expect(try program.run("cache", "clear").exitCode == 0)
    #expect(try program.run("cache", "size").outputText == "0\t0\n")
    #expect(try program.run("get", "--offline", server.url("/a.jpg")).exitCode == 6)
  }

  @Test("The path of an entry is that of a file which begins with the image")
  func path() throws {
    let server = try TestServer()
    let program = try Program()
    let image = TestImages.jpeg(width: 20, height: 10)
    server.serve("/a.jpg", image)
    let before = try program.run("cache", "path", server.url("/a.jpg"))
    #expect(before.exitCode == 6)
    _ = try program.run("get", server.url("/a.jpg"))
    let path = try #require(try program.run("cache", "path", server.url("/a.jpg")).lines.first)
    #expect(Command.contents(of: path)?.starts(with: image) == true)
  }
}
