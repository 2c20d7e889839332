import TestSupport
import Testing

/// `pack -d URL`: shards that appear in a place.
@Suite("Data sets in places") struct PackPlaceTests {
  let origin: TestServer
  let program: Program

  init() throws {
    origin = try TestServer()
    origin.onOther { request in
      request.path.contains("missing")
        ? .status(404) : .ok(TestImages.jpeg(width: 8 + request.path.utf8.count, height: 8), type: "image/jpeg")
    }
    program = try Program()
    let lines = (0..<25).map { origin.url($0 == 7 ? "/missing.jpg" : "/\($0).jpg") }
    try program.folder.write("work/list.txt", lines.joined(separator: "\n"))
  }

  private func pack(_ place: String, _ more: [String] = [], _ environment: [String: String] = [:]) throws -> Outcome {
    try program.run(
      ["pack", "-i", "list.txt", "--per-shard", "10", "-d", place] + more, environment: environment)
  }

  private static let shards = ["00000.tar", "00001.tar", "00002.tar"]

  /// The shards as a folder has them.
  private func expected() throws -> [[UInt8]?] {
    #expect(try pack("expected").exitCode == 0)
    return Self.shards.map { program.folder.read("work/expected/\($0)") }
  }

  @Test("On a web server: moved to their names where nothing is, and told with their URLs")
  func web() throws {
    let store = try DAVServer()
    let outcome = try pack(store.server.url("/sets/one/"), ["--json"])
    #expect(outcome.exitCode == 0 && !outcome.errorText.contains("imgfetch: "), "\(outcome)")
    let rows = try outcome.lines.map(JSON.object)
    #expect(rows.compactMap { $0["outcome"] as? String } == ["made", "made", "made"])
    #expect(rows.first { $0["shard"] as? String == "00000" }?["failed"] as? Int == 1)
    #expect(
      Set(rows.compactMap { $0["file"] as? String }) == Set(Self.shards.map { store.server.url("/sets/one/\($0)") }))
    #expect(store.names == Self.shards.map { "/sets/one/\($0)" })
    #expect(try Self.shards.map { store["/sets/one/\($0)"] } == expected())
    #expect(store.type(of: "/sets/one/00000.tar") == "application/x-tar")
    #expect(store.server.requests.filter { $0.method == "MOVE" }.allSatisfy { $0["Overwrite"] == "F" })
  }

  @Test("The rows of a place are a report, read without its images, and of one shard by itself")
  func report() throws {
    let (store, bucket) = (try DAVServer(), try S3Server())
    let place = store.server.url("/sets/one")
    #expect(try pack(place).exitCode == 0 && pack("expected").exitCode == 0)
    #expect(try pack("s3://sets/one", [], bucket.environment).exitCode == 0)
    let expected = try program.run("report", "--json", "expected").lines
    #expect(expected.first?.contains(#""rows":25,"#) == true, "\(expected)")
    let requests = store.server.requests.count
    #expect(try program.run("report", "--json", place).lines == expected)
    #expect(store.server.requests[requests...].allSatisfy { $0["Range"] != nil })
    let ofBucket = try program.run(["report", "--json", "s3://sets/one/"], environment: bucket.environment)
    #expect(ofBucket.lines == expected, "\(ofBucket)")
    let one = try program.run("report", "--json", place + "/00001.tar")
    #expect(one.lines.first?.contains(#""rows":10,"#) == true, "\(one)")
    #expect(try program.run("report", "--against", place, "expected").exitCode == 0)
    let page = try program.run("report", "-q", "--html", "page.html", "--pictures", "500", place)
    let text = try #require(Command.text(of: "\(program.work)/page.html"), "\(page)")
    #expect(text.contains("src=\"data:image/jpeg;base64,/9j/") && !text.contains("no picture"), "\(page)")
    let none = try program.run("report", store.server.url("/none"))
    #expect(none.exitCode == 7 && none.errorText.contains("there are no shards in it"), "\(none)")
  }

  @Test("Of two runs with other options that begin at once, one at least sees the other's shard, and ends with 2")
  func atOnce() throws {
    let store = try DAVServer()
    #expect(try pack("other", ["--strict", "--shard", "1/2"]).exitCode == 0)
    let other = program.folder.read("work/other/00000.tar")
    store.answer { request, _ in
      // It appears while this run's first shard does, after both have looked.
      if request.method == "MOVE" { store["/sets/one/00000.tar"] = other }
      return nil
    }
    let outcome = try pack(store.server.url("/sets/one"), ["--shard", "2/2"])
    #expect(outcome.exitCode == 2 && store["/sets/one/00001.tar"] != nil, "\(outcome)")
    #expect(outcome.errorText.contains("00000.tar: this shard is of other options (--strict)"), "\(outcome)")
    #expect(outcome.errorText.contains("00001.tar is of this run"), "\(outcome)")
  }

  @Test("In a bucket: by one conditional PUT each, signed")
  func bucket() throws {
    let store = try S3Server()
    let outcome = try pack("s3://sets/a b/ü", [], store.environment)
    #expect(outcome.exitCode == 0 && store.refusals.isEmpty, "\(outcome) \(store.refusals)")
    #expect(outcome.rows.map { $0[0] } == ["made", "made", "made"])
    #expect(store.names == Self.shards.map { "sets/a b/ü/\($0)" })
    #expect(try Self.shards.map { store["sets/a b/ü/\($0)"] } == expected())
    let puts = store.server.requests.filter { $0.method == "PUT" }
    #expect(puts.count == 3 && puts.allSatisfy { $0["If-None-Match"] == "*" && $0["Content-Length"] != nil })
    #expect(store.field("x-test-type", of: "sets/a b/ü/00000.tar") == "application/x-tar")
  }

  @Test("What is there is passed over, and compared", arguments: ["web", "bucket"])
  func kept(kind: String) throws {
    let (web, bucket) = (try DAVServer(), try S3Server(host: "127.0.0.8"))
    let (place, environment) = kind == "web" ? (web.server.url("/a"), [:]) : ("s3://a", bucket.environment)
    #expect(try pack(place, ["--shard", "2/3"], environment).rows.map { $0[1] } == ["00001"])
    let requests = origin.requests.count
    let second = try pack(place, ["--cache", "off"], environment)
    #expect(second.exitCode == 0 && origin.requests.count == requests + 15, "\(second)")
    #expect(Set(second.rows.map { $0[0] + $0[1] }) == ["made00000", "kept00001", "made00002"])
    let third = try pack(place, ["--cache", "off", "--rows"], environment)
    #expect(third.exitCode == 0 && origin.requests.count == requests + 15)
    #expect(third.lines.count { $0.hasPrefix("{\"record\":") } == 25, "\(third)")
    let other = try pack(place, ["--cache", "off", "--resize", "5x5"], environment)
    #expect(other.exitCode == 2 && other.errorText.contains("00000.tar"), "\(other)")
    #expect(origin.requests.count == requests + 15)
  }

  @Test("A shard of another job that won the race is an error")
  func foreign() throws {
    let store = try DAVServer()
    store.answer { request, _ in
      if request.method == "MOVE" { store["/a/00000.tar"] = Array("not a shard".utf8) }
      return nil
    }
    let outcome = try pack(store.server.url("/a"), ["--shard", "1/3"])
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("/a/00000.tar"), "\(outcome)")
    #expect(store.names == ["/a/00000.tar"])
  }

  @Test(
    "What a place refuses is said, with its URL and what to do, and nothing is left there",
    arguments: [(403, 4, "the account may not"), (405, 4, "dav_methods"), (507, 4, "no room"), (301, 4, "leads to")])
  func refused(status: Int, code: Int32, advice: String) throws {
    let store = try DAVServer()
    store.answer { request, _ in request.method == "PUT" ? .status(status) : nil }
    let outcome = try pack(store.server.url("/a"), ["--shard", "1/3", "--retry", "0"])
    #expect(outcome.exitCode == code && outcome.errorText.contains(advice), "\(outcome)")
    #expect(outcome.errorText.contains(store.server.url("/a/00000.tar")) && outcome.lines.isEmpty)
    #expect(store.names.isEmpty)
  }

  @Test("The temporary of a MOVE that is refused is deleted")
  func refusedMove() throws {
    let store = try DAVServer()
    store.answer { request, _ in request.method == "MOVE" ? .status(403) : nil }
    #expect(try pack(store.server.url("/a"), ["--shard", "1/3"]).exitCode == 4)
    #expect(store.names.isEmpty && store.count("DELETE") == 1)
  }

  @Test("An error of a bucket is told by its code")
  func errorCode() throws {
    let store = try S3Server()
    let wrong = store.environment.merging(["AWS_SECRET_ACCESS_KEY": "falsch"]) { $1 }
    let outcome = try pack("s3://a", ["--shard", "1/3"], wrong)
    #expect(outcome.exitCode == 4 && outcome.errorText.contains("(SignatureDoesNotMatch)"), "\(outcome)")
    #expect(!outcome.errorText.contains("falsch") && store.names.isEmpty && origin.requests.isEmpty)
  }

  @Test("Failed lines of the shards that are there are tried again", arguments: ["web", "bucket"])
  func again(kind: String) throws {
    let (web, bucket) = (try DAVServer(), try S3Server(host: "127.0.0.8"))
    let (place, environment) = kind == "web" ? (web.server.url("/a"), [:]) : ("s3://a", bucket.environment)
    let nothing = try program.run(["pack", "--again", "-d", place], environment: environment)
    #expect(nothing.exitCode == 2 && nothing.errorText.contains("no shards"), "\(nothing)")
    #expect(try pack(place, [], environment).exitCode == 0)
    origin.onOther { _ in .ok(TestImages.png(width: 8, height: 8), type: "image/png") }
    let outcome = try program.run(["pack", "--again", "-d", place], environment: environment)
    #expect(outcome.exitCode == 0 && outcome.rows.map { $0[1] } == ["00000.r1"], "\(outcome)")
    #expect((web.names + bucket.names).contains { $0.hasSuffix("a/00000.r1.tar") })
    #expect(try program.run(["pack", "--again", "-d", place], environment: environment).rows.isEmpty)
  }

  @Test(
    "Shards are not looked for without end where there is a page for every name",
    arguments: [["report"], ["pack", "--again", "-d"]])
  func everyName(command: [String]) throws {
    let server = try TestServer()
    server.onOther { _ in .ok(Array("<p>Welcome</p>".utf8), type: "text/html") }
    let outcome = try program.run(command + [server.url("/sets")])
    #expect(outcome.exitCode == 4 && outcome.errorText.contains("answers for every name"), "\(outcome)")
    #expect(server.requests.count == 2)
  }

  @Test("An interrupt in the middle of an upload leaves nothing in the place")
  func interrupted() throws {
    let store = try DAVServer()
    let gate = Gate()
    store.answer { request, _ in
      guard request.method == "PUT" else { return nil }
      return store.truth(request).held(by: gate)
    }
    let running = try program.start(["pack", "-i", "list.txt", "--per-shard", "10", "-d", store.server.url("/a")])
    try store.server.waitForConcurrent(1)
    // A place that has not yet taken it would do so after the program has had it removed.
    while store.names.isEmpty { try store.server.waitForConcurrent(1) }
    running.send(2)
    let outcome = try running.wait()
    gate.open()
    #expect(outcome.exitCode == 130, "\(outcome)")
    #expect(store.names.isEmpty && store.count("MOVE") == 0, "\(store.names)")
  }

  @Test("A place that takes nothing ends the run, and not the shard only", arguments: [403, 413, 507])
  func refusing(status: Int) throws {
    let store = try DAVServer()
    store.answer { request, _ in request.method == "PUT" ? .status(status) : nil }
    try program.folder.write("work/list.txt", (0..<3000).map { origin.url("/\($0).jpg") }.joined(separator: "\n"))
    let outcome = try pack(store.server.url("/a"))
    #expect(outcome.exitCode == 4, "\(outcome)")
    let failures = outcome.errorText.split(separator: "\n").count { $0.contains("cannot be written") }
    #expect(failures == 1, "\(outcome)")
    #expect(store.count("PUT") <= 2 && origin.requests.count < 2000, "\(store.count("PUT")) \(origin.requests.count)")
  }

}
