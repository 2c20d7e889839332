import TestSupport
import Testing

@Suite("Images in buckets") struct BucketImageTests {
  let store: S3Server
  let program: Program

  init() throws {
    store = try S3Server()
    program = try Program()
  }

  private func run(_ arguments: [String], _ more: [String: String] = [:]) throws -> Outcome {
    try program.run(arguments, environment: store.environment.merging(more) { $1 })
  }

  /// Keys of every character that an operand may have.
  static let keys =
    (0x20..<0x7F).map { "a\(UnicodeScalar(UInt8($0)))b.png" }
    + [
      "ü/€/😀.png", "a%20b%2F%zz.png", "what?versionId=1&x=#top.png", "a/../b/./c//d.png", " x .png", "+.png",
      "~(1)'!*;:@&=+$,.png",
    ]

  @Test("A key of any characters is asked for as it is written, with a signature that a strict server takes")
  func everyKey() throws {
    let image = TestImages.png(width: 8, height: 8)
    for key in Self.keys { store["images/\(key)"] = image }
    let urls = Self.keys.map { "s3://images/\($0)" }
    let outcome = try run(["get", "--json", "-d", "out", "--cache", "off"] + urls)
    #expect(outcome.exitCode == 0 && store.refusals.isEmpty, "\(outcome.errorText) \(store.refusals)")
    let rows = try outcome.lines.dropLast().map(JSON.object)
    #expect(Set(rows.compactMap { $0["url"] as? String }).count == Self.keys.count)
    #expect(rows.allSatisfy { $0["status"] as? Int == 200 })
  }

  @Test("It is an image like any other: in lists, with mirrors, cached, shown, removed")
  func likeAnyOther() throws {
    let image = TestImages.png(width: 8, height: 8)
    store["images/a b.png"] = image
    try program.folder.write(
      "work/list.txt",
      "s3://images/a b.png\tname.png\n\(store.server.url("/no/none.png"))\tmirror=s3://images/a b.png\n")
    let first = try run(["get", "-i", "list.txt", "-d", "out"])
    #expect(first.exitCode == 0, "\(first)")
    #expect(program.folder.read("work/out/name.png") == image && program.folder.read("work/out/none.png") == image)
    let requests = store.server.requests.count
    #expect(try run(["get", "s3://images/a b.png", "-d", "again"]).lines.allSatisfy { $0.hasPrefix("disk") })
    #expect(store.server.requests.count == requests)
    #expect(try run(["show", "-q", "--picture", "blocks", "s3://images/a b.png"]).exitCode == 0)
    try program.folder.write("work/table.jsonl", "{\"url\":\"s3://images/a b.png\"}\n")
    #expect(try run(["pack", "-i", "table.jsonl", "--list-format", "jsonl", "-d", "set"]).exitCode == 0)
    #expect(store.server.requests.count == requests)
    #expect(try run(["cache", "remove", "s3://images/a b.png"]).exitCode == 0)
    #expect(try run(["get", "s3://images/a b.png", "-d", "out"]).lines.allSatisfy { $0.hasPrefix("none") })
  }

  @Test(
    "As a source it is the image itself, and asked for with a signature",
    arguments: ["a b.png", "ü/a%20b.png", "what?x=1&y=,;#top.png"])
  func source(key: String) throws {
    store["images/\(key)"] = TestImages.png(width: 8, height: 8)
    #expect(try run(["find", "s3://images/\(key)"]).lines == ["s3://images/\(key)"])
    let outcome = try run(["get", "--cache", "off", "-d", "out", "--from", "s3://images/\(key)"])
    #expect(outcome.exitCode == 0 && store.refusals.isEmpty, "\(outcome) \(store.refusals)")
  }

  @Test("A table of the user's own may name it, and one from elsewhere may not")
  func inTable() throws {
    store["images/a b.png"] = TestImages.png(width: 8, height: 8)
    let table = "url,caption\nhttp://h.test/b.png,b\ns3://images/a b.png,a\n"
    try program.folder.write("work/table.csv", table)
    #expect(try run(["find", "table.csv"]).lines == ["http://h.test/b.png", "s3://images/a b.png"])
    #expect(try program.run(["find", "-"], input: table, environment: store.environment).lines.count == 2)
    let outcome = try run(["get", "-d", "out", "--from", "table.csv", "--deny-host", "h.test"])
    #expect(outcome.exitCode == 0 && outcome.rows.count == 1 && store.refusals.isEmpty, "\(outcome) \(store.refusals)")
    let server = try TestServer()
    server.serve("/table.csv", Array(table.utf8), type: "text/csv")
    #expect(try run(["find", server.url("/table.csv")]).rows.map { $0[0] } == ["http://h.test/b.png"])
  }

  @Test("The cache commands mean the object that the account may see, and a file that is added is a hit")
  func cacheCommands() throws {
    let (url, own) = ("s3://images/a b.png", "s3://images/own.png")
    store["images/a b.png"] = TestImages.png(width: 8, height: 8)
    #expect(try run(["prefetch", url]).exitCode == 0)
    #expect(try run(["cache", "path", url]).exitCode == 0)
    #expect(try run(["cache", "info", url]).lines.contains("get would\tserve it"))
    #expect(try run(["cache", "info", url], ["AWS_ACCESS_KEY_ID": "other"]).exitCode == 6)
    try program.folder.write("work/own.png", TestImages.png(width: 9, height: 9))
    #expect(try run(["cache", "add", own, "own.png"]).exitCode == 0)
    #expect(try run(["get", "--offline", "-d", "out", own]).exitCode == 0)
    #expect(try run(["cache", "list", own]).lines.count == 1)
    #expect(try run(["cache", "remove", own]).exitCode == 0)
    #expect(try run(["cache", "path", own]).exitCode == 6)
  }

