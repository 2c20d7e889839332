import TestSupport
import Testing

/// Servers that announce one thing and send another: none of their bytes is mistaken for an image.
@Suite("Answers that contradict themselves") struct LyingAnswerTests {
  private let run: HostileRun
  private var server: TestServer { run.server }
  private let image = TestImages.jpeg(bytes: 20_000)

  init() throws { run = try HostileRun() }

  private func raw(_ head: String, _ body: [UInt8]) -> TestServer.Response {
    .raw(Array("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n".utf8) + body)
  }

  @Test("A length that is too short gives a truncated image: exit 5")
  func shortLength() throws {
    server.serve("/a", .ok(image).claiming(length: 10_000))
    let verdict = try run.get("/a")
    #expect(verdict.kind == "damaged", "\(verdict)")
    #expect(verdict.exit == 5)
    try run.expectNothing()
  }

  @Test("A length that is too long is a broken transfer, even if the image is complete: exit 3")
  func longLength() throws {
    server.serve("/a", .ok(image).claiming(length: 30_000))
    let verdict = try run.get("/a")
    #expect(verdict.kind == "truncated", "\(verdict)")
    #expect(verdict.exit == 3)
    try run.expectNothing()
  }

  @Test(
    "An invalid length, or several, never gives other bytes than the image",
    arguments: [
      "Content-Length: 99999999999999999999999", "Content-Length: -5", "Content-Length: 0x10", "Content-Length: many",
      "Content-Length: 20000, 10000", "Content-Length: 20000\r\nContent-Length: 10000",
      "Content-Length: 10000\r\nContent-Length: 20000", "Content-Length: 5\r\nTransfer-Encoding: gzip, chunked",
      "Content-Length:", "Content-Length: 1 0",
    ])
  func oddLength(head: String) throws {
    server.serve("/a", raw(head, image))
    let verdict = try run.get("/a")
    #expect([3, 5].contains(verdict.exit) || run.program.folder.read("work/a.jpg") == image, "\(verdict)")
    if verdict.kind != nil { try run.expectNothing() }
  }

  @Test("A length that no number holds is over the limit, before a byte of the body")
  func hugeLength() throws {
    server.serve("/a", .ok(image).with("Content-Length", "99999999999999999999").unframed())
    let verdict = try run.get("/a")
    #expect(verdict.kind == "limit" && verdict.exit == 5, "\(verdict)")
    try run.expectNothing()
  }

  @Test(
    "Invalid chunks exit with 3",
    arguments: [
      "zz\r\n", "-5\r\n", "FFFFFFFFFFFFFFFFFFFF\r\n", "7FFFFFFFFFFFFFFF\r\n", "\r\n\r\n", "5\r\nabcdefghij", "\0\0\0\0",
    ])
  func chunkedGarbage(garbage: String) throws {
    let start = Array("1000\r\n".utf8) + image.prefix(4096) + [13, 10]
    server.serve("/a", raw("Transfer-Encoding: chunked", start + Array(garbage.utf8)))
    let verdict = try run.get("/a")
    #expect(verdict.exit == 3, "\(verdict)")
    try run.expectNothing()
  }

  @Test("Chunked over HTTP/1.0, or applied twice, is not accepted as the image", arguments: ["HTTP/1.0", "HTTP/1.1"])
  func chunkedOddly(version: String) throws {
    let head = "\(version) 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
    let body = Array("4E20\r\n".utf8) + image + Array("\r\n0\r\n\r\n".utf8)
    server.serve("/a", .raw(Array(head.utf8) + body))
    let verdict = try run.get("/a")
    #expect([3, 5].contains(verdict.exit) || run.program.folder.read("work/a.jpg") == image, "\(verdict)")
  }

