import Glibc
import TestSupport
import Testing

/// Interrupted downloads are kept, and bytes of two images are never combined.
@Suite("Resuming interrupted downloads") struct ResumeTests {
  /// Sizes below and above those that are kept in memory, and that get a resume note.
  static let sizes = [5_000, 60_000, 100_000, 1_000_000]

  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  /// The first answer is cut at 60 %, all others are `later`.
  private func serve(_ first: Resource, then later: Resource? = nil, path: String = "/a.jpg") {
    server.on(path) { request in
      guard request.ordinal == 1 else { return (later ?? first).answer(request) }
      return first.answer(request).cutAfter(first.bytes.count * 6 / 10)
    }
  }

  private func get(_ arguments: String..., path: String = "/a.jpg") throws -> Outcome {
    try program.run(["get", "--json", "--retry", "0"] + arguments + [server.url(path)])
  }

  private func row(_ outcome: Outcome) throws -> [String: Any] {
    try JSON.object(try #require(outcome.lines.first, "\(outcome)"))
  }

  @Test("A body cut at 60 % is completed by the next run with one request for the rest", arguments: sizes)
  func cut(size: Int) throws {
    let image = TestImages.jpeg(bytes: size)
    serve(Resource(image, etag: "\"v1\""))
    let first = try get()
    #expect(first.exitCode == 3, "\(first)")
    let second = try get()
    #expect(second.exitCode == 0, "\(second)")
    let have = size * 6 / 10
    #expect(server.count("/a.jpg") == 2)
    #expect(server.requests.last?["Range"] == "bytes=\(have)-")
    #expect(server.requests.last?["If-Range"] == "\"v1\"")
    #expect(program.folder.read("work/a.jpg") == image)
    let result = try row(second)
    #expect(result["downloaded"] as? Int == size - have)
    #expect(result["bytes"] as? Int == size)
    #expect(result["status"] as? Int == 200)
    #expect(result["cache"] as? String == "none")
    #expect(try program.run("get", server.url("/a.jpg")).rows.first?.first == "disk")
  }

  @Test("Within one run, the retry requests the rest", arguments: sizes)
  func retry(size: Int) throws {
    let image = TestImages.jpeg(bytes: size)
    serve(Resource(image, etag: "\"v1\"", headers: [("X-First", "1")]))
    let outcome = try program.run("get", "--json-headers", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.map { $0["Range"] } == [nil, "bytes=\(size * 6 / 10)-"])
    #expect(program.folder.read("work/a.jpg") == image)
    let result = try row(outcome)
    #expect(result["downloaded"] as? Int == size)
    #expect(result["attempts"] as? Int == 2)
    let headers = try #require(result["headers"] as? [[String]])
    #expect(!headers.contains { $0.first == "Content-Range" })
    #expect(headers.filter { $0.first == "Content-Length" } == [["Content-Length", "\(size)"]])
  }

  @Test("Without a cache, too", arguments: sizes)
  func retryUncached(size: Int) throws {
    let image = TestImages.jpeg(bytes: size)
    serve(Resource(image, etag: "\"v1\""))
    let outcome = try program.run("get", "--cache", "off", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.last?["Range"] == "bytes=\(size * 6 / 10)-")
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("A rest in a content coding is not joined, and the whole is requested", arguments: ["gzip", "br"])
  func codedRest(coding: String) throws {
    let image = TestImages.jpeg(bytes: 60_000)
    let good = Resource(image, etag: "\"v1\"")
    let coded = Resource(image, etag: "\"v1\"", headers: [("Content-Encoding", coding)])
    server.on("/a.jpg") { request in
      switch request.ordinal {
      case 1: good.answer(request).cutAfter(36_000)
      case 2: coded.answer(request)
      default: good.answer(request)
      }
    }
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.map { $0["Range"] } == [nil, "bytes=36000-", nil])
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("A strong Last-Modified suffices; one from the second of the answer does not")
  func lastModified() throws {
    let image = TestImages.jpeg(bytes: 100_000)
    let old = "Tue, 14 Nov 2023 22:13:20 GMT"
    serve(Resource(image, lastModified: old, headers: [("Date", "Tue, 14 Nov 2023 22:13:21 GMT")]), path: "/strong.jpg")
    serve(Resource(image, lastModified: old, headers: [("Date", old)]), path: "/weak.jpg")
    for path in ["/strong.jpg", "/weak.jpg"] {
      _ = try get(path: path)
      #expect(try get(path: path).exitCode == 0)
    }
    #expect(server.requests(for: "/strong.jpg").last?["If-Range"] == old)
    #expect(server.requests(for: "/weak.jpg").last?["Range"] == nil)
  }

  @Test("Without a validator, or with a weak one, the whole is requested", arguments: [nil, "W/\"v1\""])
  func weak(etag: String?) throws {
    let image = TestImages.jpeg(bytes: 500_000)
    serve(Resource(image, etag: etag))
    _ = try get()
    #expect(try get().exitCode == 0)
    #expect(server.requests.allSatisfy { $0["Range"] == nil })
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("A changed image is fetched as a whole", arguments: sizes)
  func changed(size: Int) throws {
    let new = TestImages.jpeg(bytes: size + 1000)
    serve(Resource(TestImages.jpeg(bytes: size), etag: "\"v1\""), then: Resource(new, etag: "\"v2\""))
    _ = try get()
    #expect(try get().exitCode == 0)
    #expect(server.count("/a.jpg") == 2)
    #expect(program.folder.read("work/a.jpg") == new)
  }

  @Test(
    "If the server sends a wrong part, the whole is requested",
    arguments: [
      .start(10), .total(999_999), .contentRange(nil), .contentRange("bytes 0-9/100000"), .contentRange("nonsense"),
      .etag("\"v2\""), .ignoringRange,
    ] as [Resource.Lie])
  func lies(lie: Resource.Lie) throws {
    let image = TestImages.jpeg(bytes: 100_000)
    serve(Resource(image, etag: "\"v1\""), then: Resource(image, etag: "\"v1\"", lie: lie))
    _ = try get()
    let outcome = try get()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.read("work/a.jpg") == image)
    #expect(server.count("/a.jpg") <= 3)
  }

  @Test("Other bytes than announced give no image, and the whole is fetched", arguments: [0, 2])
  func otherBytes(retries: Int) throws {
    let image = TestImages.png(width: 300, height: 300)
    let rest = image.count - image.count * 6 / 10
    serve(
      Resource(image, type: "image/png", etag: "\"v1\""),
      then: Resource(
        image, type: "image/png", etag: "\"v1\"", lie: .bytes([UInt8](repeating: 7, count: rest))), path: "/a.png")
    // Once within one run, once over two.
    if retries == 0 { _ = try get(path: "/a.png") }
    let outcome = try program.run("get", "--retry", "\(retries)", server.url("/a.png"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.map { $0["Range"] != nil } == [false, true, false])
    #expect(program.folder.read("work/a.png") == image)
  }

  @Test("After a 416 the whole is requested, once")
  func unsatisfiable() throws {
    let image = TestImages.jpeg(bytes: 100_000)
    let whole = Resource(image, etag: "\"v1\"")
    server.on("/a.jpg") { request in
      if request.ordinal == 1 { return whole.answer(request).cutAfter(60_000) }
      return request["Range"] == nil ? whole.answer(request) : .status(416).with("Content-Range", "bytes */100000")
    }
    _ = try get()
    #expect(try get().exitCode == 0)
    #expect(server.requests.map { $0["Range"] } == [nil, "bytes=60000-", nil])
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("Where a request for the rest is refused, the whole is requested, once", arguments: [304, 400, 403, 405, 412])
  func refusedRange(status: Int) throws {
    let image = TestImages.jpeg(bytes: 100_000)
    let whole = Resource(image, etag: "\"v1\"")
    server.on("/a.jpg") { request in
      if request.ordinal == 1 { return whole.answer(request).cutAfter(60_000) }
      return request["Range"] == nil ? whole.answer(request) : .status(status)
    }
    _ = try get()
    #expect(try get().exitCode == 0)
    #expect(server.requests.map { $0["Range"] } == [nil, "bytes=60000-", nil])
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("A rest that is interrupted again is completed over several runs")
  func oftenBroken() throws {
    let image = TestImages.jpeg(bytes: 1_000_000)
    let resource = Resource(image, etag: "\"v1\"")
    server.on("/a.jpg") { request in
      request.ordinal <= 3 ? resource.answer(request).cutAfter(250_000) : resource.answer(request)
    }
    for run in 1...4 { #expect(try get().exitCode == (run == 4 ? 0 : 3)) }
    #expect(
      server.requests.map { $0["Range"] } == [nil, "bytes=250000-", "bytes=500000-", "bytes=750000-"])
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("A 206 that ends early is resumed and not taken for the whole")
  func shortRest() throws {
    let image = TestImages.jpeg(bytes: 100_000)
    let resource = Resource(image, etag: "\"v1\"")
    server.on("/a.jpg") { request in
      switch request.ordinal {
      case 1: return resource.answer(request).cutAfter(60_000)
      case 2:
        return .status(206, Array(image[60_000..<80_000]), type: "image/jpeg")
          .with("ETag", "\"v1\"").with("Content-Range", "bytes 60000-79999/100000")
      default: return resource.answer(request)
      }
    }
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.last?["Range"] == "bytes=80000-")
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("An interrupt keeps the received bytes, however few", arguments: sizes)
  func interrupt(size: Int) throws {
    let image = TestImages.jpeg(bytes: size)
    let resource = Resource(image, etag: "\"v1\"")
    let have = size * 6 / 10
    server.on("/a.jpg") { request in
      request.ordinal == 1 ? resource.answer(request).stallAfter(have) : resource.answer(request)
    }
    let running = try program.start(["get", "-v", server.url("/a.jpg")])
    try server.waitForBytesSent(have)
    // How many of them have been read by then may vary; some have, with the header.
    try running.waitForError("answered 200")
    running.send(SIGINT)
    #expect(try running.wait().exitCode == 130)
    #expect(try get().exitCode == 0)
    #expect(program.folder.read("work/a.jpg") == image)
    let from = try #require(server.requests.last?["Range"].flatMap { Int($0.dropFirst(6).dropLast()) })
    #expect((1...have).contains(from))
  }

  @Test("Parts are never resumed at a mirror, or at another origin after a redirect")
  func elsewhere() throws {
    let image = TestImages.jpeg(bytes: 100_000)
    let other = try TestServer(host: "127.0.0.2")
    other.serve("/a.jpg", Resource(image, etag: "\"v1\""))
    serve(Resource(image, etag: "\"v1\""))
    server.serve("/gone.jpg", .status(500))
    _ = try get()
    let mirrored = try program.run(
      "get", "--retry", "0", "--mirror", other.url("/a.jpg"), "--cache-key", server.url("/a.jpg"),
      server.url("/gone.jpg"))
    #expect(mirrored.exitCode == 0, "\(mirrored)")
    #expect(other.requests.map { $0["Range"] } == [nil])

    serve(Resource(image, etag: "\"v1\""), path: "/b.jpg")
    _ = try get(path: "/b.jpg")
    server.serve("/b.jpg", .redirect(to: other.url("/a.jpg")))
    #expect(try get(path: "/b.jpg").exitCode == 0)
    #expect(other.requests.map { $0["Range"] } == [nil, nil])
    #expect(program.folder.read("work/b.jpg") == image)
  }

  @Test("What came of it before a mirror was asked is gone on with")
  func beforeMirror() throws {
    let image = TestImages.jpeg(bytes: 100_000)
    let other = try TestServer(host: "127.0.0.2")
    other.serve("/gone.jpg", .status(500))
    let resource = Resource(image, etag: "\"v1\"")
    server.on("/a.jpg") { request in
      request.ordinal == 1 ? resource.answer(request).cutAfter(60_000) : resource.answer(request)
    }
    let options = ["get", "--cache", "http", "--retry", "0", "--mirror", other.url("/gone.jpg")]
    #expect(try program.run(options + [server.url("/a.jpg")]).exitCode != 0)
    #expect(other.count("/gone.jpg") == 1)
    let again = try program.run(options + [server.url("/a.jpg")])
    #expect(again.exitCode == 0, "\(again)")
    #expect(server.requests.last?["Range"] == "bytes=60000-" && other.count("/gone.jpg") == 1)
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("A part that came through a redirect is resumed where it came from")
  func redirected() throws {
    let image = TestImages.jpeg(bytes: 100_000)
    let resource = Resource(image, etag: "\"v1\"")
    let other = try TestServer(host: "127.0.0.2")
    other.on("/far.jpg") { request in
      request.ordinal == 1 ? resource.answer(request).cutAfter(60_000) : resource.answer(request)
    }
    server.serve("/a.jpg", .redirect(to: other.url("/far.jpg")))
    _ = try get()
    #expect(try get().exitCode == 0)
    #expect(other.requests.last?["Range"] == "bytes=60000-")
    #expect(server.requests.allSatisfy { $0["Range"] == nil })
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("If the disk has lost some of a part, the rest is fetched from there", arguments: [100, 600])
  func damagedPart(side: Int) throws {
    let image = TestImages.png(width: side, height: side)
    let resource = Resource(image, type: "image/png", etag: "\"v1\"")
    serve(resource, path: "/a.png")
    _ = try get(path: "/a.png")
    let part = try #require(program.folder.files(in: "home/.cache").first { $0.hasSuffix(".part") })
    let path = "\(program.home)/.cache/\(part)"
    var bytes = try #require(Command.contents(of: path))
    for index in 100..<200 { bytes[index] = 0 }
    try Command.overwrite(path, with: bytes)
    let outcome = try get(path: "/a.png")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.last?["Range"] == nil)
    #expect(
      try row(outcome)["downloaded"] as? Int
        == server.requests.dropFirst().reduce(0) { sum, request in
          sum + (request["Range"] == nil ? image.count : image.count - image.count * 6 / 10)
        })
    #expect(program.folder.read("work/a.png") == image)
  }

  @Test("Reload does not resume")
  func reload() throws {
    let image = TestImages.jpeg(bytes: 100_000)
    serve(Resource(image, etag: "\"v1\""))
    _ = try get()
    #expect(try get("--cache", "reload").exitCode == 0)
    #expect(server.requests.last?["Range"] == nil)
    #expect(program.folder.read("work/a.jpg") == image)
  }
}
