import Glibc
import TestSupport
import Testing

/// `get --unique`, `inspect --duplicates` and `--same`: each picture once.
@Suite("Each picture once") struct UniqueTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    server.serve("/b.jpg", TestImages.jpeg(width: 30, height: 10))
    server.serve("/copy.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  private func rows(_ outcome: Outcome) throws -> [[String: Any]] {
    try outcome.lines.dropLast().map { try JSON.object($0) }
  }

  @Test(
    "An image that the run has delivered is not delivered again, and its row names the first", arguments: ["1", "6"])
  func bytes(_ jobs: String) throws {
    let list = ["/a.jpg", "/b.jpg", "/none.jpg", "/copy.jpg", "/a.jpg"].map { server.url($0) + "\n" }.joined()
    let outcome = try program.run(
      ["get", "--json", "-j", jobs, "--retry", "0", "--unique", "bytes", "-d", "out", "-i", "-"], input: list)
    #expect(outcome.exitCode == 4, "\(outcome)")
    let rows = try rows(outcome)
    #expect(rows.map { $0["line"] as? Int } == [1, 2, 3, 4, 5])
    #expect(rows.map { $0["duplicate_of"] as? String } == [nil, nil, nil, server.url("/a.jpg"), server.url("/a.jpg")])
    #expect(rows[3]["output"] is JSON.Null && rows[3]["error"] is JSON.Null)
    #expect(Command.names(in: "\(program.work)/out").sorted() == ["a.jpg", "b.jpg"])
  }

  @Test(
    "A misspelt rule is an error of the command line, and nothing is fetched",
    arguments: [["--unique", "lokos"], ["--unique", "byte"], ["--unique=lokos"], ["--prune", "al"]])
  func misspelt(_ rule: [String]) throws {
    let outcome = try program.run(["get", "-d", "out"] + rule + [server.url("/a.jpg"), server.url("/b.jpg")])
    #expect(outcome.exitCode == 2 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errorText.contains("; did you mean "), "\(outcome)")
    #expect(server.count("/a.jpg") == 0 && Command.names(in: "\(program.work)/out").isEmpty)
  }

  @Test("The earliest line stays, however late its image comes, and the others need no temporary folder meanwhile")
  func order() throws {
    let gate = Gate()
    server.serve("/late.jpg", .ok(TestImages.jpeg(width: 20, height: 10), type: "image/jpeg").held(by: gate))
    let urls = ["/late.jpg", "/copy.jpg", "/b.jpg"].map { server.url($0) }
    let running = try program.start(
      ["get", "--unique", "bytes", "-d", "out"] + urls, environment: ["TMPDIR": "/proc"])
    try server.waitForRequests("/b.jpg", 1)
    gate.open()
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(Command.names(in: "\(program.work)/out").sorted() == ["b.jpg", "late.jpg"])
  }

  @Test("Of a run whose first image fails the second one stays")
  func failed() throws {
    let outcome = try program.run(
      "get", "--unique", "bytes", "--retry", "0", "-d", "out", server.url("/none.jpg"), server.url("/a.jpg"),
      server.url("/copy.jpg"))
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(Command.names(in: "\(program.work)/out") == ["a.jpg"])
  }

  @Test("A data set has each picture of a shard once, in the list's order: the same bytes make the same shard")
  func shards() throws {
    let list = ["/a.jpg", "/copy.jpg", "/none.jpg", "/b.jpg", "/a.jpg?2"].map { server.url($0) + "\n" }.joined()
    server.serve("/a.jpg?2", TestImages.jpeg(width: 20, height: 10))
    for (folder, jobs) in [("one", "1"), ("many", "9")] {
      let outcome = try program.run(
        ["pack", "--retry", "0", "--unique", "bytes", "-j", jobs, "--cache", "off", "-d", folder, "-i", "-"],
        input: list)
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    let shard = try #require(Command.contents(of: "\(program.work)/one/00000.tar"))
    #expect(shard == Command.contents(of: "\(program.work)/many/00000.tar"))
    func member(_ name: String) throws -> Outcome {
      try Command(Command.find("tar"), ["-xOf", "\(program.work)/one/00000.tar", name]).run()
    }
    let names = try Command(Command.find("tar"), ["-tf", "\(program.work)/one/00000.tar"]).run().lines
    #expect(names.filter { $0.hasSuffix(".jpg") } == ["000000000000.jpg", "000000000003.jpg"], "\(names)")
    let rows = try member("__imgfetch__/failed").lines.map { try JSON.object($0) }
    #expect(rows.map { $0["record"] as? String } == ["000000000001", "000000000002", "000000000004"])
    #expect(rows.map { $0["duplicate_of"] as? String } == ["000000000000", nil, "000000000000"])
    #expect(rows.map { $0["error"] != nil } == [false, true, false])
    // What failed is tried again, and what another image stands for is not.
    server.serve("/none.jpg", TestImages.jpeg(width: 9, height: 9))
    let again = try program.run(
      ["pack", "--json", "--again", "--unique", "bytes", "--cache", "off", "-d", "one"])
    #expect(try JSON.object(again.lines[0])["images"] as? Int == 1, "\(again)")
  }

  @Test("A duplicate of a data set is no failure, in each number that is told of it")
  func numbers() throws {
    let list = ["/a.jpg", "/copy.jpg", "/none.jpg", "/b.jpg"].map { server.url($0) + "\n" }.joined()
    let pack = ["pack", "--retry", "0", "--unique", "bytes", "-d", "set", "--stats", "-i", "-"]
    let made = try program.run(pack + ["--json"], input: list)
    let shard = try JSON.object(made.lines[0])
    func counts(_ object: [String: Any]) -> [Int?] {
      ["rows", "images", "failed", "duplicates"].map { object[$0] as? Int }
    }
    #expect(made.exitCode == 0 && counts(shard) == [4, 2, 1, 1], "\(made)")
    let failures = shard["failures"] as? [[String: Any]]
    #expect(failures?.map { $0["count"] as? Int } == [1], "\(made)")
    let summary = try JSON.object(made.lines[1])["summary"] as? [String: Any]
    #expect(summary?["failed"] as? Int == 1, "\(made)")
    let end = try Command(
      Command.find("tar"), ["-xOf", "\(program.work)/set/00000.tar", "__imgfetch__/end"]
    ).run()
    let counted = try JSON.object(end.lines[0])
    #expect(counts(counted) == [4, 2, 1, 1], "\(end)")
    let statistics = try #require(Command.contents(of: "\(program.work)/set/00000.json"))
    let text = try JSON.object(String(decoding: statistics, as: UTF8.self))
    #expect(counts(text) == [4, 2, 1, 1], "\(text)")
    let kept = try program.run(pack, input: list)
    #expect(kept.rows.first?.prefix(4) == ["kept", "00000", "2", "1"], "\(kept)")
  }

  @Test("inspect groups files with the same bytes, and compares two of them")
  func inspect() throws {
    try program.folder.write("work/pics/a.jpg", TestImages.jpeg(width: 20, height: 10))
    try program.folder.write("work/pics/b.png", TestImages.png(width: 6, height: 4))
    try program.folder.write("work/pics/c.jpg", TestImages.jpeg(width: 20, height: 10))
    let groups = try program.run("inspect", "-r", "pics", "--duplicates", "bytes")
    #expect(groups.exitCode == 0 && groups.rows.map { $0[3] } == ["pics/a.jpg", "pics/c.jpg"], "\(groups)")
    let object = try JSON.object(try program.run("inspect", "-r", "pics", "--duplicates", "--json").lines[0])
    let images = (object["images"] as? [[String: Any]])?.map { $0["url"] as? String }
    #expect(images == ["pics/a.jpg", "pics/c.jpg"], "\(object)")
    try #require(link(program.folder.path("work/pics/b.png"), program.folder.path("work/pics/hard.png")) == 0)
    for more in [["pics"], ["pics/a.jpg", "./pics/b.png"]] {
      let twice = try program.run(["inspect", "-r", "pics", "--duplicates", "bytes"] + more)
      #expect(twice.rows.map { $0[3] } == ["pics/a.jpg", "pics/c.jpg"], "\(twice)")
    }
    #expect(try program.run("inspect", "pics/a.jpg", "pics/c.jpg", "--same").exitCode == 0)
    #expect(try program.run("inspect", "pics/a.jpg", "pics/b.png", "--same", "looks").exitCode == 5)
    #expect(try program.run("inspect", "pics/a.jpg", "--same", "bytes").exitCode == 2)
  }

  @Test("The same picture, smaller and in another format, looks the same; another one does not")
  func looks() throws {
    try program.folder.write("work/a.png", Self.picture(1))
    try program.folder.write("work/other.png", Self.picture(5))
    server.serve("/a.png", try #require(Command.contents(of: "\(program.work)/a.png")))
    let small = try program.run("get", "--resize", "120x", "--convert", "jpeg", "-o", "small.jpg", server.url("/a.png"))
    #expect(small.exitCode == 0, "\(small)")
    #expect(try program.run("inspect", "a.png", "small.jpg", "--same", "looks").exitCode == 0)
    #expect(try program.run("inspect", "a.png", "other.png", "--same", "looks").exitCode == 5)
    let groups = try program.run(
      "inspect", "a.png", "other.png", "small.jpg", "--duplicates", "looks", "--keep", "largest")
    #expect(groups.rows.map { $0[3] } == ["a.png", "small.jpg"], "\(groups)")
  }

  /// A picture of soft waves, other ones for each number.
  private static func picture(_ number: Int) -> [UInt8] {
    var rows: [UInt8] = []
    for y in 0..<160 {
      rows.append(0)
      for x in 0..<240 {
        let wave = (x * number * 3 + y * 2) / 3 % 200
        let value = UInt8(wave < 100 ? 50 + wave : 250 - wave)
        rows += [value, UInt8(truncatingIfNeeded: y + 40), UInt8(truncatingIfNeeded: x)]
      }
    }
    return TestImages.pngSignature
      + TestImages.pngChunk("IHDR", TestImages.pngHeader(width: 240, height: 160, depth: 8, colourType: 2))
      + TestImages.pngChunk("IDAT", TestImages.deflated(rows)) + TestImages.pngChunk("IEND", [])
  }
}
