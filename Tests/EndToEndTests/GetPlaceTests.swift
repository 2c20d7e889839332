import Foundation
import TestSupport
import Testing

/// `get -d URL`: images that are put into a place.
@Suite("Images into places") struct GetPlaceTests {
  let origin: TestServer
  let program: Program
  let web: DAVServer
  let bucket: S3Server

  init() throws {
    origin = try TestServer()
    origin.onOther { request in
      .ok(TestImages.jpeg(width: 8 + request.path.utf8.count, height: 8), type: "image/jpeg")
    }
    program = try Program()
    web = try DAVServer(wantsFolders: true)
    bucket = try S3Server(host: "127.0.0.8")
  }

  private func get(_ kind: String, _ arguments: [String], _ more: [String] = []) throws -> Outcome {
    try program.run(
      ["get", "-d", kind == "web" ? web.server.url("/pictures") : "s3://pictures"] + more + arguments,
      environment: bucket.environment)
  }

  /// The objects there, without the prefix of their names.
  private func names(_ kind: String) -> [String] {
    kind == "web"
      ? web.names.map { String($0.dropFirst("/pictures/".count)) }
      : bucket.names.map { String($0.dropFirst("pictures/".count)) }
  }

  private func object(_ kind: String, _ name: String) -> [UInt8]? {
    kind == "web" ? web["/pictures/\(name)"] : bucket["pictures/\(name)"]
  }

  private func type(_ kind: String, _ name: String) -> String? {
    kind == "web" ? web.type(of: "/pictures/\(name)") : bucket.field("x-test-type", of: "pictures/\(name)")
  }

