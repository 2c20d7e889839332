import TestSupport
import Testing

/// A list that names many hosts, over TLS: what it costs is handshakes.
@Suite("Many hosts over TLS") struct ManyHostsTests {
  private let files: TemporaryFolder
  private let program: Program

  init() throws {
    files = try TemporaryFolder()
    program = try Program()
    for number in 0..<5 {
      try files.write("\(number).jpg", TestImages.jpeg(width: 8, height: 8, seed: UInt64(number)))
    }
  }

  /// Fetches so many images of so many hosts in a shuffled order. The answer is what the server has logged.
  private func fetch(_ each: Int, of hosts: Int, from nginx: Nginx, _ options: [String], _ command: String = "get")
    throws
    -> [Nginx.Entry]
  {
    var random = SeededRandom(seed: 7)
    let lines = (0..<hosts).flatMap { host in
      (0..<each).map { nginx.secureURL("/\($0).jpg", host: "h\(host).localhost") }
    }
    try program.folder.write("work/list", lines.shuffled(using: &random).joined(separator: "\n"))
    let outcome = try program.run([command, "-q", "-k", "-i", "list"] + options)
    #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    return try nginx.stop()
  }

  private func connections(_ entries: [Nginx.Entry]) -> Int { Set(entries.map(\.connection)).count }

  @Test("A server that allows few requests a connection gets no more connections than others", arguments: [3, 32])
  func fewStreams(streams: Int) throws {
    let nginx = try Nginx(serving: files, directives: "http2_max_concurrent_streams \(streams);")
    let lines = (0..<300).map { nginx.secureURL("/\($0 % 5).jpg?\($0)") }
    try program.folder.write("work/list", lines.joined(separator: "\n"))
    let outcome = try program.run(["prefetch", "-q", "-k", "-i", "list"])
    #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    let entries = try nginx.stop()
    #expect(entries.count == 300)
    // One more, if the first handshake took longer than a second.
    #expect(connections(entries) <= 7, "\(connections(entries))")
  }

  // The number of connections hangs on how long handshakes and answers take: `Scripts/bench web` measures it, and tests
  // of the admission decide it without a clock.
  @Test("Connections to 200 hosts are used again, over either version of HTTP", arguments: ["get", "prefetch"])
  func manyHosts(command: String) throws {
    for version in ["HTTP/2.0", "HTTP/1.1"] {
      let nginx = try Nginx(serving: files)
      let options = version == "HTTP/1.1" ? ["--http1.1"] : []
      let output = command == "get" ? ["-d", "out \(version.suffix(3))", "--cache", "off"] : ["--cache", "reload"]
      let entries = try fetch(3, of: 200, from: nginx, options + output + ["-j", "16"], command)
      #expect(entries.count == 600 && entries.allSatisfy { $0.version == version })
      #expect(Set(entries.map(\.host)).count == 200)
      #expect(connections(entries) < 600, "\(connections(entries)) connections")
    }
  }

  @Test("A server that closes each connection after twenty requests costs no image and no retry")
  func closedEarly() throws {
    let nginx = try Nginx(serving: files, directives: "keepalive_requests 20;")
    let urls = (0..<300).map { nginx.secureURL("/\($0 % 5).jpg?\($0)") }
    let outcome = try program.run(["get", "-q", "-k", "--cache", "off", "-d", "out", "--retry", "0"] + urls)
    #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    let entries = try nginx.stop()
    #expect(entries.count == 300 && entries.allSatisfy { $0.version == "HTTP/2.0" })
  }

  @Test("A server that closes each connection after two requests holds up nothing", arguments: [2, 3])
  func closedVeryEarly(requests: Int) throws {
    let nginx = try Nginx(serving: files, directives: "keepalive_requests \(requests);")
    for run in 0..<3 {
      let urls = (0..<40).map { nginx.secureURL("/\($0 % 5).jpg?\(run)-\($0)") }
      let outcome = try program.run(["get", "-q", "-k", "--cache", "off", "-d", "out"] + urls)
      #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    }
  }

  @Test("A header that is too large for HTTP/2 costs its own image, and none of the others")
  func largeHeader() throws {
    let fields = (0..<60).map { "add_header X-\($0) \(String(repeating: "v", count: 3000));" }.joined(separator: "\n")
    let nginx = try Nginx(serving: files, directives: "location = /0.jpg {\n\(fields)\n}")
    let urls = (0..<5).map { nginx.secureURL("/\($0).jpg") }
    let outcome = try program.run(["get", "--json", "-k", "--cache", "off", "-d", "out"] + urls)
    #expect(outcome.exitCode == 5, "\(outcome)")
    #expect(program.folder.files(in: "work/out").count == 4)
    #expect(outcome.outputText.contains("\"kind\":\"limit\""), "\(outcome)")
  }

  @Test("A further connection to a host goes on with the TLS session of the one before")
  func sessions() throws {
    let nginx = try Nginx(
      serving: files, directives: "keepalive_requests 1; ssl_protocols TLSv1.2; ssl_session_cache shared:S:1m;")
    let entries = try fetch(5, of: 12, from: nginx, ["-d", "out", "--cache", "off", "--http1.1"])
    #expect(connections(entries) == 60)
    for host in Set(entries.map(\.host)) {
      // The first handshake brings the session, and the others wait for it.
      #expect(entries.count { $0.host == host && !$0.isResumed } == 1, "\(host)")
    }
  }

  @Test("With --order and with one place the lines keep their order, whichever connections are open")
  func order() throws {
    for options in [["--order", "fifo", "-j", "1"], ["-j", "1"]] {
      let nginx = try Nginx(serving: files)
      let urls = (0..<4).flatMap { number in
        ["a", "b", "c"].map { nginx.secureURL("/\(number).jpg", host: "\($0).localhost") }
      }
      let outcome = try program.run(["get", "-q", "-k", "--cache", "off", "-d", "out"] + options + urls)
      #expect(outcome.exitCode == 0, "\(outcome.errorText)")
      let expected = (0..<4).flatMap { number in ["a", "b", "c"].map { "\($0).localhost/\(number).jpg" } }
      #expect(try nginx.stop().map { "\($0.host)\($0.target)" } == expected)
    }
  }

  @Test("With one place a redirect is followed before the next line is requested", arguments: ["age", "off"])
  func redirects(policy: String) throws {
    let server = try TestServer()
    for number in 0..<20 {
      server.serve("/\(number)", .redirect(to: "/way\(number)"))
      server.serve("/way\(number)", .redirect(to: "/\(number).jpg"))
      server.serve("/\(number).jpg", TestImages.jpeg(width: 20, height: 10))
    }
    let outcome = try program.run(
      ["get", "-q", "--cache", policy, "-d", policy, "-j", "1"] + (0..<20).map { server.url("/\($0)") })
    #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    #expect(server.requests.map(\.path) == (0..<20).flatMap { ["/\($0)", "/way\($0)", "/\($0).jpg"] })
  }
}
