import TestSupport
import Testing

/// The effects of the network options on requests.
@Suite("Network options") struct NetworkOptionTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  /// The only request that a run makes.
  private func request(_ arguments: [String], environment: [String: String] = [:]) throws -> TestServer.Request {
    let outcome = try program.run(
      ["get", "--cache", "off"] + arguments + [server.url("/a.jpg")], environment: environment)
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
    return try #require(server.requests.last)
  }

  @Test("The default request names the program and asks for images without a coding")
  func standard() throws {
    let request = try request([])
    #expect(request.values(of: "User-Agent").map { $0.hasPrefix("imgfetch/") } == [true])
    #expect(request.values(of: "Accept") == ["image/*,*/*;q=0.8"])
    #expect(request["Accept-Encoding"] == nil && request["Referer"] == nil && request["Cookie"] == nil)
  }

  @Test("-H adds, replaces, removes and empties fields; -A and --referer set theirs")
  func fields() throws {
    let request = try request([
      "-H", "X-One: 1", "--header=X-One: 2", "-H", "Accept: image/png", "-H", "X-Empty;", "-A", "me/1.0",
      "--referer", "https://example.org/page",
    ])
    #expect(request.values(of: "X-One") == ["1", "2"])
    #expect(request.values(of: "Accept") == ["image/png"])
    #expect(request.values(of: "X-Empty") == [""])
    #expect(request.values(of: "User-Agent") == ["me/1.0"])
    #expect(request.values(of: "Referer") == ["https://example.org/page"])
    let both = try self.request(["--referer", "https://a.test/", "-A", "a", "-H", "referer: b", "-H", "User-Agent: b"])
    #expect(both.values(of: "Referer") == ["b"] && both.values(of: "User-Agent") == ["b"])
    for (given, sent) in [
      ("https://me:geheim@example.org/page?a=1#top", "https://example.org/page?a=1"), ("app://x/#y", "app://x/#y"),
      ("me:geheim@example.org/page", "https://example.org/page"), ("word", "word"),
      ("app://me:geheim@x/a@b", "app://x/a@b"), ("ftp://me:ge@heim@x", "ftp://x"),
    ] {
      #expect(try self.request(["--referer", given]).values(of: "Referer") == [sent])
    }
    let bare = try self.request(["-H", "User-Agent:", "-H", "Accept:"])
    #expect(bare["User-Agent"] == nil && bare["Accept"] == nil)
  }

  @Test("A line break in a field is an error, and nothing is sent")
  func brokenField() throws {
    let outcome = try program.run("get", "-H", "X: 1\r\nY: 2", server.url("/a.jpg"))
    #expect(outcome.exitCode == 2 && server.requests.isEmpty, "\(outcome)")
  }

  @Test("A proxy and an origin are asked for what was typed, in turn over the same handles")
  func targets() throws {
    let (proxy, other) = (try TestServer(), try TestServer())
    for server in [proxy, server, other] { server.onOther { _ in .ok(TestImages.jpeg(width: 9, height: 9)) } }
    let paths = ["/a?", "/b?c", "/d/%2e%C3%A4?", "/e", "/f?g=?", "/h??"]
    let urls = paths.flatMap { [server.url($0), other.url($0)] }
    let plain = try program.run(["get", "-j", "1", "--cache", "off", "-d", "plain"] + urls)
    #expect(plain.exitCode == 0 && server.requests.map(\.target) == paths, "\(plain)")
    #expect(other.requests.map(\.target) == paths)
    let at = "http://127.0.0.1:\(proxy.port)"
    let proxied = try program.run(["get", "-j", "1", "--cache", "off", "--proxy", at, "-d", "proxied"] + urls)
    #expect(proxied.exitCode == 0 && proxy.requests.map(\.target) == urls, "\(proxied)")
  }

  @Test(
    "A proxy that is busy is asked again, and one that refuses is not",
    arguments: [(502, 2), (503, 2), (403, 1), (407, 1)])
  func refusingProxy(status: Int, attempts: Int) throws {
    let proxy = try TestServer()
    proxy.onOther { _ in .status(status).with("Retry-After", "0") }
    for (url, exitCode) in [("https://localhost:1/a.jpg", 3), ("http://localhost:1/a.jpg", 4)] as [(String, Int32)] {
      let outcome = try program.run(
        "get", "--json", "--retry", "1", "--proxy", "http://127.0.0.1:\(proxy.port)", url)
      let row = try JSON.object(outcome.lines[0])
      #expect(outcome.exitCode == exitCode && row["attempts"] as? Int == attempts, "\(outcome)")
      #expect((row["error"] as? [String: Any])?["transient"] as? Bool == (attempts == 2), "\(outcome)")
      if status == 407 {
        #expect(outcome.errorText.contains("proxy") && outcome.errorText.contains("407"), "\(outcome)")
      }
    }
  }

  @Test("--proxy and the usual variables set a proxy; --no-proxy and no_proxy bypass it")
  func proxy() throws {
    let proxy = try TestServer()
    let url = server.url("/a.jpg")
    proxy.serve(url, TestImages.jpeg(width: 20, height: 10))
    let at = "http://127.0.0.1:\(proxy.port)"
    func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> [Int] {
      let outcome = try program.run(["get", "--cache", "off"] + arguments + [url], environment: environment)
      #expect(outcome.exitCode == 0, "\(outcome)")
      return [proxy.requests.count, server.requests.count]
    }
    #expect(try run(["--proxy", at]) == [1, 0])
    #expect(try run([], ["http_proxy": at]) == [2, 0])
    #expect(try run([], ["all_proxy": at]) == [3, 0])
    #expect(try run([], ["IMGFETCH_PROXY": at]) == [4, 0])
    #expect(try run(["--no-proxy"], ["http_proxy": at]) == [4, 1])
    #expect(try run([], ["http_proxy": at, "no_proxy": "127.0.0.1"]) == [4, 2])
    // As with curl, since a web server passes a client's Proxy field to its scripts under this name.
    #expect(try run([], ["HTTP_PROXY": at]) == [4, 3])
  }

  @Test("--resolve maps a name to an address, for its port only")
  func resolve() throws {
    let url = server.url("/a.jpg", host: "pictures.example")
    let outcome = try program.run("get", "--resolve", "pictures.example:\(server.port):127.0.0.1", url)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.last?["Host"] == "pictures.example:\(server.port)")
    let other = try program.run("get", "--retry", "0", "--resolve", "pictures.example:1:127.0.0.1", url)
    #expect(other.exitCode == 3, "\(other)")
  }

  @Test("--resolve takes an address in each spelling that URLs may have", arguments: ["127.1", "0x7f.0.0.1", "[::1]"])
  func resolveSpelling(address: String) throws {
    let server = try TestServer(host: address == "[::1]" ? "::1" : "127.0.0.1")
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    let outcome = try program.run(
      "get", "--resolve", "pictures.example:\(server.port):\(address)",
      "http://pictures.example:\(server.port)/a.jpg")
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test("--cacert holds for a proxy that is reached over TLS, which messages name")
  func secureProxy() throws {
    let files = try TemporaryFolder()
    let image = TestImages.jpeg(width: 20, height: 10)
    try files.write("a.jpg", image)
    let nginx = try Nginx(serving: files)
    let place = nginx.secureURL("", host: "localhost")
    let arguments = ["get", "-o", "x.jpg", "--proxy", place, "http://pictures.test/a.jpg"]
    let distrusting = try program.run(arguments)
    #expect(distrusting.exitCode == 3, "\(distrusting)")
    let name = String(place.dropFirst("https://".count))
    #expect(distrusting.errorText.contains("the secure connection to the proxy \(name) failed"), "\(distrusting)")
    #expect(distrusting.errorText.contains("--cacert"), "\(distrusting)")
    let trusting = try program.run(arguments + ["--cacert", nginx.certificate.authority])
    #expect(trusting.exitCode == 0 && program.folder.read("work/x.jpg") == image, "\(trusting)")
  }

  @Test("A proxy with a wrong port is an error, and one of a scheme that is not known is named as such")
  func wrongProxy() throws {
    for proxy in ["http://127.0.0.1:99999", "127.0.0.1:0", "socks5://[::1]:x", "http://a:b@127.0.0.1:80x/"] {
      let outcome = try program.run("get", "--proxy", proxy, server.url("/a.jpg"))
      #expect(outcome.exitCode == 2, "\(outcome)")
    }
    let outcome = try program.run(
      ["get", "--json", server.url("/a.jpg")], environment: ["http_proxy": "gopher://me:pw@127.0.0.1:70"])
    let row = try JSON.object(outcome.lines[0])
    #expect(outcome.exitCode == 3 && row["attempts"] as? Int == 1, "\(outcome)")
    #expect(outcome.errorText.contains("has a scheme that is none of http, https"), "\(outcome)")
    #expect(outcome.errorText.contains("http_proxy") && !outcome.errorText.contains("pw"), "\(outcome)")
    #expect(server.requests.isEmpty)
  }

  @Test("--resolve takes a name as URLs have it, in Unicode too")
  func resolveUnicode() throws {
    let line = "Bücher.test:\(server.port):127.0.0.1"
    for host in ["bücher.test", "xn--bcher-kva.test"] {
      let outcome = try program.run(
        "get", "--retry", "0", "--resolve", line, "-o", "x", server.url("/a.jpg", host: host))
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    #expect(server.requests.last?["Host"] == "xn--bcher-kva.test:\(server.port)")
  }

  @Test(
    "A redirect from https to http is refused unless --allow-downgrade is given, and not served to a run without it")
  func downgrade() throws {
    let files = try TemporaryFolder()
    let nginx = try Nginx(serving: files, directives: "location /a.jpg { return 302 \(server.url("/a.jpg")); }")
    let arguments = ["get", "--cacert", nginx.certificate.authority, "-o", "x.jpg", nginx.secureURL("/a.jpg")]
    let strict = try program.run(arguments)
    #expect(strict.exitCode == 8 && strict.errorText.contains("--allow-downgrade"), "\(strict)")
    let lenient = try program.run(arguments + ["--allow-downgrade"])
    #expect(lenient.exitCode == 0 && server.requests.count == 1, "\(lenient)")
    let again = try program.run(arguments + ["--allow-downgrade"])
    #expect(again.rows.first?.first == "disk", "\(again)")
    #expect(try program.run(arguments).exitCode == 8)
  }

  @Test("--cert and --key are shown to the origin of the first URL and to no other, and salt its keys")
  func certificate() throws {
    func wanting() throws -> Nginx {
      let files = try TemporaryFolder()
      try files.write("a.jpg", TestImages.jpeg(width: 20, height: 10))
      return try Nginx(
        serving: files,
        directives: "ssl_verify_client optional_no_ca; if ($ssl_client_verify = NONE) { return 403; }")
    }
    let (home, other) = (try wanting(), try wanting())
    let both = [home, other].map { Command.text(of: $0.certificate.authority) ?? "" }.joined()
    try program.folder.write("work/ca.pem", both)
    func get(_ options: [String], _ urls: [String]) throws -> Outcome {
      try program.run(["get", "--cacert", "ca.pem", "-d", "out"] + options + urls)
    }
    let identity = ["--cert", home.certificate.certificate, "--key", home.certificate.key]
    #expect(try get([], [home.secureURL("/a.jpg")]).exitCode == 4)
    let outcome = try get(identity, [home.secureURL("/a.jpg"), other.secureURL("/a.jpg")])
    #expect(outcome.exitCode == 4 && outcome.lines.count { $0.hasPrefix("none\t") } == 1, "\(outcome)")
    #expect(outcome.errorText.contains("403") && outcome.errorText.contains("and to no other"), "\(outcome)")
    #expect(try get(identity, [home.secureURL("/a.jpg")]).rows.first?.first == "disk")
    #expect(try get([], [home.secureURL("/a.jpg")]).exitCode == 4)
    #expect(try get(["--cert", "no"], [home.secureURL("/a.jpg")]).exitCode == 7)
    #expect(try get(["--key", "ca.pem"], [home.secureURL("/a.jpg")]).exitCode == 2)
  }

  @Test("An address of the other family is refused with the option that does so")
  func literal() throws {
    let outcome = try program.run("get", "-6", server.url("/a.jpg"))
    #expect(outcome.exitCode == 3, "\(outcome)")
    #expect(outcome.errorText.contains("its address is one of IPv4, and only IPv6 is used (-6)"), "\(outcome)")
  }

  @Test("-4 and -6 select a name's addresses, and the last one counts")
  func addressFamily() throws {
    let six = try TestServer(host: "::1")
    six.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    func run(_ options: String..., to port: UInt16) throws {
      _ = try program.run(
        ["get", "--cache", "off", "--retry", "0"] + options + ["http://localhost:\(port)/a.jpg"])
    }
    try run("-4", to: six.port)
    try run("-6", to: server.port)
    try run("-6", "-4", to: six.port)
    #expect(six.requests.isEmpty && server.requests.isEmpty)
    try run("-6", to: six.port)
    try run("-46", to: six.port)
    try run("-4", to: server.port)
    #expect(six.requests.count == 2 && server.requests.count == 1)
  }

  @Test("TLS: HTTP/2 unless --http1.1, and only with the authority's certificate or -k")
  func secure() throws {
    let files = try TemporaryFolder()
    try files.write("a.jpg", TestImages.jpeg(width: 20, height: 10))
    let nginx = try Nginx(serving: files)
    func run(_ arguments: [String], _ url: String? = nil) throws -> Outcome {
      try program.run(["get", "--cache", "off", "--retry", "0"] + arguments + [url ?? nginx.secureURL("/a.jpg")])
    }
    let trusted = ["--cacert", nginx.certificate.authority]
    #expect(try run(trusted).exitCode == 0)
    #expect(try run(trusted + ["--http1.1"]).exitCode == 0)
    #expect(try run(["-k"]).exitCode == 0)
    #expect(try nginx.requests(atLeast: 3).map(\.version) == ["HTTP/2.0", "HTTP/1.1", "HTTP/2.0"])

    let stranger = try run([])
    #expect(stranger.exitCode == 3 && stranger.errorText.contains("certificate"), "\(stranger)")
    // The certificate is for localhost and 127.0.0.1.
    let name = nginx.secureURL("/a.jpg", host: "other.example")
    let port = nginx.secureAddress.port
    let misnamed = try run(trusted + ["--resolve", "other.example:\(port):127.0.0.1"], name)
    #expect(misnamed.exitCode == 3, "\(misnamed)")
    let missing = try run(["--cacert", program.folder.path("nothing.pem")])
    #expect(missing.exitCode != 0 && missing.errorText.contains("nothing.pem"), "\(missing)")
  }

  @Test(
    "Rate limits change when images arrive, not whether",
    arguments: [["--limit-rate", "10M"], ["--rate", "1000/s"]])
  func rates(arguments: [String]) throws {
    let urls = (1...20).map { server.url("/a.jpg?\($0)") }
    let outcome = try program.run(["get", "-q", "-d", "out"] + arguments + urls)
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
    #expect(server.count("/a.jpg") == 20)
    let wrong = try program.run(["get", arguments[0], "fast", server.url("/a.jpg")])
    #expect(wrong.exitCode == 2 && wrong.errorText.contains(arguments[0]), "\(wrong)")
  }
}