  @Test("Each image is an object with its type, under the name that a file would have", arguments: ["web", "bucket"])
  func plain(kind: String) throws {
    let urls = (0..<30).map { origin.url("/a/\($0).png") } + [origin.url("/b/0.jpg"), origin.url("/\u{FC} x.jpg")]
    let outcome = try get(kind, urls, ["--json"])
    #expect(outcome.exitCode == 0 && bucket.refusals.isEmpty, "\(outcome) \(bucket.refusals)")
    #expect(try program.run(["get", "-d", "files"] + urls).exitCode == 0)
    let files = program.folder.files(in: "work/files")
    func shown(_ name: String) -> String { kind == "web" ? name.replacing("\u{FC} x", with: "%C3%BC%20x") : name }
    #expect(names(kind).sorted() == files.map(shown).sorted())
    for file in files { #expect(object(kind, shown(file)) == program.folder.read("work/files/\(file)")) }
    #expect(type(kind, "0.jpg") == "image/jpeg")
    let rows = try outcome.lines.dropLast().map(JSON.object)
    let place = kind == "web" ? web.server.url("/pictures") : "s3://pictures"
    #expect(rows.contains { $0["output"] as? String == "\(place)/0.jpg" }, "\(rows[0])")
  }

  @Test("A name may hold folders, and images may be transformed", arguments: ["web", "bucket"])
  func folders(kind: String) throws {
    let outcome = try get(
      kind, [origin.url("/a/1.jpg"), origin.url("/b/1.jpg")], ["--name", "{path}/{name}.{ext}", "--convert", "png"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(names(kind).sorted() == ["a/1.png", "b/1.png"] && type(kind, "a/1.png") == "image/png")
  }

  @Test("What has the bytes already is left alone; other bytes of the image replace it", arguments: ["web", "bucket"])
  func again(kind: String) throws {
    let urls = (0..<5).map { origin.url("/\($0).jpg") }
    #expect(try get(kind, urls).exitCode == 0)
    let writes = { self.web.count("PUT") + self.bucket.server.requests.count { $0.method == "PUT" } }
    let before = writes()
    let second = try get(kind, urls, ["--print", "new"])
    #expect(second.exitCode == 0 && second.lines.isEmpty && second.errorText == "", "\(second)")
    #expect(kind == "web" ? writes() == before : writes() <= before + 1)
    origin.onOther { _ in .ok(TestImages.png(width: 30, height: 30)) }
    origin.serve("/0.jpg", TestImages.jpeg(width: 50, height: 50))
    let changed = try get(kind, [urls[0]], ["--cache", "reload"])
    #expect(changed.exitCode == 0 && object(kind, "0.jpg") == TestImages.jpeg(width: 50, height: 50))
    #expect(changed.errorText.isEmpty, "\(changed)")
  }

  @Test("What imgfetch did not put there is kept, and the image has a name with digits", arguments: ["web", "bucket"])
  func strangers(kind: String) throws {
    web["/pictures/1.jpg"] = Array("mine".utf8)
    bucket["pictures/1.jpg"] = Array("mine".utf8)
    for turn in 0..<2 {
      let outcome = try get(kind, [origin.url("/1.jpg")])
      #expect(outcome.exitCode == 0 && outcome.errorText.isEmpty == (turn == 1), "\(outcome)")
      #expect(object(kind, "1.jpg") == Array("mine".utf8) && names(kind).count == 2)
    }
    let given = try program.run(
      ["get", "-d", kind == "web" ? web.server.url("/pictures") : "s3://pictures", "-i", "-"],
      input: origin.url("/2.jpg") + "\t1.jpg", environment: bucket.environment)
    #expect(given.exitCode == 0 && object(kind, "1.jpg") == Array("mine".utf8) && names(kind).count == 3, "\(given)")
    #expect(try get(kind, [origin.url("/1.jpg")], ["--overwrite"]).exitCode == 0)
    #expect(object(kind, "1.jpg") != Array("mine".utf8))
  }

  @Test("Another image's object of the name is kept in a bucket, also by another run; --overwrite replaces it")
  func digits() throws {
    #expect(try get("bucket", [origin.url("/a/1.jpg")]).exitCode == 0)
    let second = try get("bucket", [origin.url("/bb/1.jpg")])
    #expect(second.exitCode == 0 && names("bucket").count == 2 && second.errorText.contains("digits"), "\(second)")
    #expect(try get("bucket", [origin.url("/bb/1.jpg")]).errorText == "")
    #expect(names("bucket").count == 2)
    #expect(try get("bucket", [origin.url("/bb/1.jpg")], ["--overwrite"]).exitCode == 0)
    #expect(bucket["pictures/1.jpg"] == TestImages.jpeg(width: 8 + "/bb/1.jpg".utf8.count, height: 8))
  }

  @Test("--no-clobber keeps what is there", arguments: ["web", "bucket"])
  func keeps(kind: String) throws {
    web["/pictures/1.jpg"] = Array("mine".utf8)
    bucket["pictures/1.jpg"] = Array("mine".utf8)
    let outcome = try get(kind, [origin.url("/1.jpg"), origin.url("/2.jpg")], ["--no-clobber"])
    #expect(
      outcome.exitCode == 0 && object(kind, "1.jpg") == Array("mine".utf8) && object(kind, "2.jpg") != nil, "\(outcome)"
    )
  }

  @Test("What a place refuses fails the image, with the object's URL", arguments: ["web", "bucket"])
  func refused(kind: String) throws {
    web.answer { request, _ in
      request.path.contains("2.jpg") || request["Destination"]?.contains("2.jpg") == true ? .status(507) : nil
    }
    bucket.answer { request, _ in
      request.path.contains("2.jpg") && request.method == "PUT"
        ? .text("<Error><Code>QuotaExceeded</Code></Error>", status: 400) : nil
    }
    let outcome = try get(kind, (1...3).map { origin.url("/\($0).jpg") }, ["--retry", "0"])
    #expect(outcome.exitCode == 4 && outcome.errorText.contains("/2.jpg"), "\(outcome)")
    #expect(outcome.errorText.contains(kind == "web" ? "no room" : "(QuotaExceeded)"))
    #expect(names(kind).sorted() == ["1.jpg", "3.jpg"])
  }

  @Test(
    "Images come from the cache; a damaged entry is fetched again and never put there", arguments: ["web", "bucket"])
  func damaged(kind: String) throws {
    #expect(try program.run(["prefetch", origin.url("/1.jpg")]).exitCode == 0)
    let path = try #require(try program.run(["cache", "path", origin.url("/1.jpg")]).lines.first)
    var entry = try #require(FileManager.default.contents(atPath: path))
    entry[20] ^= 1
    try entry.write(to: URL(fileURLWithPath: path))
    let outcome = try get(kind, [origin.url("/1.jpg")])
    #expect(outcome.exitCode == 0 && origin.requests.count == 2, "\(outcome)")
    #expect(object(kind, "1.jpg") == TestImages.jpeg(width: 8 + "/1.jpg".utf8.count, height: 8))
  }

  @Test("Options about files have no meaning there")
  func contradictions() throws {
    for options in [["--placeholder", "x"], ["--remote-time"]] {
      let outcome = try get("web", [origin.url("/1.jpg")], options)
      #expect(outcome.exitCode == 2 && outcome.errorText.contains(options[0]), "\(outcome)")
    }
    #expect(origin.requests.isEmpty)
  }

  @Test("nginx takes them, with its dav module")
  func nginx() throws {
    let files = try TemporaryFolder()
    let nginx = try Nginx(
      serving: files, directives: "dav_methods PUT DELETE MKCOL MOVE; create_full_put_path on;")
    let arguments = ["get", "-d", nginx.url("/pictures")] + (0..<20).map { origin.url("/\($0).jpg") }
    #expect(try program.run(arguments).exitCode == 0)
    #expect(files.files(in: "pictures").count == 20)
    let second = try program.run(arguments)
    #expect(second.exitCode == 0 && second.errorText == "", "\(second) \(nginx.errors)")
  }

  @Test("A session token that is no longer valid is named, also where the answer has no body that says so")
  func endedSession() throws {
    var account = S3Server.Account()
    account.sessionToken = "zeichen"
    let bucket = try S3Server(account)
    bucket.answer { _, _ in TestServer.Response.status(400) }
    let outcome = try program.run(
      ["get", "-d", "s3://pictures", origin.url("/0.png")], environment: bucket.environment)
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(outcome.errorText.contains("400 Bad Request to a HEAD: the session token may be wrong"), "\(outcome)")
    #expect(!outcome.errorText.contains("zeichen"))
    #expect(bucket.names.isEmpty)
  }

  @Test(
    "A name may hold the digest of what is put there, or be the server's; a dry run says the same",
    arguments: ["web", "bucket"])
  func namesOfAnswers(kind: String) throws {
    let image = TestImages.jpeg(width: 30, height: 20)
    let url = origin.url("/1.jpg")
    origin.serve(
      "/1.jpg", .ok(image, type: "image/jpeg").with("Content-Disposition", "attachment; filename=\"cat.png\""))
    let byDigest = try get(kind, [url], ["--json", "--checksum", "--name", "{sha256}.{ext}"])
    let sum = try #require(try JSON.object(byDigest.lines[0])["sha256"] as? String)
    #expect(names(kind) == ["\(sum).jpg"] && sum.count == 64, "\(byDigest)")
    for (options, name) in [(["--name", "{sha256}.{ext}"], "\(sum).jpg"), (["--content-disposition"], "cat.jpg")] {
      let trial = try get(kind, [url], ["--json", "--dry-run"] + options)
      #expect(try JSON.object(trial.lines[0])["output"] as? String == name, "\(trial)")
    }
    #expect(try get(kind, [url], ["--content-disposition"]).exitCode == 0)
    #expect(names(kind).sorted() == ["\(sum).jpg", "cat.jpg"].sorted() && object(kind, "cat.jpg") == image)
  }

  @Test("An object of a bucket that was edited, and kept its fields, is not replaced by a newer version")
  func edited() throws {
    let url = origin.url("/1.jpg")
    origin.serve("/1.jpg", TestImages.jpeg(width: 30, height: 20))
    #expect(try get("bucket", [url]).exitCode == 0)
    bucket["pictures/1.jpg"] = Array("edited".utf8)
    let newer = TestImages.jpeg(width: 50, height: 20)
    origin.serve("/1.jpg", newer)
    for _ in 0..<2 {
      #expect(try get("bucket", [url], ["--cache", "reload"]).exitCode == 0)
      #expect(bucket["pictures/1.jpg"] == Array("edited".utf8) && names("bucket").count == 2)
      #expect(names("bucket").contains { bucket["pictures/\($0)"] == newer })
    }
    #expect(try get("bucket", [url], ["--overwrite"]).exitCode == 0)
    #expect(bucket["pictures/1.jpg"] == newer)
  }
}
