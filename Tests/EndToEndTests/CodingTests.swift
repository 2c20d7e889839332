import ImgfetchCore
import TestSupport
import Testing

/// Bodies that come in a coding: of the transfer, or of the content.
@Suite("Codings") struct CodingTests {
  let run: HostileRun
  let image = TestImages.jpeg(width: 30, height: 20)
  var server: TestServer { run.server }
  var program: Program { run.program }

  init() throws { run = try HostileRun() }

  @Test(
    "A transfer coding other than chunked and identity is refused before a byte of the body, whatever the status",
    arguments: ["gzip, gzip, chunked", "gzip", "chunked, deflate", "x-none", "chunked\r\nTransfer-Encoding: gzip"])
  func transferCoding(coding: String) throws {
    // 64 MB of zeros, twice compressed: a kilobyte.
    let inner = TestImages.gzipped([UInt8](repeating: 0, count: 64 << 20))
    let body = TestImages.gzipped(inner)
    server.serve("/a.jpg", .ok(body).with("Transfer-Encoding", coding).unframed().endless(body))
    server.serve("/b.jpg", .status(404, body).with("Transfer-Encoding", coding).unframed().endless(body))
    let start = SystemClock().now()
    for path in ["/a.jpg", "/b.jpg"] {
      let verdict = try run.get(path, "--verify", "none")
      #expect(verdict.kind == "not-image" && verdict.exit == 5, "\(verdict)")
      #expect(verdict.message.contains("transfer coding other than chunked"), "\(verdict)")
      #expect(verdict.memory < 60 << 20, "\(verdict)")
    }
    // Undone, each would keep the loop for seconds.
    #expect((SystemClock().now() - start).seconds < 5)
    try run.expectNothing()
  }

  @Test("chunked and identity are taken, in any case", arguments: ["Chunked", "identity, chunked", " chunked ,"])
  func usual(coding: String) throws {
    let chunk = Array("\(String(image.count, radix: 16))\r\n".utf8) + image + Array("\r\n0\r\n\r\n".utf8)
    server.serve("/a.jpg", .ok(chunk).with("Transfer-Encoding", coding).unframed())
    #expect(try run.get("/a.jpg").kind == nil)
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test(
    "A body with the coding identity ends at its length, with the connection still open", arguments: [900, 200_000])
  func identity(size: Int) throws {
    let image = TestImages.jpeg(bytes: size)
    server.serve("/a.jpg", .ok(image).with("Transfer-Encoding", "identity"))
    server.serve("/b.jpg", .redirect(to: "/a.jpg").with("Transfer-Encoding", "identity"))
    server.serve("/none.jpg", .ok([]).with("Transfer-Encoding", "identity"))
    server.serve("/half.jpg", .ok(image).with("Transfer-Encoding", "identity").cutAfter(size / 2))
    #expect(try run.get("/b.jpg").kind == nil)
    #expect(program.folder.read("work/b.jpg") == image)
    #expect(try run.get("/none.jpg").kind == "not-image")
    #expect(try run.get("/half.jpg").kind == "truncated")
  }

  @Test("With the coding identity, an answer without a body is whole, and a redirect that breaks off is followed")
  func identityWithoutImage() throws {
    let codings = "Transfer-Encoding: identity\r\nContent-Length: 900\r\n"
    server.serve("/empty.jpg", .raw("HTTP/1.1 204 No Content\r\n\(codings)\r\n"))
    server.serve("/a.jpg", .ok(image))
    server.serve("/b.jpg", .raw("HTTP/1.1 302 Found\r\nLocation: /a.jpg\r\n\(codings)\r\nhalf"))
    #expect(try run.get("/empty.jpg", "--verify", "none", "--accept-status", "204").kind == nil)
    #expect(try run.get("/b.jpg", "--cache", "http").kind == nil)
    #expect(program.folder.read("work/b.jpg") == image)
  }

  @Test(
    "One layer of gzip is undone: the file, its sums and its entry are the image's", arguments: ["gzip", "X-GZIP"])
  func gzip(coding: String) throws {
    let packed = TestImages.gzipped(image)
    server.serve("/a.jpg", .ok(packed, type: "image/jpeg").with("Content-Encoding", coding).with("ETag", "\"1\""))
    let line = "\(server.url("/a.jpg"))\tx.jpg\tsha256=\(SHA256.digest(of: image.span).map { hex($0) }.joined())"
    try program.folder.write("work/list.txt", line)
    let outcome = try program.run(["get", "--json", "--json-headers", "--checksum", "-i", "list.txt"])
    let row = try JSON.object(outcome.lines[0])
    #expect(outcome.exitCode == 0 && program.folder.read("work/x.jpg") == image, "\(outcome)")
    #expect(row["bytes"] as? Int == image.count && row["downloaded"] as? Int == packed.count, "\(outcome)")
    #expect(!outcome.lines[0].lowercased().contains("content-encoding"), "\(outcome)")
    // The next run has it from the cache, as it was.
    let again = try program.run("get", "-o", "y.jpg", server.url("/a.jpg"))
    #expect(again.rows.first?.first == "disk" && program.folder.read("work/y.jpg") == image, "\(again)")
    #expect(try program.run("cache", "verify").exitCode == 0)
    // A 304 that names the coding changes nothing.
    server.serve("/a.jpg", .status(304).with("Content-Encoding", "gzip").with("ETag", "\"1\""))
    let confirmed = try program.run("get", "--cache", "refresh", "-o", "z.jpg", server.url("/a.jpg"))
    #expect(confirmed.rows.first?.first == "disk=" && program.folder.read("work/z.jpg") == image, "\(confirmed)")
  }

  private func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  @Test("A large one is undone piece by piece, and its peeks are not taken for the image")
  func large() throws {
    let large = TestImages.jpeg(bytes: 3 << 20)
    let packed = TestImages.gzipped(large)
    let gate = Gate()
    server.serve(
      "/a.jpg", .ok(packed).with("Content-Encoding", "gzip").trickle([(100, gate), (200_000, gate)]))
    let running = try program.start(["get", server.url("/a.jpg")])
    try server.waitForBytesSent(100)
    gate.open()
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0 && program.folder.read("work/a.jpg") == large, "\(outcome)")
  }

