import TestSupport
import Testing

/// Status lines and header fields are data: no terminal, pipe or file acts on them.
@Suite("Malicious header fields") struct UglyHeadTests {
  private let run: HostileRun
  private var server: TestServer { run.server }
  private let image = TestImages.png(width: 9, height: 9)

  init() throws { run = try HostileRun() }

  private func serve(_ head: [UInt8], path: String = "/a.png") {
    server.serve(path, .raw(head + Array("Content-Length: \(image.count)\r\n\r\n".utf8) + image))
  }

  /// No byte that a terminal would act on, except the line ends of the report itself.
  private func expectHarmless(_ outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
    let text = outcome.outputText.unicodeScalars + outcome.errorText.unicodeScalars
    for scalar in text where scalar != "\n" && scalar != "\t" {
      let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar == "\u{202E}"
      if isControl {
        Issue.record("\(scalar.value) in: \(outcome)", sourceLocation: sourceLocation)
        return
      }
    }
  }

  private static let claws = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{8}\u{202E}\u{9B}31m"

  @Test("Escape sequences in fields and reason phrases are removed in every report", arguments: [200, 404, 302])
  func escapes(status: Int) throws {
    let claws = Self.claws
    serve(
      Array(
        """
        HTTP/1.1 \(status) \(claws)\r
        X-\(claws): 1\r
        X-Claws: \(claws)\r
        ETag: "\(claws)"\r
        Location: http://127.0.0.1:1/\(claws)\r
        Content-Type: image/\(claws)\r
        Content-Disposition: attachment; filename="\(claws)"\r
        Set-Cookie: a=\(claws)\r\n
        """.utf8))
    for form in [["-vv"], ["--json", "--json-headers"], ["-w", "{status} {mime} {final_url} {error}\\n"], []] {
      for cache in ["off", "http", "refresh"] {
        let outcome = try run.program.run(
          ["get", "--retry", "0", "--cache", cache] + form + [server.url("/a.png")])
        #expect(outcome.exitCode == [200: 0, 404: 4, 302: 8][status] || outcome.exitCode == 3, "\(outcome)")
        expectHarmless(outcome)
      }
    }
    expectHarmless(try run.program.run("cache", "list", "--json"))
    expectHarmless(try run.program.run("cache", "list"))
  }

  @Test("NUL in a status line, a field's name or its value exits with 3, or is dropped")
  func nul() throws {
    let heads = ["HTTP/1.1 200 O\0K\r\n", "HTTP/1.1 200 OK\r\nX-\0A: 1\r\n", "HTTP/1.1 200 OK\r\nX-A: 1\02\r\n"]
    for (number, head) in heads.enumerated() {
      serve(Array(head.utf8), path: "/\(number).png")
      let outcome = try run.program.run("get", "--retry", "0", "-vv", server.url("/\(number).png"))
      #expect(outcome.exitCode == 3 || run.program.folder.read("work/\(number).png") == image, "\(outcome)")
      expectHarmless(outcome)
    }
  }

  @Test(
    "Anything but HTTP/1.x exits with 3: HTTP/0.9, another protocol's greeting, an image without a header",
    arguments: [
      "<html>hello</html>", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/0.9 200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n",
      "HTTP/1.1\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
    ])
  func otherProtocols(greeting: String) throws {
    server.serve("/a.png", .raw(Array(greeting.utf8) + image))
    let verdict = try run.get("/a.png")
    #expect(verdict.exit == 3, "\(verdict)")
    expectHarmless(verdict.outcome)
    try run.expectNothing()
  }

  @Test(
    "A connection that ends within the header has failed, and is tried again",
    arguments: ["HTTP/1.1 200 OK\r\nContent-Ty", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"])
  func cutHead(head: String) throws {
    server.on("/a.png") { [image] request in request.ordinal == 1 ? .raw(head) : .ok(image, type: "image/png") }
    let alone = try run.get("/a.png")
    #expect(alone.kind == "connect" && alone.exit == 3, "\(alone)")
    #expect(alone.message.contains("within the header"), "\(alone)")
    server.on("/b.png") { [image] request in request.ordinal == 1 ? .raw(head) : .ok(image, type: "image/png") }
    let again = try run.get("/b.png", "--retry", "1")
    #expect(again.kind == nil && server.count("/b.png") == 2, "\(again)")
  }

  @Test("An invalid status is one that is not accepted, or no HTTP", arguments: [600, 999])
  func oddStatus(status: Int) throws {
    server.serve("/a.png", .status(status, image))
    let verdict = try run.get("/a.png")
    #expect([3, 4].contains(verdict.exit), "\(verdict)")
    try run.expectNothing()
  }

  @Test("An ETag of a megabyte makes the header too large: exit 5, without a retry")
  func hugeTag() throws {
    server.serve("/a.png", .ok(image).with("ETag", "\"\(String(repeating: "x", count: 1 << 20))\""))
    let verdict = try run.get("/a.png", "--retry", "2")
    #expect(verdict.kind == "limit", "\(verdict)")
    #expect(verdict.exit == 5)
    #expect(server.count("/a.png") == 1)
    #expect(verdict.memory < 60 << 20, "\(verdict)")
    try run.expectNothing()
  }

  @Test("A validator that no server would accept is not sent, and the image is fetched again")
  func largeTag() throws {
    server.serve("/a.png", .ok(image, type: "image/png").with("ETag", "\"\(String(repeating: "x", count: 100_000))\""))
    #expect(try run.get("/a.png").kind == nil)
    #expect(try run.get("/a.png", "--cache", "refresh").kind == nil)
    #expect(server.count("/a.png") == 2)
    #expect(server.requests.allSatisfy { $0.head.count < 16_384 })
    #expect(run.program.folder.read("work/a.png") == image)
  }

  @Test("A Location of a quarter of a megabyte, or with a line break, causes no second request")
  func oddLocations() throws {
    server.serve("/long", .redirect(to: "/" + String(repeating: "x", count: 250_000)))
    server.serve("/broken", .raw("HTTP/1.1 302 Found\r\nLocation: /b\rX-Injected: 1\r\nContent-Length: 0\r\n\r\n"))
    server.serve("/folded", .raw("HTTP/1.1 302 Found\r\nLocation: /b\r\n X-Injected: 1\r\nContent-Length: 0\r\n\r\n"))
    for path in ["/long", "/broken", "/folded"] {
      let verdict = try run.get(path)
      #expect(verdict.kind != nil, "\(verdict)")
      expectHarmless(verdict.outcome)
    }
    #expect(server.requests.allSatisfy { $0["X-Injected"] == nil })
  }
}