  @Test("The body of a 304 belongs neither to this answer nor to the next one")
  func bodyOfNotModified() throws {
    let other = TestImages.jpeg(bytes: 9000, seed: 7)
    let smuggled = TestImages.jpeg(bytes: 8000, seed: 8)
    let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n".utf8) + smuggled
    let good = Resource(image, etag: "\"1\"")
    server.on("/a.jpg") { request in
      guard request.ordinal > 1 else { return good.answer(request) }
      return .status(304).with("ETag", "\"1\"").with("Content-Length", "\(answer.count)").garbage(answer, after: 0)
    }
    server.serve("/b.jpg", other)
    #expect(try run.get("/a.jpg").kind == nil)
    let outcome = try run.program.run(
      "get", "-j1", "--cache", "refresh", server.url("/a.jpg"), server.url("/b.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(run.program.folder.read("work/a.jpg") == image)
    #expect(run.program.folder.read("work/b.jpg") == other)
  }

  @Test("An answer without a body has none, whatever follows", arguments: [304, 204])
  func bodyOfNothing(status: Int) throws {
    server.serve("/a", .status(status, image))
    let verdict = try run.get("/a")
    #expect(verdict.exit == (status == 304 ? 4 : 5), "\(verdict)")
    try run.expectNothing()
  }

  @Test(
    "An unrequested part exits with 4, whatever its Content-Range",
    arguments: ["bytes 0-19999/20000", "nonsense"])
  func unaskedPart(range: String) throws {
    server.serve("/a", .status(206, image).with("Content-Range", range))
    let verdict = try run.get("/a")
    #expect(verdict.kind == "http", "\(verdict)")
    #expect(verdict.exit == 4)
    try run.expectNothing()
  }

  @Test(
    "An unrequested content coding exits with 5, and is not decoded",
    arguments: ["deflate", "deflate, gzip", "br", "x-none"])
  func contentCoding(coding: String) throws {
    // A gigabyte of zeros if it were decoded: each of these unpacks to a thousand times its size.
    let bomb = TestImages.deflated([UInt8](repeating: 0, count: 1 << 22))
    server.serve("/a", .ok(bomb, type: "image/jpeg").with("Content-Encoding", coding).endless(bomb))
    // --verify none does not accept these either: encoded bytes are not what was requested.
    let lenient = try run.get("/a", "--verify", "none")
    #expect(lenient.kind == "not-image" && lenient.exit == 5, "\(lenient)")
    let verdict = try run.get("/a")
    #expect(verdict.kind == "not-image", "\(verdict)")
    #expect(verdict.exit == 5)
    #expect(verdict.memory < 60 << 20, "\(verdict)")
    #expect(server.requests.allSatisfy { $0["Accept-Encoding"] == nil })
    try run.expectNothing()
  }

  @Test("A certificate for another host exits with 3")
  func otherCertificate() throws {
    let files = try TemporaryFolder()
    try files.write("a.jpg", image)
    let nginx = try Nginx(serving: files, names: ["DNS:elsewhere.test"])
    let trust = ["--cacert", nginx.certificate.authority]
    let verdict = try run.get(nginx.secureURL("/a.jpg"), trust[0], trust[1])
    #expect(verdict.kind == "tls", "\(verdict)")
    #expect(verdict.exit == 3)
    #expect(verdict.message.contains("127.0.0.1") || verdict.message.contains("certificate"), "\(verdict)")
    try run.expectNothing()
  }

  /// The bytes that are sent as the rest of an image of which 12,000 bytes are there, and claim to match.
  private static let rests: [(name: String, Resource.Lie)] = [
    ("another image's", .bytes(Array(TestImages.jpeg(bytes: 20_000, seed: 9).suffix(8000)))),
    ("too short", .bytes(Array(TestImages.jpeg(bytes: 20_000).suffix(8000).dropLast(50)))),
    ("too long", .bytes(Array(TestImages.jpeg(bytes: 20_000).suffix(8000)) + [1, 2, 3])),
    ("zeros", .bytes([UInt8](repeating: 0, count: 8000))),
    ("a page", .bytes(TestImages.html())),
  ]

  @Test("A chunked rest that is longer than the missing part is refused, too")
  func restTooLongInChunks() throws {
    let resource = Resource(image, etag: "\"1\"")
    server.on("/a.jpg") { [image] request in
      guard request["Range"] != nil else { return resource.answer(request).cutAfter(12_000) }
      return .status(206, Array(image.suffix(8000)) + [1, 2, 3]).with("ETag", "\"1\"")
        .with("Content-Range", "bytes 12000-19999/20000").chunked([4096])
    }
    #expect(try run.get("/a.jpg").exit == 3)
    #expect(try run.get("/a.jpg").exit == 3)
    #expect(server.requests.map { $0["Range"] } == [nil, "bytes=12000-", nil])
    try run.expectNothing()
  }

  @Test("A rest that does not match is refused, together with the stored part", arguments: rests.indices)
  func restThatDoesNotFit(index: Int) throws {
    let (name, lie) = Self.rests[index]
    let image = TestImages.jpeg(bytes: 20_000)
    let resource = Resource(image, etag: "\"1\"")
    server.on("/a.jpg") { request in
      switch request.ordinal {
      case 1: return resource.answer(request).cutAfter(12_000)
      case 2: return Resource(image, etag: "\"1\"", lie: lie).answer(request)
      default: return resource.answer(request)
      }
    }
    #expect(try run.get("/a.jpg").exit == 3)
    let second = try run.get("/a.jpg")
    let third = try run.get("/a.jpg")
    #expect(third.kind == nil, "\(name): \(second)\n\(third)")
    #expect(run.program.folder.read("work/a.jpg") == image, "\(name): \(second)\n\(third)")
  }
}
