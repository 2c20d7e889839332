import Foundation
import TestSupport
import Testing

/// `get -d URL`: images that are put into a place.
@Suite("Images into places") struct GetPlaceTests {
  let origin: TestServer
  let program: Program

  init() throws {
    origin = try TestServer()
    origin.onOther { request in
      .ok(TestImages.jpeg(width: 8 + request.path.utf8.count, height: 8), type: "image/jpeg")
    }
    program = try Program()
  }

  private func get(_ store: StoreDouble, _ urls: [String], _ options: [String] = []) throws -> Outcome {
    try program.run(["get", "-d", store.url("pictures")] + options + urls, environment: store.environment)
  }

  @Test("A name may hold folders, and images may be transformed", arguments: StoreDouble.Kind.ofEachProtocol)
  func folders(kind: StoreDouble.Kind) throws {
    let store = try StoreDouble(kind)
    let outcome = try get(
      store, [origin.url("/a/1.jpg"), origin.url("/b/1.jpg")], ["--name", "{path}/{name}.{ext}", "--convert", "png"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      store.names == ["pictures/a/1.png", "pictures/b/1.png"] && store.type(of: "pictures/a/1.png") == "image/png")
  }

  @Test("Another image's object of the name is kept in a bucket, also by another run; --overwrite replaces it")
  func digits() throws {
    let bucket = try StoreDouble(.bucket)
    #expect(try get(bucket, [origin.url("/a/1.jpg")]).exitCode == 0)
    let second = try get(bucket, [origin.url("/bb/1.jpg")])
    #expect(second.exitCode == 0 && bucket.names.count == 2 && second.errorText.contains("digits"), "\(second)")
    #expect(try get(bucket, [origin.url("/bb/1.jpg")]).errorText == "")
    #expect(bucket.names.count == 2)
    #expect(try get(bucket, [origin.url("/bb/1.jpg")], ["--overwrite"]).exitCode == 0)
    #expect(bucket["pictures/1.jpg"] == TestImages.jpeg(width: 8 + "/bb/1.jpg".utf8.count, height: 8))
  }

  @Test(
    "Images come from the cache; a damaged entry is fetched again and never put there",
    arguments: StoreDouble.Kind.ofEachProtocol)
  func damaged(kind: StoreDouble.Kind) throws {
    let store = try StoreDouble(kind)
    #expect(try program.run(["prefetch", origin.url("/1.jpg")]).exitCode == 0)
    let path = try #require(try program.run(["cache", "path", origin.url("/1.jpg")]).lines.first)
    var entry = try #require(FileManager.default.contents(atPath: path))
    entry[20] ^= 1
    try entry.write(to: URL(fileURLWithPath: path))
    let outcome = try get(store, [origin.url("/1.jpg")])
    #expect(outcome.exitCode == 0 && origin.requests.count == 2, "\(outcome)")
    #expect(store["pictures/1.jpg"] == TestImages.jpeg(width: 8 + "/1.jpg".utf8.count, height: 8))
  }

  @Test("Options about files have no meaning there")
  func contradictions() throws {
    let store = try StoreDouble(.web)
    for options in [["--placeholder", "x"], ["--remote-time"]] {
      let outcome = try get(store, [origin.url("/1.jpg")], options)
      #expect(outcome.exitCode == 2 && outcome.errorText.contains(options[0]), "\(outcome)")
    }
    #expect(origin.requests.isEmpty)
  }

  @Test(
    "Only a folder of images may be a URL: what else is given one is a mistake, and no folders are made of its parts",
    arguments: ["-o", "--cache-dir", "--read-only-cache", "--report", "--failed-list", "--cookie-jar"],
    ["s3://images/1.jpg", "HTTPS://store.test/1.jpg", "file:///1.jpg"])
  func urlOfNoFolder(option: String, url: String) throws {
    let outcome = try program.run("get", option, url, origin.url("/1.jpg"))
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("not a URL"), "\(outcome)")
    #expect(origin.requests.isEmpty && FileManager.default.subpaths(atPath: program.work) == [])
  }

  @Test("A session token that is no longer valid is named, also where the answer has no body that says so")
  func endedSession() throws {
    let bucket = try StoreDouble(.bucketOfSession)
    try bucket.answer { _, _ in .status(400) }
    let outcome = try get(bucket, [origin.url("/0.png")])
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(outcome.errorText.contains("400 Bad Request to a HEAD: the session token may be wrong"), "\(outcome)")
    #expect(!outcome.errorText.contains("zeichen"))
    #expect(bucket.names.isEmpty)
  }

  @Test(
    "A name may hold the digest of what is put there, or be the server's; a dry run says the same",
    arguments: StoreDouble.Kind.ofEachProtocol)
  func namesOfAnswers(kind: StoreDouble.Kind) throws {
    let store = try StoreDouble(kind)
    let image = TestImages.jpeg(width: 30, height: 20)
    let url = origin.url("/1.jpg")
    origin.serve(
      "/1.jpg", .ok(image, type: "image/jpeg").with("Content-Disposition", "attachment; filename=\"cat.png\""))
    let byDigest = try get(store, [url], ["--json", "--checksum", "--name", "{sha256}.{ext}"])
    let sum = try #require(try JSON.object(byDigest.lines[0])["sha256"] as? String)
    #expect(store.names == ["pictures/\(sum).jpg"] && sum.count == 64, "\(byDigest)")
    for (options, name) in [(["--name", "{sha256}.{ext}"], "\(sum).jpg"), (["--content-disposition"], "cat.jpg")] {
      let trial = try get(store, [url], ["--json", "--dry-run"] + options)
      #expect(try JSON.object(trial.lines[0])["output"] as? String == name, "\(trial)")
    }
    #expect(try get(store, [url], ["--content-disposition"]).exitCode == 0)
    #expect(store.names == ["pictures/\(sum).jpg", "pictures/cat.jpg"].sorted() && store["pictures/cat.jpg"] == image)
  }

  @Test("An object of a bucket that was edited, and kept its fields, is not replaced by a newer version")
  func edited() throws {
    let bucket = try StoreDouble(.bucket)
    let url = origin.url("/1.jpg")
    origin.serve("/1.jpg", TestImages.jpeg(width: 30, height: 20))
    #expect(try get(bucket, [url]).exitCode == 0)
    try bucket.set("pictures/1.jpg", Array("edited".utf8))
    let newer = TestImages.jpeg(width: 50, height: 20)
    origin.serve("/1.jpg", newer)
    for _ in 0..<2 {
      #expect(try get(bucket, [url], ["--cache", "reload"]).exitCode == 0)
      #expect(bucket["pictures/1.jpg"] == Array("edited".utf8) && bucket.names.count == 2)
      #expect(bucket.names.contains { bucket[$0] == newer })
    }
    #expect(try get(bucket, [url], ["--overwrite"]).exitCode == 0)
    #expect(bucket["pictures/1.jpg"] == newer)
  }
}
