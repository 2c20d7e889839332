import TestSupport
import Testing

/// An untrusted list must not make a machine send requests to its own network.
@Suite("Refused addresses and hosts") struct RefusedAddressTests {
  @Test(
    "No notation of a private address gets past --deny-private",
    arguments: [
      "127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]",
      "169.254.169.254", "100.64.0.1", "10.1.2.3", "[fd00::1]", "[2002:7f00:1::]", "localhost",
    ])
  func denyPrivate(host: String) throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    let outcome = try program.run("get", "--deny-private", "http://\(host):\(server.port)/a.jpg")
    #expect(outcome.exitCode == 8, "\(outcome)")
    #expect(outcome.errorText.contains(host), "\(outcome)")
    #expect(server.connections == 0)
  }

  @Test("Nor does a public name that resolves to one")
  func resolved() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    let outcome = try program.run(
      "get", "--deny-private", "--resolve", "img.example.org:\(server.port):127.0.0.1",
      "http://img.example.org:\(server.port)/a.jpg")
    #expect(outcome.exitCode == 8, "\(outcome)")
    #expect(server.connections == 0)
  }

  @Test("Together with a proxy, which makes the connections itself, it is an error")
  func proxy() throws {
    let outcome = try Program().run("get", "--deny-private", "--proxy", "127.0.0.1:9", "http://example.org/a.jpg")
    #expect(outcome.exitCode == 2, "\(outcome)")
  }

  private struct Seen: Sendable {
    var outcomes: [Outcome] = []
    var asked: [String] = []
  }

  /// In a network in which this machine has a public address: the result of each command, and what a private
  /// server was asked meanwhile.
  private static func inOwnNetwork(
    _ commands: @escaping @Sendable (_ open: TestServer, _ closed: TestServer) -> [[String]]
  ) throws -> Seen {
    try OwnNetwork.run {
      let open = try TestServer(host: OwnNetwork.publicAddress)
      let closed = try TestServer()
      let image = TestImages.jpeg(width: 20, height: 10)
      let second = try TestServer(host: "127.0.0.2")
      for server in [open, closed, second] { server.onOther { _ in .ok(image, type: "image/jpeg") } }
      let maxAge = ("Cache-Control", "max-age=1000")
      open.on("/to-private") { _ in .redirect(to: closed.url("/secret.jpg")).with(maxAge.0, maxAge.1) }
      open.on("/to-public") { _ in .redirect(to: open.url("/b.jpg")) }
      closed.on("/to-public") { _ in .redirect(to: open.url("/c.jpg")) }
      closed.on("/around") { _ in .redirect(to: open.url("/to-private")) }
      closed.on("/to-private") { _ in
        .redirect(to: second.url("/d.jpg"), status: 301).with(maxAge.0, maxAge.1)
      }
      var seen = Seen()
      let program = try Program()
      for arguments in commands(open, closed) { seen.outcomes.append(try program.run(arguments)) }
      seen.asked = closed.requests.map(\.target)
      return seen
    }
  }

  @Test("A public address is allowed with --deny-private", .needs(.network))
  func publicAddress() throws {
    let seen = try Self.inOwnNetwork { open, _ in
      [["get", "--deny-private", open.url("/a.jpg")], ["get", "--deny-private", open.url("/to-public")]]
    }
    for outcome in seen.outcomes { #expect(outcome.exitCode == 0, "\(outcome)") }
  }

  @Test(
    "A redirect from a public to a private address is never followed, whatever was allowed before", .needs(.network))
  func redirects() throws {
    let seen = try Self.inOwnNetwork { open, closed in
      [
        ["get", open.url("/to-private")], ["get", "--deny-private", open.url("/to-private")],
        // Over an open connection.
        ["get", "-j1", "--ordered", closed.url("/first.jpg"), open.url("/to-private")],
        // By way of a private address, and after a retry.
        ["get", closed.url("/around")],
        // With the redirect itself from the cache.
        ["get", "--cache", "http", open.url("/to-private")], ["get", "--cache", "http", open.url("/to-private")],
      ]
    }
    #expect(seen.outcomes.map(\.exitCode) == [8, 8, 8, 8, 8, 8], "\(seen.outcomes)")
    #expect(seen.outcomes[0].errorText.contains("127.0.0.1"), "\(seen.outcomes[0])")
    #expect(!seen.asked.contains("/secret.jpg"))
  }

  @Test("From a private address any redirect may be followed, from the cache as well", .needs(.network))
  func fromPrivate() throws {
    let seen = try Self.inOwnNetwork { _, closed in
      [
        ["get", closed.url("/to-public")], ["get", closed.url("/to-private")],
        ["get", "--cache", "http", closed.url("/to-private")], ["get", "--cache", "http", closed.url("/to-private")],
      ]
    }
    for outcome in seen.outcomes { #expect(outcome.exitCode == 0, "\(outcome)") }
  }

  @Test("A name that becomes a private one's between two requests is refused the second time", .needs(.nameServer))
  func rebinding() throws {
    let program = try Program()
    let seen = try OwnNetwork.run {
      let (open, closed) = (try TestServer(host: OwnNetwork.publicAddress), try TestServer())
      for server in [open, closed] { server.onOther { _ in .ok(TestImages.jpeg(width: 20, height: 10)) } }
      let resolver = try NameServer(in: program.folder, searching: "search.test") { _, ordinal in
        .address(ordinal == 1 ? OwnNetwork.publicAddress : "127.0.0.1")
      }
      defer { resolver.stop() }
      var seen = Seen()
      // Once for the public server, and then for what listens at the same port of the private one.
      for (server, policy) in [(open, "age"), (closed, "refresh"), (closed, "off")] {
        seen.outcomes.append(
          try program.run(
            "get", "--deny-private", "--cache", policy, "-o", "x.jpg", "http://turns.test:\(server.port)/a.jpg"))
      }
      seen.asked = closed.requests.map(\.target)
      return seen
    }
    #expect(seen.outcomes.map(\.exitCode) == [0, 8, 8] && seen.asked.isEmpty, "\(seen.outcomes)")
    #expect(seen.outcomes[1].errorText.contains("127.0.0.1 is not a public one"), "\(seen.outcomes)")
  }

  @Test(
    "A denied address is denied in every spelling of it", arguments: ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "127.1"])
  func spellings(host: String) throws {
    let (server, program) = (try TestServer(), try Program())
    for rule in ["127.*", "127.0.0.1", "[::ffff:127.0.0.1]", "2130706433"] {
      let outcome = try program.run("get", "--deny-host", rule, "http://\(host):\(server.port)/a.jpg")
      #expect(outcome.exitCode == 8 && server.connections == 0, "\(rule) \(outcome)")
    }
  }

  @Test("Host rules apply to the first request and to each redirect")
  func hosts() throws {
    let server = try TestServer()
    let other = try TestServer(host: "127.0.0.2")
    let program = try Program()
    server.serve("/a.jpg", .redirect(to: other.url("/b.jpg")))
    other.serve("/b.jpg", TestImages.jpeg(width: 20, height: 10))
    for rules in [
      ["--deny-host", "127.0.0.2"], ["--allow-host", "127.0.0.1"], ["--deny-host", "*.2", "--allow-host", "*"],
    ] {
      let outcome = try program.run(["get"] + rules + [server.url("/a.jpg")])
      #expect(outcome.exitCode == 8, "\(outcome)")
      #expect(outcome.errorText.contains("the host 127.0.0.2:\(other.port) is"), "\(outcome)")
    }
    let bare = try program.run("get", "--retry", "0", "--deny-host", "*::1", "http://[::1]:9/a.jpg")
    #expect(bare.exitCode == 8, "\(bare)")
    for pattern in ["127.0.0.1,::1", ".test", "a..test", "."] {
      #expect(try program.run("get", "--deny-host", pattern, server.url("/a.jpg")).exitCode == 2)
    }
    for (pattern, host) in [("localhost.", "localhost"), ("LocalHost", "localhost."), ("*.test.", "a.test")] {
      let outcome = try program.run("get", "--retry", "0", "--deny-host", pattern, server.url("/a.jpg", host: host))
      #expect(outcome.exitCode == 8, "\(outcome)")
    }
    #expect(try program.run("get", "--deny-host", "127.0.*", server.url("/a.jpg")).exitCode == 8)
    #expect(server.count("/a.jpg") == 3)
    #expect(other.connections == 0)
    #expect(try program.run("get", "--allow-host", "127.0.0.?", server.url("/a.jpg")).exitCode == 0)
  }

  @Test("The URL that a relative redirect leads to is shown without its dot segments")
  func finalURL() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a/b/c", .redirect(to: "../../d/./e f.jpg?x=../y"))
    server.serve("/d/e%20f.jpg?x=../y", TestImages.jpeg(width: 20, height: 10))
    let outcome = try program.run("get", "--json", "-o", "x.jpg", server.url("/a/b/c"))
    let row = try JSON.object(outcome.lines[0])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(row["final_url"] as? String == server.url("/d/e%20f.jpg?x=../y"), "\(outcome)")
  }

  @Test("Redirects are counted, and one too many is refused")
  func count() throws {
    let server = try TestServer()
    let program = try Program()
    server.on("/loop") { _ in .redirect(to: "/loop") }
    let outcome = try program.run("get", "--max-redirects", "3", server.url("/loop"))
    #expect(outcome.exitCode == 8, "\(outcome)")
    #expect(server.count("/loop") == 4)
    #expect(try program.run("get", "--max-redirects", "0", server.url("/loop")).exitCode == 8)
  }

  @Test("A body of unannounced length ends at --max-bytes")
  func maxBytes() throws {
    let server = try TestServer()
    let program = try Program()
    let image = TestImages.jpeg(bytes: 3_000_000)
    server.serve("/a.jpg", .ok(image, type: "image/jpeg").withoutLength().endless([0]))
    let outcome = try program.run("get", "--max-bytes", "1M", "--retry", "0", server.url("/a.jpg"))
    #expect(outcome.exitCode == 5, "\(outcome)")
    #expect(program.folder.files(in: "work").isEmpty)
  }
}
