import TestSupport
import Testing

/// `-i URL`: lists that are downloaded.
@Suite("Lists at URLs") struct RemoteListTests {
  let server: TestServer
  let lists: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    server.onOther { request in
      .ok(TestImages.jpeg(width: 8 + request.path.utf8.count, height: 8), type: "image/jpeg")
    }
    lists = try TestServer(host: "127.0.0.7")
    program = try Program()
  }

  private func text(_ range: Range<Int>) -> [UInt8] {
    Array(range.map { "\(server.url("/\($0).jpg"))\n" }.joined().utf8)
  }

  private func get(_ arguments: String...) throws -> Outcome {
    try program.run(["get", "-d", "out", "--json"] + arguments)
  }

  @Test("It is read like a file, after the operands and with other lists, and asked for once")
  func plain() throws {
    lists.serve("/list.txt", text(0..<30) + Array("# a comment\nno URL\n".utf8), type: "text/plain")
    try program.folder.write("work/more.txt", server.url("/more.jpg"))
    let outcome = try get(server.url("/first.jpg"), "-i", lists.url("/list.txt?x=1"), "-i", "more.txt")
    #expect(outcome.lines.count == 34 && outcome.errorText.contains("/list.txt?x=1:32"), "\(outcome)")
    #expect(program.folder.files(in: "work/out").count == 32)
    #expect(lists.requests.count == 1 && lists.requests[0]["Accept"] == "*/*")
    let summary = try #require(try JSON.object(outcome.lines[33])["summary"] as? [String: Any])
    #expect(summary["complete"] as? Bool == true && summary["lines"] as? Int == 33 && summary["total"] as? Int == 33)
  }

  @Test("A line is fetched when it has come, while the list is still on its way")
  func stream() throws {
    let gate = Gate()
    let first = text(0..<1)
    lists.serve("/list.txt", .ok(first + text(1..<3), type: "text/plain").stallAfter(first.count, until: gate))
    let running = try program.start(["get", "-d", "out", "-i", lists.url("/list.txt")])
    try server.waitForRequests("/0.jpg", 1)
    gate.open()
    #expect(try running.wait().exitCode == 0)
    #expect(program.folder.files(in: "work/out").count == 3)
  }

  @Test(
    "A list that breaks off is told: what came is fetched, but no half line, and the run fails",
    arguments: [true, false])
  func brokenOff(isCertain: Bool) throws {
    let all = text(0..<50)
    let part = text(0..<20).count + 5
    let answer = TestServer.Response.ok(all, type: "text/plain").cutAfter(part)
    lists.serve("/list.txt", isCertain ? answer : answer.chunked([1000]))
    let outcome = try get("-i", lists.url("/list.txt"), "--retry", "0")
    #expect(outcome.exitCode == 3, "\(outcome)")
    #expect(outcome.errorText.contains("\(lists.url("/list.txt")): the list cannot be read"))
    #expect(server.requests.count == 20 && outcome.lines.count == 21, "\(outcome)")
    let summary = try #require(try JSON.object(outcome.lines[20])["summary"] as? [String: Any])
    #expect(summary["complete"] as? Bool == false)
  }

  @Test(
    "What breaks off is gone on with: by a range, or from the beginning if that is the same", arguments: [true, false])
  func continued(hasValidator: Bool) throws {
    let all = text(0..<50)
    let resource = Resource(all, type: "text/plain", etag: hasValidator ? "\"1\"" : nil)
    lists.on("/list.txt") { request in
      request.ordinal == 1 ? resource.answer(request).cutAfter(700) : resource.answer(request)
    }
    let outcome = try get("-i", lists.url("/list.txt"))
    #expect(outcome.exitCode == 0 && server.requests.count == 50, "\(outcome)")
    #expect((lists.requests.last?["Range"] != nil) == hasValidator)
  }

  @Test("A list that is another one when it is asked for again is no list")
  func changed() throws {
    let (one, two) = (text(0..<50), text(100..<150))
    lists.on("/list.txt") { $0.ordinal == 1 ? .ok(one, type: "text/plain").cutAfter(700) : .ok(two) }
    let outcome = try get("-i", lists.url("/list.txt"))
    #expect(outcome.exitCode == 3 && outcome.errorText.contains("is another one now"), "\(outcome)")
    #expect(server.requests.allSatisfy { $0.path.utf8.count < 8 })
  }

  @Test("What cannot be had is an error with its URL and its own exit code", arguments: [(404, 4), (503, 4), (301, 8)])
  func missing(status: Int, code: Int32) throws {
    lists.serve("/list.txt", .status(status))
    let outcome = try get("-i", lists.url("/list.txt"), "--retry", "0")
    #expect(outcome.exitCode == code && outcome.errorText.contains("\(lists.url("/list.txt")): "), "\(outcome)")
    #expect(server.requests.isEmpty)
  }

  @Test("It may be in a bucket; a mistake in the account is exit code 2, before anything is asked for")
  func bucket() throws {
    let store = try S3Server(host: "127.0.0.8")
    store["lists/a b.txt"] = text(0..<3)
    let arguments = ["get", "-d", "out", "-i", "s3://lists/a b.txt"]
    #expect(try program.run(arguments, environment: store.environment).exitCode == 0)
    #expect(store.refusals.isEmpty && server.requests.count == 3)
    let wrong = try program.run(arguments, environment: store.environment.merging(["AWS_PROFILE": "none"]) { $1 })
    #expect(wrong.exitCode == 2 && wrong.errorText.contains("AWS_PROFILE"), "\(wrong)")
    #expect(server.requests.count == 3)
  }

  @Test("It is the run's first URL for credentials, unless it brings its own, which appear nowhere")
  func credentials() throws {
    lists.serve("/list.txt", text(0..<1), type: "text/plain")
    #expect(try get("-u", "me:geheim", "-i", lists.url("/list.txt")).exitCode == 0)
    #expect(lists.requests[0]["Authorization"] != nil && server.requests[0]["Authorization"] == nil)
    let own = lists.url("/list.txt").replacing("http://", with: "http://you:verborgen@")
    let outcome = try get("-vv", "-u", "me:geheim", "-i", own, "--cache", "reload")
    #expect(outcome.exitCode == 0)
    #expect(lists.requests[1]["Authorization"] != lists.requests[0]["Authorization"])
    #expect(server.requests[1]["Authorization"] == lists.requests[0]["Authorization"])
    #expect(!outcome.errorText.contains("verborgen") && !outcome.outputText.contains("verborgen"))
  }

  @Test("Rules for images and their hosts are not its own")
  func exempt() throws {
    lists.serve("/list.txt", text(0..<3), type: "text/plain")
    let outcome = try get("--allow-host", "127.0.0.1", "--max-bytes", "1K", "-j", "1", "-i", lists.url("/list.txt"))
    #expect(outcome.exitCode == 0 && server.requests.count == 3, "\(outcome)")
  }

  @Test("A data set can be made of it, in each format; a list that breaks off leaves its last shard unmade")
  func dataSet() throws {
    let table = ["url,caption"] + (0..<25).map { "\(server.url("/\($0).jpg")),\"a \($0)\nb\"" }
    let bytes = Array(table.joined(separator: "\n").utf8)
    lists.serve("/list.csv", inTurn: [.ok(bytes).cutAfter(bytes.count - 30), .ok(bytes)])
    func pack() throws -> Outcome {
      try program.run([
        "pack", "--list-format", "csv", "-i", lists.url("/list.csv"), "-d", "set", "--per-shard", "10", "--retry", "0",
      ])
    }
    let broken = try pack()
    #expect(broken.exitCode == 3 && broken.rows.map { $0[1] }.sorted() == ["00000", "00001"], "\(broken)")
    let whole = try pack()
    #expect(whole.exitCode == 0 && whole.rows.map { $0[0] }.sorted() == ["kept", "kept", "made"], "\(whole)")
    let tar = try Command(
      Command.find("tar"), ["-xOf", program.folder.path("work/set/00002.tar"), "000000000024.txt"]
    ).run()
    #expect(tar.outputText == "a 24\nb")
  }

  @Test(
    "A list that is longer than --max-list, as it comes or unpacked, ends the run with exit code 5",
    arguments: [true, false])
  func tooLong(isPacked: Bool) throws {
    let lines = text(0..<2) + (0..<40_000).flatMap { _ in Array("# and so on\n".utf8) }
    var gzip = try Command(Command.find("gzip"), ["-c"])
    gzip.input = .bytes(lines)
    lists.serve("/list.txt", isPacked ? try gzip.run().output : lines, type: "text/plain")
    let outcome = try get("--max-list", "100K", "-i", lists.url("/list.txt"))
    #expect(outcome.exitCode == 5 && outcome.errorText.contains("--max-list allows more"), "\(outcome)")
    #expect(try get("--max-list", "0", "-i", lists.url("/list.txt")).exitCode == 0)
  }

  @Test("Other schemes are a mistake, and so is a list that may not be asked for")
  func mistakes() throws {
    #expect(try get("-i", "ftp://example.org/list.txt").exitCode == 2)
    #expect(try get("-i", lists.url("/list.txt"), "--offline").exitCode == 2)
    #expect(lists.requests.isEmpty)
  }
}