  @Test("Accounts do not share what they may see")
  func accounts() throws {
    store["images/a.png"] = TestImages.png(width: 8, height: 8)
    #expect(try run(["get", "s3://images/a.png"]).exitCode == 0)
    let other = try run(["get", "s3://images/a.png", "-d", "other"], ["AWS_ACCESS_KEY_ID": "other"])
    #expect(other.exitCode == 4 && other.errorText.contains("403"))
  }

  @Test("It is not put into a remote cache, which others read")
  func notShared() throws {
    store["images/a.png"] = TestImages.png(width: 8, height: 8)
    #expect(try run(["get", "s3://images/a.png", "--remote-cache", "s3://cache/x"]).exitCode == 0)
    #expect(store.names == ["images/a.png"] && store.server.requests.count == 1)
  }

  @Test("A redirect takes no signature along, to another host or on the same one")
  func redirects() throws {
    let elsewhere = try TestServer(host: "127.0.0.8")
    elsewhere.serve("/x.png", TestImages.png(width: 8, height: 8), type: "image/png")
    store.answer { request, _ in
      request.path == "/images/a.png" ? TestServer.Response.redirect(to: elsewhere.url("/x.png"), status: 307) : nil
    }
    #expect(try run(["get", "s3://images/a.png"]).exitCode == 0)
    let request = try #require(elsewhere.requests.first)
    #expect(request.headers.allSatisfy { !$0.name.lowercased().hasPrefix("x-amz-") && $0.name != "Authorization" })
    store["private/b.png"] = TestImages.png(width: 8, height: 8)
    store.answer { [store] request, _ in
      request.path == "/images/a.png"
        ? TestServer.Response.redirect(to: store.server.url("/private/b.png"), status: 307) : nil
    }
    #expect(try run(["get", "s3://images/a.png", "--cache", "reload"]).exitCode == 4)
    #expect(store.refusals == ["GET /private/b.png: no Authorization"])
  }

  @Test("Nothing that was printed or stored has a secret in it")
  func secrets() throws {
    store["images/a.png"] = TestImages.png(width: 8, height: 8)
    let outcome = try run(["get", "-vv", "--json", "--json-headers", "s3://images/a.png", "s3://images/none.png"])
    #expect(outcome.exitCode == 4)
    for secret in [store.account.secretKey, "Signature="] {
      #expect(!outcome.errorText.contains(secret) && !outcome.outputText.contains(secret))
      for file in program.folder.files(in: "home/.cache/imgfetch/v1") {
        let bytes = program.folder.read("home/.cache/imgfetch/v1/\(file)") ?? []
        #expect(!String(decoding: bytes, as: UTF8.self).contains(secret))
      }
    }
  }

  @Test("Keys that were typed into the URL are in no message")
  func keysInURL() throws {
    let outcome = try run(["get", "s3://KEY:SECRET@images/a.png"])
    #expect(outcome.exitCode == 8 && outcome.errorText.contains("s3://***@images"), "\(outcome)")
    #expect(!outcome.errorText.contains("SECRET") && !outcome.outputText.contains("SECRET"))
  }

  @Test("A failed line of a data set keeps a mirror with a space in its name")
  func mirrorOnceMore() throws {
    let server = try TestServer()
    try program.folder.write("work/list.txt", server.url("/gone.png") + "\tmirror=s3://images/a b.png")
    #expect(try run(["pack", "-i", "list.txt", "-d", "set"]).exitCode == 0)
    store["images/a b.png"] = TestImages.png(width: 8, height: 8)
    let outcome = try run(["pack", "--again", "-d", "set"])
    #expect(outcome.rows.map { Array($0[0...3]) } == [["made", "00000.r1", "1", "0"]], "\(outcome)")
  }

  @Test("A mistake in the account fails the image with what to do, and no other")
  func mistake() throws {
    let server = try TestServer()
    server.serve("/a.png", TestImages.png(width: 8, height: 8), type: "image/png")
    let outcome = try run(["get", "s3://images/b.png", server.url("/a.png")], ["AWS_PROFILE": "missing"])
    #expect(outcome.exitCode == 8 && outcome.errorText.contains("AWS_PROFILE"), "\(outcome)")
    #expect(program.folder.read("work/a.png") != nil)
  }

  @Test("A data set stops at it, before a shard is made", arguments: [true, false])
  func mistakeInDataSet(isMissing: Bool) throws {
    let server = try TestServer()
    server.serve("/a.png", TestImages.png(width: 8, height: 8), type: "image/png")
    try program.folder.write("work/list.txt", "s3://images/b.png\n" + server.url("/a.png") + "\n")
    // A folder is a file that cannot be read, also by root.
    let more = isMissing ? ["AWS_PROFILE": "missing"] : ["AWS_CONFIG_FILE": program.folder.path("work")]
    let variables = isMissing ? [:] : ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": "work"]
    let outcome = try run(["pack", "-i", "list.txt", "-d", "set", "--per-shard", "1"], more.merging(variables) { $1 })
    #expect(outcome.exitCode == (isMissing ? 2 : 7), "\(outcome)")
    #expect(program.folder.files(in: "work/set").filter { $0.hasSuffix(".tar") }.isEmpty)
  }

  @Test("What the store says is told")
  func code() throws {
    store.answer { _, _ in .text("<Error><Code>AccessDenied</Code></Error>", status: 403) }
    let outcome = try run(["get", "s3://images/b.png"])
    #expect(outcome.exitCode == 4 && outcome.errorText.contains("(AccessDenied)"), "\(outcome)")
  }
}
