import TestSupport
import Testing

/// Endless answers: each ends at a limit, long before it has filled the memory.
@Suite("Endless answers") struct EndlessAnswerTests {
  private let run: HostileRun
  private var server: TestServer { run.server }

  init() throws { run = try HostileRun() }

  /// The memory that a run may have resident. The byte limits in these tests are higher, so that a run that collected
  /// an answer before judging it would be noticed.
  private static let memory = 60 << 20

  /// Endless images, each made with a part that its format allows to repeat.
  private static let images: [(name: String, start: [UInt8], more: [UInt8])] = [
    ("jpeg pixels", Array(TestImages.jpeg(width: 2000, height: 2000).dropLast(2)), Array(repeating: 0x55, count: 4096)),
    (
      "png text", Array(TestImages.png(width: 9, height: 9).dropLast(12)),
      TestImages.pngChunk("tEXt", Array("a\0".utf8) + Array(repeating: 0x61, count: 4000))
    ),
    (
      "gif comments", Array(TestImages.gif(width: 5, height: 5).dropLast()),
      [0x21, 0xFE] + Array(repeatElement([255] + [UInt8](repeating: 0x61, count: 255), count: 32).joined()) + [0]
    ),
    ("behind the end mark", TestImages.png(width: 9, height: 9), Array(repeating: 0, count: 4096)),
  ]

  @Test("An endless image ends at --max-bytes", arguments: images.indices)
  func endlessImage(index: Int) throws {
    let image = Self.images[index]
    server.serve("/a", .ok(image.start).withoutLength().endless(image.more))
    let verdict = try run.get("/a", "--max-bytes", "80M")
    #expect(verdict.kind == "limit", "\(image.name): \(verdict)")
    #expect(verdict.exit == 5)
    #expect(verdict.memory < Self.memory, "\(image.name): \(verdict)")
    try server.waitForDepartures("/a")
    try run.expectNothing()
  }

  @Test("A chunked one, too")
  func endlessChunks() throws {
    let image = TestImages.jpeg(width: 2000, height: 2000)
    let chunk = Array("1000\r\n".utf8) + [UInt8](repeating: 0x55, count: 4096) + [13, 10]
    let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    let first = Array("\(String(image.count - 2, radix: 16))\r\n".utf8) + image.dropLast(2) + [13, 10]
    server.serve("/a", .raw(head + first).endless(chunk))
    let verdict = try run.get("/a", "--max-bytes", "80M")
    #expect(verdict.kind == "limit", "\(verdict)")
    #expect(verdict.memory < Self.memory, "\(verdict)")
    try run.expectNothing()
  }

  @Test(
    "A length beyond --max-bytes is refused before the body is read",
    arguments: ["99999999999", "9223372036854775807"])
  func declaredTooLong(length: String) throws {
    server.serve("/a", .raw("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n").endless([0xFF]))
    let verdict = try run.get("/a")
    #expect(verdict.kind == "limit", "\(verdict)")
    #expect(verdict.memory < Self.memory, "\(verdict)")
  }

  /// The part that is repeated endlessly, and the one before it.
  private static let heads: [(name: String, start: String, more: String)] = [
    ("fields", "HTTP/1.1 200 OK\r\n", "X-Filler: \(String(repeating: "x", count: 900))\r\n"),
    ("many small fields", "HTTP/1.1 200 OK\r\n", "A:\r\n"),
    ("one line", "HTTP/1.1 200 OK\r\nX-Filler: ", String(repeating: "x", count: 4096)),
    ("a status line", "HTTP/1.1 200 ", String(repeating: "OK ", count: 4096)),
    ("a folded field", "HTTP/1.1 200 OK\r\nX-Filler: x\r\n", " \(String(repeating: "x", count: 900))\r\n"),
    ("interim answers", "", "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"),
    ("interim answers without a field", "", "HTTP/1.1 100 Continue\r\n\r\n"),
    ("blank lines", "", "\r\n\r\n"),
  ]

  @Test("An endless header exceeds a limit, and is not requested again", arguments: heads.indices)
  func endlessHead(index: Int) throws {
    let head = Self.heads[index]
    server.serve("/a", .raw(head.start).endless(Array(head.more.utf8)))
    let verdict = try run.get("/a", "--retry", "2")
    let isNoHead = head.name == "blank lines"
    #expect(verdict.kind == (isNoHead ? "connect" : "limit"), "\(head.name): \(verdict)")
    #expect(verdict.exit == (isNoHead ? 3 : 5))
    #expect(server.count("/a") == 1)
    #expect(verdict.memory < Self.memory, "\(head.name): \(verdict)")
    try run.expectNothing()
  }

