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

  @Test("Over HTTP/2 most of 200 hosts have one connection, however many are open", arguments: ["get", "prefetch"])
  func multiplexed(command: String) throws {
    let nginx = try Nginx(serving: files)
    let output = command == "get" ? ["-d", "out", "--cache", "off"] : []
    // With few places each handshake is over before it has been waited for too long, on a busy machine, too.
    let entries = try fetch(3, of: 200, from: nginx, output + ["-j", "16"], command)
    #expect(entries.count == 600)
    #expect(Set(entries.map(\.host)).count == 200)
    // A handshake is waited for no longer than a second, and on a busy machine some take longer. Without waiting there
    // are 600. `Scripts/bench web` measures what it costs.
    #expect(connections(entries) <= 400, "\(connections(entries)) connections")
  }

  @Test("Over HTTP/1.1 a second connection is rare where many hosts are asked")
  func oneByOne() throws {
    let nginx = try Nginx(serving: files)
    let entries = try fetch(5, of: 40, from: nginx, ["-d", "out", "--cache", "off", "--http1.1"])
    #expect(entries.count == 200 && entries.allSatisfy { $0.version == "HTTP/1.1" })
    // On a busy machine an answer may take longer than a handshake.
    #expect(connections(entries) <= 56, "\(connections(entries)) connections")
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
}
