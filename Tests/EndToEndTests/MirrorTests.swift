import TestSupport
import Testing

/// Other URLs of the same image, in lists and over runs.
@Suite("Mirrors") struct MirrorTests {
  private let server: TestServer
  private let other: TestServer
  private let program: Program
  private let image = TestImages.jpeg(width: 20, height: 10)

  init() throws {
    server = try TestServer()
    other = try TestServer()
    program = try Program()
    server.serve("/gone.jpg", .status(404))
    server.serve("/busy.jpg", .status(500))
    other.serve("/a.jpg", image)
    other.serve("/page.jpg", TestImages.html())
    other.serve("/gone.jpg", .status(404))
  }

  private func row(_ arguments: String...) throws -> [String: Any] {
    let outcome = try program.run(["get", "--json", "--retry", "0"] + arguments)
    return try JSON.object(try #require(outcome.lines.first, "\(outcome)"))
  }

  @Test("Lines of one URL with different mirrors have each their own", arguments: ["1", "8"])
  func sameURL(jobs: String) throws {
    let url = server.url("/gone.jpg")
    let list = [
      url, "\(url)\tbad.jpg\tmirror=\(other.url("/page.jpg"))", "\(url)\tgood.jpg\tmirror=\(other.url("/a.jpg"))",
    ]
    let outcome = try program.run(
      ["get", "--ordered", "-j", jobs, "-i", "-"], input: list.joined(separator: "\n") + "\n")
    #expect(outcome.rows.last?.first != "failed", "\(outcome)")
    #expect(program.folder.read("work/good.jpg") == image)
  }

  @Test("A mirror is asked where a page comes, whole or compressed", arguments: [false, true])
  func page(isCompressed: Bool) throws {
    let page = TestImages.html()
    server.serve(
      "/page.jpg", isCompressed ? .ok(TestImages.gzipped(page)).with("Content-Encoding", "gzip") : .ok(page))
    let outcome = try program.run("get", "--mirror", other.url("/a.jpg"), "-o", "a.jpg", server.url("/page.jpg"))
    #expect(outcome.exitCode == 0 && program.folder.read("work/a.jpg") == image, "\(outcome)")
  }

  @Test("A mirror's image with another checksum does not become the URL's in the cache", arguments: [false, true])
  func wrongChecksum(isStored: Bool) throws {
    let (url, own) = (server.url("/a.jpg"), TestImages.jpeg(width: 30, height: 10))
    server.serve("/a.jpg", own)
    if isStored { #expect(try program.run("prefetch", url).exitCode == 0) }
    let line = "\(url)\tsha256=\(String(repeating: "0", count: 64))\tmirror=\(other.url("/a.jpg"))\n"
    #expect(try program.run(["get", "-i", "-"], input: line).exitCode == 5 && other.count("/a.jpg") == 1)
    let outcome = try program.run("get", url)
    #expect(outcome.exitCode == 0 && program.folder.read("work/a.jpg") == own, "\(outcome)")
  }

  @Test("A URL that is known to have failed is passed over, and its mirror is asked")
  func knownFailure() throws {
    let url = server.url("/gone.jpg")
    let skipping = ["get", "--skip-failed", "1h"]
    #expect(try program.run(skipping + [url]).exitCode == 4)
    let mirrored = try program.run(skipping + ["--mirror", other.url("/a.jpg"), "-o", "a.jpg", url])
    #expect(mirrored.exitCode == 0 && program.folder.read("work/a.jpg") == image, "\(mirrored)")
    #expect(server.count("/gone.jpg") == 1)
  }

  @Test("A mirror's failure is not remembered as the URL's")
  func rememberedFailure() throws {
    let skipping = ["get", "--retry", "0", "--skip-failed", "1h", server.url("/busy.jpg")]
    #expect(try program.run(skipping + ["--mirror", other.url("/gone.jpg")]).exitCode == 4)
    #expect(try program.run(skipping + ["--mirror", other.url("/a.jpg")]).exitCode == 0)
  }

  @Test("A failure names the mirror that it is of, and may pass if one of them may")
  func failure() throws {
    let row = try row("--mirror", other.url("/gone.jpg"), server.url("/busy.jpg"))
    let error = try #require(row["error"] as? [String: Any])
    let message = try #require(error["message"] as? String)
    #expect(
      message == "\(server.url("/busy.jpg")): mirror \(other.url("/gone.jpg")): the server answered 404 Not Found")
    #expect(error["transient"] as? Bool == true)
    #expect(row["status"] as? Int == 404)
  }

  @Test(
    "A failure may pass if the URL's may, also where a mirror has had a page", arguments: ["age", "http"],
    [["/page.jpg"], ["/page.jpg", "/gone.jpg"]])
  func failureBehindPage(policy: String, mirrors: [String]) throws {
    let options = ["--cache", policy] + mirrors.flatMap { ["--mirror", other.url($0)] }
    for (path, mayPass) in [("/busy.jpg", true), ("/gone.jpg", false)] {
      let outcome = try program.run(["get", "--json", "--retry", "0"] + options + [server.url(path)])
      let row = try JSON.object(try #require(outcome.lines.first, "\(outcome)"))
      let error = try #require(row["error"] as? [String: Any])
      #expect(error["transient"] as? Bool == mayPass, "\(outcome)")
    }
  }

  /// The first word of the row of a run that asks whether the stored image of `url` is still right, and its exit code.
  private func refresh(_ url: String, mirror: String) throws -> String {
    let outcome = try program.run("get", "--retry", "0", "--cache", "refresh", "--mirror", mirror, url)
    return "\(outcome.rows.first?.first ?? "no row") \(outcome.exitCode ?? -1)"
  }

  @Test("A mirror that does not have the image says nothing of the stored one", arguments: ["/gone.jpg", "/page.jpg"])
  func storedFromURL(mirror: String) throws {
    let url = server.url("/a.jpg")
    server.serve("/a.jpg", Resource(image, etag: "\"v1\""))
    _ = try program.run("get", url)
    server.serve("/a.jpg", .status(500))
    #expect(try refresh(url, mirror: other.url(mirror)) == "disk! 0")
    #expect(other.count(mirror) == 1)
    #expect(try program.run("get", "--max-age", "0", "--retry", "0", url).exitCode == 0, "it is not marked as gone")
  }

  @Test(
    "A stored image is gone if its URL has it no more, whatever the failure of a mirror",
    arguments: ["/gone.jpg", "/busy.jpg", "/page.jpg"], [true, false])
  func goneFromURL(mirror: String, isPage: Bool) throws {
    let url = server.url("/a.jpg")
    other.serve("/busy.jpg", .status(500))
    server.serve("/a.jpg", Resource(image, etag: "\"v1\""))
    _ = try program.run("get", url)
    server.serve("/a.jpg", isPage ? .ok(TestImages.html(), type: "text/html") : .status(404))
    #expect(try refresh(url, mirror: other.url(mirror)).hasPrefix("failed"))
    server.serve("/a.jpg", .status(500))
    #expect(try refresh(url, mirror: other.url(mirror)) == (mirror == "/page.jpg" ? "failed 5" : "failed 4"))
    #expect(try program.run("get", "--offline", url).rows.first?.first == "disk!")
  }

  @Test("Of a stored image that a mirror gave, the mirror says whether it is gone")
  func storedFromMirror() throws {
    let (url, mirror) = (server.url("/gone.jpg"), other.url("/a.jpg"))
    #expect(try refresh(url, mirror: mirror) == "none 0")
    other.serve("/a.jpg", .status(500))
    #expect(try refresh(url, mirror: mirror) == "disk! 0")
    other.serve("/a.jpg", .status(404))
    #expect(try refresh(url, mirror: mirror) == "failed 4")
    other.serve("/a.jpg", .status(500))
    #expect(try refresh(url, mirror: mirror) == "failed 4")
  }

  @Test("A stored image that a mirror has redirected to is not gone while that mirror is out of reach")
  func storedFromRedirect() throws {
    let (url, mirror) = (server.url("/gone.jpg"), other.url("/moved.jpg"))
    other.serve("/moved.jpg", .redirect(to: other.url("/a.jpg")))
    #expect(try refresh(url, mirror: mirror) == "none 0")
    other.serve("/a.jpg", .status(500))
    #expect(try refresh(url, mirror: mirror) == "disk! 0")
    #expect(try refresh(url, mirror: mirror) == "disk! 0")
    other.serve("/a.jpg", .status(404))
    #expect(try refresh(url, mirror: mirror) == "failed 4")
    other.serve("/a.jpg", .status(500))
    #expect(try refresh(url, mirror: mirror) == "failed 4", "it is marked as gone")
  }

  @Test("Under HTTP's own rules, too, a URL is not asked by the ETag of another one that gave the image")
  func tagOfAnother() throws {
    let own = TestImages.jpeg(width: 30, height: 10)
    other.serve("/a.jpg", Resource(image, etag: "\"1\"", headers: [("Cache-Control", "max-age=0")]))
    for (path, first) in [
      ("/failed.jpg", TestServer.Response.status(404)), ("/moved.jpg", .redirect(to: other.url("/a.jpg"))),
    ] {
      let url = server.url(path)
      server.serve(path, first)
      #expect(try row("--mirror", other.url("/a.jpg"), url)["final_url"] as? String == other.url("/a.jpg"))
      server.serve(path, Resource(own, etag: "\"1\""))
      let outcome = try program.run("get", "--cache", "http", "-o", "own.jpg", "--overwrite", url)
      #expect(outcome.rows.first?.first == "none", "\(outcome)")
      #expect(program.folder.read("work/own.jpg") == own)
    }
  }

  @Test(
    "Under HTTP's own rules, too, the URL's stored image is better than the failure of a mirror", arguments: [404, 500])
  func staleByHTTP(status: Int) throws {
    let (url, http) = (server.url("/a.jpg"), ["get", "--cache", "http", "--retry", "0"])
    server.serve("/a.jpg", Resource(image, etag: "\"v1\"", headers: [("Cache-Control", "max-age=0")]))
    _ = try program.run(http + [url])
    server.serve("/a.jpg", .status(500))
    other.serve("/gone.jpg", .status(status))
    let outcome = try program.run(http + ["--mirror", other.url("/gone.jpg"), "--json", url])
    let row = try JSON.object(try #require(outcome.lines.first))
    #expect(outcome.exitCode == 0 && row["stale"] as? Bool == true, "\(outcome)")
    #expect(row["final_url"] as? String == url && other.count("/gone.jpg") == 1)
    // The mirror's own is better than that.
    #expect(try program.run(http + ["--mirror", other.url("/a.jpg"), url]).rows.first?.first == "none")
  }
}
