import TestSupport
import Testing

/// Names, as a name server of the test's own knows them.
@Suite("Names of hosts", .needs(.nameServer)) struct NameTests {
  private struct Seen: Sendable {
    let outcome: Outcome
    /// The number of times that the name server was asked for each name.
    let questions: [Int]
  }

  /// Fetches an image of each host, in a network of the test's own. The first question for
  /// `once.test` cannot be answered, nor the first one for the IPv4 address of `half.test`.
  private func fetch(_ hosts: [String], proxy: String? = nil, counting names: [String]) throws -> Seen {
    let program = try Program()
    return try OwnNetwork.run {
      let server = try TestServer()
      server.onOther { _ in .ok(TestImages.jpeg(width: 20, height: 10), type: "image/jpeg") }
      let known = ["once.test", "half.test", "there.test", "short.search.test"]
      let resolver = try NameServer(in: program.folder, searching: "search.test") { name, ordinal in
        guard known.contains(name) else { return .absent }
        if name == "half.test", ordinal <= 1 { return .failureForIPv4 }
        return name == "once.test" && ordinal == 1 ? .failure : .address("127.0.0.1")
      }
      defer { resolver.stop() }
      let lines = hosts.enumerated().map { "http://\($1):\(server.port)/\($0).jpg\n" }
      try program.folder.write("work/list", lines.joined())
      let way = proxy.map { ["--proxy", "http://\($0):\(server.port)"] } ?? []
      let outcome = try program.run(["get", "--json", "--ordered", "-d", "out", "-i", "list"] + way)
      return Seen(outcome: outcome, questions: names.map(resolver.count))
    }
  }

  @Test("A passing failure of the name server is retried, and a name that does not exist is asked for once")
  func failures() throws {
    let names = ["once.test", "gone.test", "there.test"]
    let seen = try fetch(names + ["gone.test", "once.test"], counting: names)
    #expect(seen.outcome.exitCode == 3, "\(seen.outcome)")
    let kinds = try seen.outcome.lines.dropLast().map { line in
      (try JSON.object(line)["error"] as? [String: Any])?["kind"] as? String
    }
    #expect(kinds == [nil, "name", nil, "name", nil])
    #expect(seen.questions == [2, 1, 1])
    #expect(seen.outcome.errorText.contains("gone.test"))
    #expect(!seen.outcome.errorText.contains("once.test"))
  }

  @Test("A failure for one kind of address is no proof that there is none")
  func halfFailure() throws {
    let seen = try fetch(["half.test"], counting: ["half.test"])
    #expect(seen.outcome.exitCode == 0, "\(seen.outcome)")
    #expect(seen.questions == [2])
  }

  @Test("A passing failure for the name of a proxy, which looks the other names up itself, is retried")
  func proxy() throws {
    let seen = try fetch(["a.test"], proxy: "once.test", counting: ["once.test", "a.test"])
    #expect(seen.outcome.exitCode == 0, "\(seen.outcome)")
    #expect(seen.questions == [2, 0])
  }

  @Test("Search domains and the machine's own table of hosts hold")
  func local() throws {
    let seen = try fetch(["short", "localhost"], counting: ["short.search.test", "localhost"])
    #expect(seen.outcome.exitCode == 0, "\(seen.outcome)")
    #expect(seen.questions == [1, 0])
  }
}
