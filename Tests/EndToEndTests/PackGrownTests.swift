import TestSupport
import Testing

/// `pack --extend`, `--stats`, and what a slow host holds up.
@Suite("Data sets that grow") struct PackGrownTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for at in 0..<12 { server.serve("/\(at).jpg", TestImages.jpeg(width: 20 + at, height: 10)) }
    try write(0..<7)
  }

  private func write(_ range: Range<Int>) throws {
    try program.folder.write("work/list", range.map { server.url("/\($0).jpg") }.joined(separator: "\n") + "\n")
  }

  private func pack(_ arguments: String...) throws -> Outcome {
    try program.run(["pack", "-i", "list", "-d", "set", "--per-shard", "5"] + arguments)
  }

  @Test("A list that has grown is another one, and with --extend its last shard is made anew")
  func extended() throws {
    #expect(try pack().exitCode == 0)
    let first = program.folder.read("work/set/00000.tar")
    try write(0..<12)
    #expect(try pack().exitCode == 2)
    let before = server.requests.count
    let grown = try pack("--extend")
    #expect(
      grown.exitCode == 0
        && Set(grown.rows.map { $0[0] + $0[1] + " " + $0[2] }) == ["kept00000 5", "made00001 5", "made00002 2"],
      "\(grown)")
    // Two of the second shard's five come from the cache.
    #expect(server.requests.count == before + 5)
    #expect(program.folder.read("work/set/00000.tar") == first)
    #expect(program.folder.files(in: "work/set") == ["00000.tar", "00001.tar", "00002.tar"])
    #expect(try pack().rows.map { $0[0] } == ["kept", "kept", "kept"])
    #expect(try pack("--extend").rows.map { $0[0] } == ["kept", "kept", "kept"])
  }

  @Test("A list that has changed before its end is no grown one")
  func changed() throws {
    #expect(try pack().exitCode == 0)
    try program.folder.write(
      "work/list",
      ((0..<6).map { server.url("/\($0).jpg") } + [server.url("/9.jpg"), server.url("/8.jpg")]).joined(separator: "\n"))
    let before = server.requests.count
    let outcome = try pack("--extend")
    #expect(outcome.exitCode == 2 && server.requests.count == before, "\(outcome)")
    let piped = try program.run(["pack", "-i", "-", "-d", "set", "--extend"], input: "")
    #expect(piped.exitCode == 2, "\(piped)")
  }

  @Test(
    "A list that is shorter than the set is another one, also where a shard ends with it",
    arguments: [[], ["--extend"], ["--shard", "1/2"], ["--shard-by", "host"]])
  func shorter(options: [String]) throws {
    let pack = ["pack", "-i", "list", "-d", "set", "--per-shard", "5"] + options
    try write(0..<12)
    #expect(try program.run(pack).exitCode == 0)
    let (before, files) = (server.requests.count, program.folder.files(in: "work/set"))
    for count in [10, 5, 0] {
      try write(0..<count)
      let outcome = try program.run(pack)
      #expect(outcome.exitCode == 2 && outcome.errorText.contains("another list"), "\(count): \(outcome)")
    }
    #expect(server.requests.count == before && program.folder.files(in: "work/set") == files)
    // The whole list is what it was.
    try write(0..<12)
    #expect(try program.run(pack).exitCode == 0)
  }

  @Test("Counts stand beside each shard, and are made where they are missing, the same ones")
  func statistics() throws {
    server.serve("/3.jpg", .text("<html>"))
    #expect(try pack("--stats").exitCode == 0)
    let made = program.folder.read("work/set/00000.json")
    let text = String(decoding: made ?? [], as: UTF8.self)
    #expect(text.hasPrefix(#"{"shard":"00000","rows":5,"images":4,"failed":1,"bytes":"#), "\(text)")
    #expect(text.contains(#""formats":{"jpeg":4},"kinds":{"not-image 200":1},"consent":{"silent":5}"#), "\(text)")
    try program.folder.remove("work/set/00000.json")
    #expect(try pack("--stats").rows.map { $0[0] } == ["kept", "kept"])
    #expect(program.folder.read("work/set/00000.json") == made)
  }

  @Test("A record without a URL is counted, and no host without a name is")
  func hostlessStatistics() throws {
    try program.folder.write("work/list.jsonl", #"{"url":"\#(server.url("/1.jpg"))"}"# + "\n" + #"{"url":null}"# + "\n")
    let options = ["--list-format", "jsonl", "--max-invalid", "100%", "--stats"]
    #expect(try program.run(["pack", "-i", "list.jsonl", "-d", "set"] + options).exitCode == 0)
    let object = try JSON.object(program.folder.text("work/set/00000.json") ?? "")
    #expect(object["failed"] as? Int == 1, "\(object)")
    #expect((object["hosts"] as? [String: Any])?.keys.sorted() == ["127.0.0.1:\(server.port)"], "\(object)")
  }

  @Test("A host that hangs holds its shard, and not the next ones")
  func slow() throws {
    server.serve("/1.jpg", .nothing)
    try write(0..<12)
    let run = try program.start(["pack", "-i", "list", "-d", "set", "--per-shard", "5", "--cache", "off"])
    let lines = [try run.nextLine(), try run.nextLine()].compactMap { $0?.prefix(10) }
    #expect(Set(lines) == ["made\t00001", "made\t00002"])
    run.send(2)
    #expect(try run.wait().exitCode == 130)
  }

  @Test("A small list is not lost by one passing failure, unless none is allowed")
  func oneFailure() throws {
    let dead = try ListeningSocket(host: "127.0.0.3", listens: false)
    let lines = (0..<7).map { server.url("/\($0).jpg") } + ["http://\(dead.address.authority)/a.jpg"]
    try program.folder.write("work/list", lines.joined(separator: "\n"))
    let small = try program.run(["pack", "-i", "list", "-d", "small", "--retry", "0"])
    #expect(small.exitCode == 0 && small.rows.first?.prefix(4) == ["made", "00000", "7", "1"], "\(small)")
    let none = try program.run(["pack", "-i", "list", "-d", "none", "--retry", "0", "--max-transient", "0%"])
    #expect(none.exitCode == 3, "\(none)")
  }

  @Test(
    "Dead hosts are no outage where others answer, as long as they are a fifth at most",
    arguments: [(4, Int32(0)), (3, 3)])
  func deadHosts(living: Int, exitCode: Int32) throws {
    let dead = try ListeningSocket(host: "127.0.0.3", listens: false)
    let servers = try (0..<living).map { _ in try TestServer() }
    for server in servers { server.serve("/a.jpg", TestImages.jpeg()) }
    let lines =
      servers.flatMap { server in (0..<5).map { server.url("/a.jpg?\($0)") } }
      + (0..<9).map { "http://\(dead.address.authority)/\($0).jpg" }
    for server in servers { server.onOther { _ in .ok(TestImages.jpeg(), type: "image/jpeg") } }
    try program.folder.write("work/list", lines.joined(separator: "\n"))
    let outcome = try program.run(["pack", "-i", "list", "-d", "set", "--retry", "0"])
    #expect(outcome.exitCode == exitCode, "\(outcome)")
  }
}
