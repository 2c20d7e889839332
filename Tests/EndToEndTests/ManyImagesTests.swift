import TestSupport
import Testing

/// Long lists with an independent server: how many requests and connections they take.
@Suite("Many images") struct ManyImagesTests {
  private func served(_ count: Int) throws -> (Nginx, Program) {
    let files = try TemporaryFolder()
    for number in 0..<count {
      try files.write("\(number).png", TestImages.png(width: 8, height: 8, seed: UInt64(number)))
    }
    return (try Nginx(serving: files), try Program())
  }

  @Test("Ten lines for each of two hundred URLs make two hundred requests and two thousand outputs")
  func duplicates() throws {
    let (nginx, program) = try served(200)
    var lines: [String] = []
    for number in 0..<2000 { lines.append(nginx.url("/\(number % 200).png")) }
    let outcome = try program.run(
      ["get", "-q", "-i", "-", "-d", "out", "--name", "{index}.{ext}"], input: lines.joined(separator: "\n"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.files(in: "work/out").count == 2000)
    #expect(program.folder.read("work/out/2000.png") == TestImages.png(width: 8, height: 8, seed: 199))
    #expect(try nginx.stop().count == 200)
  }

  @Test("A stored image is found after many that are not, and leaves no part behind")
  func storedBehindMisses() throws {
    let (nginx, program) = try served(60)
    func get(_ numbers: [Int]) throws -> Outcome {
      try program.run(["get", "-j1", "--ordered"] + numbers.map { nginx.url("/\($0).png") })
    }
    #expect(try get([40, 50]).rows.map(\.first) == ["none", "none"])
    let outcome = try get(Array(0..<60))
    let expected = (0..<60).map { $0 == 40 || $0 == 50 ? "disk" : "none" }
    #expect(outcome.rows.map(\.first) == expected, "\(outcome)")
    #expect(try get(Array(0..<60)).rows.allSatisfy { $0.first == "disk" })
    #expect(!program.folder.files(in: "home/.cache").contains { $0.hasSuffix(".part") })
    #expect(try nginx.stop().count == 60)
  }

  @Test("Five hundred images over HTTP/2 use one connection")
  func multiplexed() throws {
    let (nginx, program) = try served(500)
    let lines = (0..<500).map { nginx.secureURL("/\($0).png") }
    let outcome = try program.run(
      ["get", "-q", "-i", "-", "-d", "out", "--cacert", nginx.certificate.authority],
      input: lines.joined(separator: "\n"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    let entries = try nginx.stop()
    #expect(entries.count == 500)
    #expect(entries.allSatisfy { $0.version == "HTTP/2.0" })
    #expect(Set(entries.map(\.connection)).count == 1)
  }

  @Test("Over HTTP/1.1 at most --per-host connections are opened, and all of them reused")
  func keptAlive() throws {
    let (nginx, program) = try served(200)
    let lines = (0..<200).map { nginx.url("/\($0).png") }
    let outcome = try program.run(
      ["get", "-q", "-i", "-", "-d", "out", "--per-host", "3"], input: lines.joined(separator: "\n"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    let entries = try nginx.stop()
    #expect(entries.count == 200)
    #expect(Set(entries.map(\.connection)).count <= 3)
  }

  /// libcurl sends the request again. It has a limit for that, which would count for all requests of the run.
  @Test("A server that closes each connection when it is used again costs no image and no retry")
  func closedAtReuse() throws {
    let server = try TestServer()
    let image = TestServer.Response.ok(TestImages.jpeg(width: 8, height: 8), type: "image/jpeg")
    server.serve("/0.jpg", image)
    for number in 1..<20 { server.serve("/\(number).jpg", inTurn: [.raw(""), image]) }
    let urls = (0..<20).map { server.url("/\($0).jpg") }
    let outcome = try Program().run(["get", "-q", "-j1", "--retry", "0"] + urls)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.connections == 20 && server.requests.count == 39)
  }

  @Test("With -j 1, one image is fetched after another")
  func oneJob() throws {
    let server = try TestServer()
    let program = try Program()
    for number in 0..<20 { server.serve("/\(number).jpg", TestImages.jpeg(width: 8, height: 8, seed: UInt64(number))) }
    let urls = (0..<20).map { server.url("/\($0).jpg") }
    let outcome = try program.run(["get", "-q", "-j1"] + urls)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.maxConcurrent == 1)
    #expect(server.requests.map(\.path) == (0..<20).map { "/\($0).jpg" })
  }
}
