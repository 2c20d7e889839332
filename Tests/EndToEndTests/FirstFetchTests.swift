import TestSupport
import Testing

/// One image, end to end: over the network the first time, from the cache the second time.
@Suite("The first and the second fetch") struct FirstFetchTests {
  @Test(
    "Each format comes over the network once, then from disk, byte for byte", arguments: ["jpg", "png", "gif", "webp"])
  func eachFormat(format: String) throws {
    let server = try TestServer()
    let program = try Program()
    let sample = try #require(TestImages.samples().first { $0.name == format })
    server.serve("/picture.\(format)", sample.bytes, type: sample.mime)
    let url = server.url("/picture.\(format)")

    let first = try program.run("get", url)
    #expect(first.exitCode == 0, "\(first)")
    #expect(first.rows.first?.first == "none")
    #expect(first.rows.first?.dropFirst().first == sample.mime)
    #expect(first.rows.first?.last == url)
    #expect(program.folder.read("work/picture.\(format)") == sample.bytes)

    try program.folder.remove("work/picture.\(format)")
    let second = try program.run("get", url)
    #expect(second.exitCode == 0, "\(second)")
    #expect(second.rows.first?.first == "disk")
    #expect(program.folder.read("work/picture.\(format)") == sample.bytes)
    #expect(server.count("/picture.\(format)") == 1)
  }

  @Test("A duplicate in one run makes no second request, and both outputs are there")
  func duplicate() throws {
    let server = try TestServer()
    let program = try Program()
    let image = TestImages.jpeg(width: 20, height: 10)
    server.serve("/a.jpg", image)
    let outcome = try program.run(
      ["get", "-i", "-"], input: "\(server.url("/a.jpg"))\tone.jpg\n\(server.url("/a.jpg"))\ttwo.jpg\n")
    #expect(outcome.exitCode == 0, "\(outcome)")
    let kinds = outcome.rows.compactMap(\.first).sorted()
    #expect(kinds == ["memory", "none"] || kinds == ["none", "none+"], "\(outcome)")
    #expect(server.count("/a.jpg") == 1)
    #expect(program.folder.read("work/one.jpg") == image, "\(outcome)")
    #expect(program.folder.read("work/two.jpg") == image, "\(outcome)")
  }

  @Test("A file that already has the same bytes is left untouched")
  func unchanged() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    _ = try program.run("get", server.url("/a.jpg"))
    let before = try Command.identity(of: program.folder.path("work/a.jpg"))
    _ = try program.run("get", server.url("/a.jpg"))
    #expect(try Command.identity(of: program.folder.path("work/a.jpg")) == before)
  }

  @Test("A large image is streamed into the cache, and comes out complete")
  func large() throws {
    let server = try TestServer()
    let program = try Program()
    let image = TestImages.jpeg(bytes: 3_000_000)
    server.serve("/large.jpg", image)
    for kind in ["none", "disk"] {
      let outcome = try program.run("get", server.url("/large.jpg"))
      #expect(outcome.rows.first?.first == kind, "\(outcome)")
      #expect(program.folder.read("work/large.jpg") == image)
      try program.folder.remove("work/large.jpg")
    }
    #expect(server.count("/large.jpg") == 1)
  }

  @Test("JSON has one object for each URL and a summary, with the documented fields")
  func json() throws {
    let server = try TestServer()
    let program = try Program()
    let image = TestImages.png(width: 31, height: 17)
    server.serve("/a.png", image, type: "image/png")
    let outcome = try program.run("get", "--json", server.url("/a.png"))
    let objects = try outcome.lines.map { try JSON.object($0) }
    #expect(objects.count == 2, "\(outcome)")
    let row = try #require(objects.first)
    #expect(row["cache"] as? String == "none")
    #expect(row["status"] as? Int == 200)
    #expect(row["format"] as? String == "png")
    #expect(row["width"] as? Int == 31)
    #expect(row["height"] as? Int == 17)
    #expect(row["bytes"] as? Int == image.count)
    #expect(row["downloaded"] as? Int == image.count)
    #expect(row["attempts"] as? Int == 1)
    #expect(row["key"] as? String == server.url("/a.png"))
    #expect(row["error"] is JSON.Null)
    let summary = try #require(objects.last?["summary"] as? [String: Any])
    #expect(summary["total"] as? Int == 1)
    #expect(summary["none"] as? Int == 1)
    #expect(summary["failed"] as? Int == 0)
  }

  @Test("Standard output carries only the image, from the network and from the cache")
  func standardOutput() throws {
    let server = try TestServer()
    let program = try Program()
    let image = TestImages.gif(width: 23, height: 19)
    server.serve("/a.gif", image, type: "image/gif")
    for _ in 0..<2 {
      let outcome = try program.run("get", "-o", "-", server.url("/a.gif"))
      #expect(outcome.exitCode == 0)
      #expect(outcome.output == image)
    }
    #expect(server.count("/a.gif") == 1)
    #expect(program.folder.files(in: "work").isEmpty)
  }

  @Test("Quiet prints nothing if nothing failed")
  func quiet() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    let outcome = try program.run("get", "-q", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.error.isEmpty, "\(outcome)")
  }

  @Test("A redirect is followed, and the result contains both URLs")
  func redirect() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/old.jpg", .redirect(to: "/new/place.jpg"))
    server.serve("/new/place.jpg", TestImages.jpeg(width: 20, height: 10))
    let outcome = try program.run("get", "--json", server.url("/old.jpg"))
    let row = try JSON.object(try #require(outcome.lines.first))
    #expect(row["url"] as? String == server.url("/old.jpg"))
    #expect(row["final_url"] as? String == server.url("/new/place.jpg"))
    #expect(program.folder.files(in: "work") == ["old.jpg"])
  }

  @Test("The row of a failure contains the URL that answered, and none where nothing did")
  func failedRedirect() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/old.jpg", .redirect(to: "/gone.jpg"))
    let outcome = try program.run("get", "--json", "--ordered", server.url("/old.jpg"), "http://127.0.0.1:1/a.jpg")
    let rows = try outcome.lines.prefix(2).map(JSON.object)
    #expect(rows.map { $0["final_url"] as? String } == [server.url("/gone.jpg"), nil], "\(outcome)")
  }
}