  /// The trailers after the body must be limited, too.
  @Test("Endless trailers exceed a limit")
  func endlessTrailer() throws {
    let image = TestImages.png(width: 9, height: 9)
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(image.count, radix: 16))\r\n"
    let trailer = "X-Filler: \(String(repeating: "x", count: 900))\r\n"
    server.serve("/a", .raw(Array(head.utf8) + image + Array("\r\n0\r\n".utf8)).endless(Array(trailer.utf8)))
    let verdict = try run.get("/a")
    #expect(verdict.exit == 5, "\(verdict)")
    #expect(verdict.memory < Self.memory, "\(verdict)")
    try run.expectNothing()
  }

  @Test("A 304 with 40,000 fields, or with an endless list, exceeds a limit", arguments: ["age", "http"])
  func hugeConfirmation(policy: String) throws {
    let fields = (0..<40_000).map { "F\($0):\r\n" }.joined()
    let names = String(repeating: "a,", count: 20_000)
    let headers = [fields, "Connection: \(names)\r\n", "Cache-Control: no-cache=\"\(names)\"\r\n"]
    for (number, header) in headers.enumerated() {
      let confirmation = TestServer.Response.raw("HTTP/1.1 304 Not Modified\r\n\(header)\r\n")
      let path = "/\(number)"
      server.on(path) { request in
        if request.ordinal == 1 { return .ok(TestImages.png(width: 9, height: 9)).with("ETag", "\"1\"") }
        return confirmation
      }
      #expect(try run.get(path, "--cache", policy).kind == nil)
      let verdict = try run.get(
        path, "--cache", policy, "-H", "Cache-Control: no-cache", "--max-age", "0", "--max-time", "60s")
      #expect(verdict.kind == "limit" && verdict.exit == 5, "\(verdict)")
    }
  }

  @Test("Ten thousand interim responses are accepted if small, and refused otherwise")
  func interim() throws {
    let image = TestImages.png(width: 9, height: 9)
    server.serve("/small", .ok(image, type: "image/png").after(interim: 103, times: 10_000))
    server.serve("/large", .ok(image, type: "image/png").after(interim: 103, [("Link", "</a.css>")], times: 10_000))
    #expect(try run.get("/small").kind == nil)
    let large = try run.get("/large")
    #expect(large.kind == "limit", "\(large)")
    #expect(large.exit == 5)
  }

  @Test("A million redirects end after the tenth")
  func redirects() throws {
    server.onOther { request in
      .redirect(to: "/\((Int(request.path.dropFirst()) ?? 0) + 1)")
    }
    let verdict = try run.get("/0")
    #expect(verdict.kind == "refused", "\(verdict)")
    #expect(verdict.exit == 8)
    #expect(server.requests.count == 11)
    try run.expectNothing()
  }

  @Test("A redirect to itself counts as well")
  func redirectToItself() throws {
    server.serve("/a", .redirect(to: "/a"))
    #expect(try run.get("/a").exit == 8)
    #expect(server.count("/a") == 11)
  }

  private static let policies = ["age", "http", "refresh", "reload", "memory", "off"]

  /// The bytes that the kernel accepts from the server before it learns that the program has
  /// closed, with room to spare.
  private static let underWay = 64 << 20

  @Test("A redirect with an endless body is followed all the same", arguments: policies)
  func endlessRedirectBody(policy: String) throws {
    server.serve("/a", .redirect(to: "/b").withoutLength().endless([0x20]))
    server.serve("/b", TestImages.png(width: 9, height: 9), type: "image/png")
    #expect(try run.get("/a", "--cache", policy, "--max-time", "60s").kind == nil)
    try server.waitForDepartures("/a")
    #expect(server.bytesSent < Self.underWay)
  }

  @Test("An error with an endless body is reported by its status", arguments: policies)
  func endlessRefusal(policy: String) throws {
    for (number, status) in [404, 401, 403, 410, 416, 500].enumerated() {
      let refusal = TestServer.Response.status(status)
      server.serve("/a\(status)", refusal.withoutLength().endless([0x20]))
      server.serve("/b\(status)", refusal.with("Content-Length", "99999999999").unframed().endless([0x20]))
      for path in ["/a\(status)", "/b\(status)"] {
        let verdict = try run.get(path, "--cache", policy, "--max-time", "60s")
        #expect(verdict.kind == "http" && verdict.exit == 4, "\(verdict)")
        #expect(verdict.memory < Self.memory, "\(verdict)")
      }
      #expect(server.bytesSent < Self.underWay * (number + 1))
    }
  }

  @Test(
    "A 401 with an endless body ends, too",
    arguments: ["Content-Length: 99999999999", "Transfer-Encoding: chunked"])
  func endlessChallenge(framing: String) throws {
    let head =
      "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n\(framing)\r\n\r\nFFFFFFFFFF\r\n"
    server.serve("/a", .raw(head).endless([0x20]))
    let verdict = try run.get("/a", "-u", "alice:sesame")
    #expect(verdict.kind == "limit" && verdict.message.contains("longer than 64 KiB"), "\(verdict)")
    #expect(server.bytesSent < Self.underWay)
  }
}
