import ImgfetchCore
import TestSupport
import Testing

@Suite("--robots: what sites allow") struct RobotsTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    server.onOther { _ in .ok(TestImages.jpeg(width: 8, height: 8), type: "image/jpeg") }
    program = try Program()
  }

  private func count(_ path: String) -> Int { server.count(path) }

  @Test("Each origin's file is asked for once in a run, and what it does not allow is refused with its line")
  func list() throws {
    server.on("/robots.txt") { _ in .ok(Array("User-agent: *\nDisallow: /no/\n".utf8), type: "text/plain") }
    let lines = (0..<20).flatMap { [server.url("/yes/\($0).jpg"), server.url("/no/\($0).jpg")] }
    try program.folder.write("work/list.txt", lines.joined(separator: "\n"))
    let outcome = try program.run(["get", "--robots", "-d", "out", "-i", "list.txt"])
    #expect(outcome.exitCode == 8)
    #expect(outcome.lines.count { $0.hasPrefix("failed\t") } == 20)
    #expect(program.folder.files(in: "work/out").count == 20)
    #expect(count("/robots.txt") == 1)
    #expect(server.requests.allSatisfy { !$0.path.hasPrefix("/no/") })
    #expect(
      outcome.errorText.contains(
        "\(server.url("/no/7.jpg")): robots.txt of \(server.url("").dropFirst(7)) does not allow it (line 2: Disallow: /no/)"
      ))
  }

  @Test("The next run takes it from the cache")
  func cached() throws {
    server.on("/robots.txt") { _ in .ok(Array("User-agent: imgfetch\nDisallow: /no/\n".utf8), type: "text/plain") }
    #expect(try program.run(["get", "--robots", server.url("/a.jpg")]).exitCode == 0)
    #expect(try program.run(["get", "--robots", server.url("/b.jpg")]).exitCode == 0)
    #expect(try program.run(["get", "--robots", server.url("/no/b.jpg")]).exitCode == 8)
    #expect(count("/robots.txt") == 1)
  }

  @Test(
    "What is demanded of images is not demanded of it",
    arguments: [
      ["--fingerprint", "dhash"], ["--exif"], ["--unique", "looks"], ["--refuse-tag", "noindex"],
      ["--cache", "off", "-H", "If-None-Match: \"1\""], ["--cache", "off", "-H", "Range: bytes=0-3"],
    ])
  func demands(options: [String]) throws {
    server.on("/robots.txt") { request in
      if request["If-None-Match"] != nil { return .status(304) }
      if request["Range"] != nil { return .status(206) }
      return .ok(Array("User-agent: *\nDisallow: /no/\n".utf8), type: "text/plain").with("X-Robots-Tag", "noindex")
    }
    let outcome = try program.run(
      ["get", "--robots", "-d", "out"] + options + [server.url("/yes/a.jpg"), server.url("/no/a.jpg")])
    #expect(outcome.exitCode == 8 && outcome.errorText.contains("does not allow it"), "\(outcome)")
    #expect(count("/yes/a.jpg") == 1 && count("/no/a.jpg") == 0, "\(outcome)")
  }

  @Test("With --cache-key it is kept under its own key, and is not waited for as if it were the image")
  func key() throws {
    server.on("/robots.txt") { _ in .ok(Array("User-agent: *\nDisallow: /no/\n".utf8), type: "text/plain") }
    let options = ["--cache-key", "mine", "--timeout", "5"]
    let first = try program.run(["get", "--robots", "-w", "{elapsed_ms}\n"] + options + [server.url("/yes/a.jpg")])
    #expect(first.exitCode == 0 && (Double(first.lines.first ?? "") ?? .infinity) < 4000, "\(first)")
    let other = try program.run(["get", "--robots", "--cache", "reload"] + options + [server.url("/no/a.jpg")])
    #expect(other.exitCode == 8 && count("/no/a.jpg") == 0, "\(other)")
  }

  @Test("The file that a page is asked for by is kept for a day, and not asked about by what is kept of the page")
  func pages() throws {
    var forbids = Array("User-agent: *\nDisallow: /no/\n".utf8)
    server.on("/robots.txt") { [forbids] request in
      request["If-None-Match"] == "\"page\"" ? .status(304) : .ok(forbids, type: "text/plain")
    }
    server.on("/page.html") { request in
      if request["If-None-Match"] == "\"page\"" { return .status(304).with("ETag", "\"page\"") }
      return .ok(Array("<img src=/no/a.jpg>".utf8), type: "text/html").with("ETag", "\"page\"")
    }
    let dry = try program.run("get", "--dry-run", "--robots", "--from", server.url("/page.html"))
    #expect(dry.exitCode == 0 && program.folder.files(in: "home/.cache").isEmpty, "\(dry)")
    for _ in 0..<2 { #expect(try program.run("find", "--robots", server.url("/page.html")).exitCode == 0) }
    #expect(count("/robots.txt") == 2 && count("/page.html") == 3)
    // It has to be asked for again each time.
    forbids += Array("# no-store\n".utf8)
    server.on("/robots.txt") { [forbids] request in
      if request["If-None-Match"] == "\"page\"" { return .status(304) }
      return .ok(forbids, type: "text/plain").with("Cache-Control", "no-store")
    }
    for directory in ["one", "two"] {
      let outcome = try program.run(
        "get", "--robots", "--namespace", "other", "-d", directory, "--from", server.url("/page.html"))
      #expect(outcome.exitCode == 8 && count("/no/a.jpg") == 0, "\(outcome)")
    }
  }

  @Test("Where there is none everything is allowed", arguments: [404, 403, 410])
  func absent(status: Int) throws {
    server.on("/robots.txt") { _ in .status(status) }
    #expect(try program.run(["get", "--robots", server.url("/a.jpg")]).exitCode == 0)
  }

  @Test("Where the server fails nothing is")
  func unavailable() throws {
    server.on("/robots.txt") { _ in .status(500) }
    let outcome = try program.run(["get", "--robots", "--retry", "0", server.url("/a.jpg")])
    #expect(outcome.exitCode == 8)
    #expect(outcome.errorText.contains("could not be had"))
    #expect(count("/a.jpg") == 0)
  }

  @Test("A redirect to another origin is judged by that one's file, too")
  func redirect() throws {
    let other = try TestServer(host: "127.0.0.2")
    other.on("/robots.txt") { _ in .ok(Array("User-agent: *\nDisallow: /\n".utf8), type: "text/plain") }
    server.on("/robots.txt") { _ in .status(404) }
    server.on("/a.jpg") { _ in .redirect(to: other.url("/b.jpg")) }
    #expect(try program.run(["get", "--robots", server.url("/a.jpg")]).exitCode == 8)
    #expect(other.requests.map(\.path) == ["/robots.txt"])
  }

  @Test("A file is read for its first 500 KiB, which is told once")
  func long() throws {
    let rules = "User-agent: *\nDisallow: /no/\n"
    let filling = String(repeating: "# filling\n", count: 52_000)
    server.on("/robots.txt") { _ in .ok(Array((rules + filling + "Disallow: /late/\n").utf8)) }
    let urls = ["/late/a.jpg", "/late/b.jpg", "/no/c.jpg"].map { server.url($0) }
    let outcome = try program.run(["get", "--robots", "-d", "out"] + urls)
    #expect(outcome.exitCode == 8 && program.folder.files(in: "work/out").count == 2, "\(outcome)")
    #expect(outcome.errorText.split(separator: "\n").count { $0.contains("longer than 500 KiB") } == 1, "\(outcome)")
  }

  @Test("Of a file of 17 MB the beginning counts, as of every file that is too long")
  func huge() throws {
    let rules = Array("User-agent: *\nDisallow: /no/\n".utf8)
    let file = rules + [UInt8](repeating: UInt8(ascii: "#"), count: 17 << 20)
    server.on("/robots.txt") { _ in .ok(file, type: "text/plain") }
    let outcome = try program.run(["get", "--robots", "-d", "out", server.url("/yes.jpg"), server.url("/no/a.jpg")])
    #expect(outcome.exitCode == 8, "\(outcome)")
    #expect(program.folder.files(in: "work/out") == ["yes.jpg"], "\(outcome)")
    #expect(outcome.errorText.contains("longer than 500 KiB"), "\(outcome)")
  }

  @Test("A pause of up to a minute is kept; a longer one is a refusal that says so")
  func delay() throws {
    server.on("/robots.txt") { _ in .ok(Array("User-agent: *\nCrawl-delay: 86400\n".utf8)) }
    let outcome = try program.run(["get", "--robots", "-d", "out", server.url("/a.jpg"), server.url("/b.jpg")])
    #expect(outcome.exitCode == 8 && count("/a.jpg") == 0, "\(outcome)")
    #expect(
      outcome.errorText.contains("asks for 86400 seconds from one request to the next, and 60 are waited at most"),
      "\(outcome)")
  }

  @Test("Without the option no file is asked for")
  func off() throws {
    #expect(try program.run(["get", server.url("/a.jpg")]).exitCode == 0)
    #expect(count("/robots.txt") == 0)
  }

  @Test("--contact says who asks, and a User-Agent of one's own replaces it")
  func contact() throws {
    func agent(_ arguments: [String]) throws -> String? {
      #expect(try program.run(["get", "--cache", "off", "-o", "x", server.url("/c.jpg")] + arguments).exitCode == 0)
      return server.requests.last?["User-Agent"]
    }
    #expect(try agent(["--contact", "photos@a.example"]) == "imgfetch/\(ImgfetchVersion.number) (photos@a.example)")
    #expect(try agent(["--contact", "a (b) \\"]) == "imgfetch/\(ImgfetchVersion.number) " + #"(a \(b\) \\)"#)
    #expect(try agent(["--contact", "x", "-A", "mine"]) == "mine")
    #expect(try program.run(["get", "--contact", "a\nb", server.url("/c.jpg")]).exitCode == 2)
  }

  @Test("Under -v one hint says how to name oneself, and once for all runs")
  func hint() throws {
    let hint = "--contact ADDRESS tells the owners of sites who asks"
    #expect(try !program.run(["get", "-v", "-A", "mine", server.url("/b.jpg")]).errorText.contains(hint))
    #expect(try !program.run(["get", server.url("/c.jpg")]).errorText.contains(hint))
    #expect(try program.run(["get", "-v", server.url("/a.jpg")]).errorText.contains(hint))
    #expect(try !program.run(["get", "-v", server.url("/d.jpg")]).errorText.contains(hint))
    #expect(try program.run(["cache", "clear"]).exitCode == 0)
    #expect(try !program.run(["get", "-v", server.url("/e.jpg")]).errorText.contains(hint))
  }

  @Test("--refuse-tag refuses what says so, from the cache too, and takes all else")
  func tags() throws {
    let image = TestImages.jpeg(width: 8, height: 8)
    server.on("/no.jpg") { _ in .ok(image, type: "image/jpeg").with("X-Robots-Tag", "otherbot: noindex, noai") }
    server.on("/me.jpg") { _ in .ok(image, type: "image/jpeg").with("X-Robots-Tag", "imgfetch: NoIndex") }
    let both = [server.url("/no.jpg"), server.url("/me.jpg")]
    #expect(try program.run(["get", "-d", "first"] + both).exitCode == 0)
    for policy in ["age", "off"] {
      let outcome = try program.run(
        ["get", "--cache", policy, "--refuse-tag", "noindex,noimageai", "-d", policy] + both)
      #expect(outcome.exitCode == 8)
      #expect(outcome.errorText.hasPrefix("imgfetch: \(both[1]): its answer has X-Robots-Tag: noindex\n"))
      #expect(program.folder.files(in: "work/" + policy) == ["no.jpg"])
    }
    #expect(try program.run(["get", "--refuse-tag", "a,,b", both[0]]).exitCode == 2)
  }
}