  @Test("What it unpacks to counts against --max-bytes, and so does what comes of nothing")
  func bounds() throws {
    server.serve(
      "/zeros.jpg", .ok(TestImages.gzipped([UInt8](repeating: 0, count: 8 << 20))).with("Content-Encoding", "gzip"))
    // Empty blocks of deflate, for ever.
    let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    server.serve(
      "/nothing.jpg",
      .ok(head).with("Content-Encoding", "gzip").unframed().endless([0, 0, 0, 0xFF, 0xFF]))
    for path in ["/zeros.jpg", "/nothing.jpg"] {
      let verdict = try run.get(path, "--verify", "none", "--max-bytes", "1M")
      #expect(verdict.kind == "limit" && verdict.exit == 5, "\(verdict)")
      #expect(verdict.memory < 60 << 20, "\(verdict)")
    }
    try run.expectNothing()
  }

  @Test("What is no gzip, damaged or cut is refused")
  func broken() throws {
    let packed = TestImages.gzipped(image)
    var damaged = packed
    damaged[packed.count - 6] ^= 0xFF
    for (name, body) in [("plain", image), ("damaged", damaged), ("cut", Array(packed.dropLast(9)))] {
      server.serve("/\(name).jpg", .ok(body).with("Content-Encoding", "gzip"))
      let verdict = try run.get("/\(name).jpg", "--verify", "none")
      #expect(verdict.kind == "damaged" && verdict.exit == 5, "\(name): \(verdict)")
    }
    try run.expectNothing()
  }

  @Test("What came of it is never gone on with: the next attempt asks for the whole")
  func notResumed() throws {
    let large = TestImages.jpeg(bytes: 1 << 20)
    let packed = TestImages.gzipped(large)
    let good = TestServer.Response.ok(packed).with("Content-Encoding", "gzip").with("ETag", "\"1\"")
      .with("Accept-Ranges", "bytes")
    server.serve("/a.jpg", inTurn: [good.cutAfter(600_000), good.cutAfter(600_000), good])
    let first = try program.run("get", "--retry", "1", server.url("/a.jpg"))
    #expect(first.exitCode == 3, "\(first)")
    let second = try program.run("get", server.url("/a.jpg"))
    #expect(second.exitCode == 0 && program.folder.read("work/a.jpg") == large, "\(second)")
    #expect(server.requests.count == 3 && server.requests.allSatisfy { $0["Range"] == nil })
  }

  @Test("Several layers, and other codings, are refused", arguments: ["gzip, gzip", "br", "deflate", "gzip, br"])
  func layers(coding: String) throws {
    server.serve("/a.jpg", .ok(TestImages.gzipped(TestImages.gzipped(image))).with("Content-Encoding", coding))
    let verdict = try run.get("/a.jpg", "--verify", "none")
    #expect(verdict.kind == "not-image" && verdict.exit == 5 && verdict.message.contains(coding), "\(verdict)")
    try run.expectNothing()
  }

  @Test("Several compressed parts, one after another, are one image, wherever the pieces of the body end")
  func parts() throws {
    let middle = image.count / 2
    let first = TestImages.gzipped(Array(image[..<middle]))
    let body = first + TestImages.gzipped([]) + TestImages.gzipped(Array(image[middle...]))
    for cut in [first.count - 1, first.count, first.count + 1, first.count + 2] {
      let server = try TestServer()
      let gate = Gate()
      server.serve("/\(cut).jpg", .ok(body, type: "image/jpeg").with("Content-Encoding", "gzip").trickle([(cut, gate)]))
      let running = try program.start(["get", server.url("/\(cut).jpg")])
      try server.waitForBytesSent(cut)
      gate.open()
      let outcome = try running.wait()
      #expect(outcome.exitCode == 0 && program.folder.read("work/\(cut).jpg") == image, "\(outcome)")
    }
    server.serve("/cut.jpg", .ok(Array(body.dropLast(9))).with("Content-Encoding", "gzip"))
    #expect(try run.get("/cut.jpg", "--verify", "none").kind == "damaged")
    server.serve("/more.jpg", .ok(TestImages.gzipped(image) + [0, 0, 0]).with("Content-Encoding", "gzip"))
    #expect(try run.get("/more.jpg").kind == nil)
  }
}
