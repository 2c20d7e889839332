import TestSupport
import Testing

/// Only images reach an output file or the cache, and the exit code and the message give the reason.
@Suite("Refused answers and their messages") struct RefusalTests {
  private func expectNothing(_ program: Program, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(program.folder.files(in: "work").isEmpty, sourceLocation: sourceLocation)
    #expect(try program.run("cache", "size", "--exact").rows.first?.last == "0", sourceLocation: sourceLocation)
  }

  @Test("A 404 is exit 4 and names the URL and the status")
  func notFound() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", .status(404, TestImages.html(), type: "text/html"))
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 4)
    #expect(outcome.errorText.contains(server.url("/a.jpg")) && outcome.errorText.contains("404"), "\(outcome)")
    #expect(outcome.rows.first?.first == "failed")
    try expectNothing(program)
  }

  @Test("An HTML page with an image's name exits with 5, and the message says HTML")
  func html() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.html(), type: "image/jpeg")
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 5)
    #expect(outcome.errorText.contains("HTML"), "\(outcome)")
    try expectNothing(program)
  }

  @Test("An endless HTML page ends after its first bytes")
  func endlessHTML() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", .ok(TestImages.html(), type: "text/html").endless(Array("<p>more</p>".utf8)))
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 5, "\(outcome)")
    try expectNothing(program)
  }

  @Test("An empty body is exit 5")
  func empty() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", [])
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 5)
    #expect(outcome.errorText.contains("empty"), "\(outcome)")
    try expectNothing(program)
  }

  @Test(
    "A truncated body is exit 5 if the transfer was complete, and 3 if the connection broke",
    arguments: [1, 50, 600])
  func cut(at count: Int) throws {
    let server = try TestServer()
    let program = try Program()
    let image = TestImages.jpeg(bytes: 1000)
    server.serve("/whole.jpg", Array(image.prefix(count)))
    server.serve("/broken.jpg", .ok(image, type: "image/jpeg").cutAfter(count))
    #expect(try program.run("get", server.url("/whole.jpg")).exitCode == 5)
    let broken = try program.run("get", "--retry", "0", server.url("/broken.jpg"))
    #expect(broken.exitCode == 3, "\(broken)")
    #expect(broken.errorText.contains(server.url("/broken.jpg")))
    try expectNothing(program)
  }

  @Test("An unknown host is exit 3")
  func unknownHost() throws {
    let outcome = try Program().run("get", "--retry", "0", "http://nowhere.invalid/a.jpg")
    #expect(outcome.exitCode == 3)
    #expect(outcome.errorText.contains("http://nowhere.invalid/a.jpg"), "\(outcome)")
  }

  @Test("A refused connection is exit 3")
  func refusedConnection() throws {
    let server = try TestServer()
    let url = server.url("/a.jpg")
    server.stop()
    #expect(try Program().run("get", "--retry", "0", url).exitCode == 3)
  }

  @Test("ftp is exit 8, and so is a redirect to a file", arguments: ["ftp://localhost/a.jpg", "file:///etc/hostname"])
  func schemes(url: String) throws {
    let server = try TestServer()
    let program = try Program()
    let direct = try program.run("get", url)
    #expect(direct.exitCode == 8, "\(direct)")
    server.serve("/a.jpg", .redirect(to: url))
    let redirected = try program.run("get", server.url("/a.jpg"))
    #expect(redirected.exitCode == 8, "\(redirected)")
    #expect(redirected.errorText.contains(server.url("/a.jpg")))
    try expectNothing(program)
  }

  @Test("A URL with nothing between its slashes is exit 8, and the first part of its path is not looked up as a host")
  func emptyHost() throws {
    let program = try Program()
    for url in ["http:///x.png", "https:///x.png", "HTTP:///a/x.png", "///x.png"] {
      let operand = try program.run("get", url)
      let listed = try program.run(["get", "-i", "-"], input: url + "\n")
      for outcome in [operand, listed] {
        #expect(outcome.exitCode == 8 && outcome.errorText.contains("the URL names no host"), "\(outcome)")
      }
    }
    for option in ["--mirror", "--remote-cache"] {
      let outcome = try program.run("get", option, "http:///x", "http://127.0.0.1:1/x.png")
      #expect(outcome.exitCode == 2 && outcome.errorText.contains("the URL names no host"), "\(outcome)")
    }
    try expectNothing(program)
  }

  @Test("A wrong option is exit 2, with a suggestion, and nothing is done")
  func wrongOption() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    let outcome = try program.run("get", "--quite", server.url("/a.jpg"))
    #expect(outcome.exitCode == 2)
    #expect(outcome.errorText.contains("--quiet"), "\(outcome)")
    #expect(server.requests.isEmpty)
  }

  @Test("A full device is exit 7, and is named")
  func fullOutput() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(bytes: 10_000))
    let outcome = try program.run("get", "-o", "/dev/full", server.url("/a.jpg"))
    #expect(outcome.exitCode == 7)
    #expect(outcome.errorText.contains("/dev/full") && outcome.errorText.contains("space"), "\(outcome)")
  }

  @Test("Several kinds of failure in one run are exit 1, and the other images are fetched")
  func several() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    server.serve("/b.jpg", .status(404))
    server.serve("/c.jpg", TestImages.html())
    let outcome = try program.run("get", server.url("/a.jpg"), server.url("/b.jpg"), server.url("/c.jpg"))
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(program.folder.files(in: "work") == ["a.jpg"])
  }

  @Test("An image of too many pixels, or too many bytes, is exit 5")
  func limits() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.png", TestImages.png(width: 100, height: 100), type: "image/png")
    #expect(try program.run("get", "--max-pixels", "9999", server.url("/a.png")).exitCode == 5)
    #expect(try program.run("get", "--max-bytes", "100", server.url("/a.png")).exitCode == 5)
    try expectNothing(program)
    #expect(try program.run("get", "--max-pixels", "0", "--max-bytes", "0", server.url("/a.png")).exitCode == 0)
    #expect(try program.run("get", "--max-pixels", "10000", server.url("/a.png")).exitCode == 0)
    #expect(try program.run("get", "--max-pixels", "9999", "--offline", server.url("/a.png")).exitCode == 6)
  }

  @Test(
    "A redirect to what cannot be asked for is an answer like any other where its status is accepted, or else exit 8",
    arguments: ["ftp://elsewhere.example/y", "data:image/png,x", "http://"])
  func unfollowed(location: String) throws {
    let server = try TestServer()
    let program = try Program()
    for path in ["/a", "/b"] { server.serve(path, .redirect(to: location)) }
    #expect(try program.run("get", server.url("/b")).exitCode == 8)
    let outcome = try program.run(
      "get", "--verify", "none", "--accept-status", "100-599", "--json", "-o", "out", server.url("/a"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    let row = try JSON.object(outcome.lines[0])
    #expect(row["status"] as? Int == 302, "\(outcome)")
  }

  @Test("Frames count together where they are decoded, and the message names --max-pixels; of one frame, one counts")
  func framesOverLimit() throws {
    let server = try TestServer()
    let program = try Program()
    let gif = TestImages.gif(width: 80, height: 60, frames: 3)
    try program.folder.write("work/anim.gif", gif)
    server.serve("/a.gif", gif, type: "image/gif")
    let limit = ["--max-pixels", "4800"]
    #expect(try program.run(["inspect", "anim.gif"] + limit).exitCode == 0)
    let inspected = try program.run(["inspect", "--verify", "decode", "anim.gif"] + limit)
    let resized = try program.run(["get", "--resize", "10x", "-o", "out.gif", server.url("/a.gif")] + limit)
    for outcome in [inspected, resized] {
      #expect(outcome.exitCode == 5, "\(outcome)")
      #expect(
        outcome.errorText.contains("in 3 frames") && outcome.errorText.contains("; --max-pixels allows more"),
        "\(outcome)")
    }
    // The second run has it from the cache, where it is as whole as it was when it came.
    for network in [[], ["--offline"]] {
      let first = try program.run(
        ["get", "--first-frame", "--resize", "10x", "-o", "first.gif", server.url("/a.gif")] + limit + network)
      #expect(first.exitCode == 0, "\(first)")
    }
  }
}
