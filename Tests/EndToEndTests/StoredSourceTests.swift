import TestSupport
import Testing

/// An image that a lenient run has stored must not reach a strict run through the cache.
@Suite("Address and host rules apply to the cache") struct StoredSourceTests {
  private let image = TestImages.jpeg(width: 20, height: 10)

  private func served() throws -> (TestServer, TestServer, Program) {
    let (server, other) = (try TestServer(), try TestServer(host: "127.0.0.2"))
    server.serve("/a.jpg", .ok(image, type: "image/jpeg").with("Cache-Control", "max-age=1000"))
    server.serve("/b.jpg", .redirect(to: other.url("/b")))
    other.serve("/b", .redirect(to: server.url("/a.jpg")))
    return (server, other, try Program())
  }

  @Test(
    "--deny-private delivers nothing that came from a private address", arguments: ["age", "http", "refresh", "only"])
  func denyPrivate(policy: String) throws {
    let (server, _, program) = try served()
    let url = server.url("/a.jpg")
    #expect(try program.run("prefetch", "--cache", policy == "only" ? "age" : policy, url).exitCode == 0)
    let strict = try program.run("get", "--cache", policy, "--deny-private", url)
    #expect(strict.exitCode == 8, "\(strict)")
    #expect(program.folder.files(in: "work").isEmpty)
    #expect(server.requests.count == 1)
    #expect(try program.run("get", "--cache", "only", url).exitCode == 0)
  }

  @Test("--deny-host and --allow-host apply to each host that a stored image came through")
  func hosts() throws {
    let (server, other, program) = try served()
    let url = server.url("/b.jpg")
    #expect(try program.run("prefetch", url).exitCode == 0)
    let count = server.requests.count
    for rules in [["--deny-host", "127.0.0.2"], ["--allow-host", "127.0.0.1"], ["--deny-host", "127.0.0.1"]] {
      let strict = try program.run(["get", "--offline"] + rules + [url])
      #expect(strict.exitCode == 8, "\(strict)")
      #expect(strict.errorText.contains("the host 127.0.0."))
    }
    #expect(program.folder.files(in: "work").isEmpty)
    #expect(try program.run("get", "--deny-host", "127.0.0.2", url).exitCode == 8)
    #expect(server.requests.count == count + 1 && other.requests.count == 1)
    #expect(try program.run("get", "--allow-host", "127.0.0.*", url).rows.first?.first == "disk")
  }

  @Test(
    "For an image that came through a proxy this is unknown, and it is revalidated under the rules", .needs(.network))
  func proxy() throws {
    let seen = try OwnNetwork.run { [image] in
      let server = try TestServer(host: OwnNetwork.publicAddress)
      server.onOther { Resource(image, etag: "\"1\"").answer($0) }
      let program = try Program()
      let url = server.url("/a.jpg")
      return try [
        ["prefetch", "--proxy", server.url(""), url], ["get", "--offline", "--deny-private", url],
        ["get", "--deny-private", url], ["get", "--offline", "--deny-private", url],
      ].map { try program.run($0) }
    }
    #expect(seen.map(\.exitCode) == [0, 6, 0, 0], "\(seen)")
    #expect(seen[1].errorText.contains("not known"))
    #expect(seen[2].rows.first?.first == "disk=")
    #expect(seen[3].rows.first?.first == "disk")
  }
}
