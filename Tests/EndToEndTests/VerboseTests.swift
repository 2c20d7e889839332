import Glibc
import TestSupport
import Testing

/// `-v` prints one line for each decision of the cache, with the reason.
@Suite("Explanations of -v") struct VerboseTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", Resource(TestImages.jpeg(width: 20, height: 10), etag: "\"v1\""))
  }

  /// The lines about the image, without its URL.
  private func told(_ arguments: String...) throws -> [String] {
    let outcome = try program.run(["get", "-v"] + arguments + [server.url("/a.jpg")])
    #expect(outcome.rows.count == 1, "\(outcome)")
    let lead = "* \(server.url("/a.jpg")): "
    return outcome.errorText.split(separator: "\n").filter { $0.hasPrefix(lead) }.map {
      String($0.dropFirst(lead.count))
    }
  }

  private func age(byDays days: Double) throws {
    let path = try #require(try program.run("cache", "path", server.url("/a.jpg")).lines.first)
    try Command.setTimes(of: path, daysAgo: days)
  }

  @Test("A miss that is stored, then a hit with its age")
  func missAndHit() throws {
    let bytes = TestImages.jpeg(width: 20, height: 10).count
    #expect(
      try told() == ["not in the cache: the origin is asked", "asked", "answered 200, \(bytes) bytes", "stored"])
    let hit = try told()
    #expect(hit.count == 1)
    #expect(hit.first?.hasPrefix("on disk, ") == true && hit.first?.hasSuffix(" s old: served") == true, "\(hit)")
  }

  @Test("An image that cannot be stored is not called stored")
  func unwritable() throws {
    _ = try told()
    let path = try #require(try program.run("cache", "path", server.url("/a.jpg")).lines.first)
    #expect(mkdir(path + ".part", 0o700) == 0 && mkdir(path + ".part/full", 0o700) == 0)
    let lines = try told("--cache", "reload")
    #expect(lines.contains("not stored on disk") && !lines.contains("stored"), "\(lines)")
  }

  @Test("A damaged entry, under each policy that reads the cache", arguments: ["age", "refresh", "http", "only"])
  func damaged(_ policy: String) throws {
    _ = try told()
    let path = try #require(try program.run("cache", "path", server.url("/a.jpg")).lines.first)
    var bytes = try #require(Command.contents(of: path))
    bytes[100] ^= 1
    try Command.overwrite(path, with: bytes)
    #expect(try told("--cache", policy).first == "stored, but damaged: not to be served")
  }

  @Test("An image past its age, with both numbers")
  func old() throws {
    _ = try told()
    try age(byDays: 8.5)
    #expect(
      try told().first
        == "on disk, 8.5 d old, which is more than 7 d: the origin is asked whether it is still right")
    try age(byDays: 0.5)
    #expect(
      try told("--max-age", "90m").first
        == "on disk, 12 h old, which is more than 90 min: the origin is asked whether it is still right")
    try age(byDays: -3)
    #expect(
      try told().first == "on disk, with a time that lies ahead: the origin is asked whether it is still right")
  }

  @Test("Policies that always ask")
  func policies() throws {
    _ = try told()
    #expect(
      try told("--cache", "refresh").first
        == "on disk, which under refresh is not enough: the origin is asked whether it is still right")
    for policy in ["reload", "off"] {
      #expect(
        try told("--cache", policy).first == "not looked for in the cache (\(policy)): the origin is asked")
    }
    #expect(try told("--cache", "memory").first == "not in memory: the origin is asked")
  }

  @Test("A page is in no cache of images, and none is told of")
  func page() throws {
    server.serve("/page.html", .ok(Array("<img src=a.jpg>".utf8), type: "text/html"))
    let outcome = try program.run("find", "-v", server.url("/page.html"))
    #expect(outcome.exitCode == 0 && outcome.errorText.contains(": asked\n"), "\(outcome)")
    #expect(!outcome.errorText.contains("cache"), "\(outcome)")
  }

  @Test("A stored image that is not usable, and a known failure")
  func unfit() throws {
    _ = try told()
    let small = try told("--min-size", "1000x1000")
    #expect(small.first?.hasPrefix("stored, but it does not do: ") == true, "\(small)")
    server.serve("/gone.jpg", .status(404))
    let running = try program.start(["get", "-v", "-i", "-"])
    for _ in 1...2 {
      // One after the other, so that the second does not share the first one's download.
      running.write(server.url("/gone.jpg") + "\n")
      _ = try running.nextLine()
    }
    running.closeInput()
    let outcome = try running.wait()
    #expect(
      outcome.errorText.contains("* \(server.url("/gone.jpg")): known to fail: not asked for again\n"), "\(outcome)")
  }

  @Test("Each line names its URL, also those of redirects, answers and retries")
  func named() throws {
    server.serve("/moved", .redirect(to: server.url("/a.jpg")))
    server.serve("/again.jpg", inTurn: [.status(503), .ok(TestImages.jpeg(width: 8, height: 8), type: "image/jpeg")])
    let urls = ["/moved", "/again.jpg", "/a.jpg"].map { server.url($0) }
    let outcome = try program.run(["get", "-v"] + urls)
    #expect(outcome.exitCode == 0)
    let lines = outcome.errorText.split(separator: "\n").filter { $0.hasPrefix("* ") }
    for line in lines { #expect(urls.contains { line.hasPrefix("* \($0): ") }, "\(line)") }
    for part in ["\(urls[0]): redirected to ", "\(urls[1]): answered 503", "again in "] {
      #expect(outcome.errorText.contains(part), "\(outcome)")
    }
  }

  @Test("The last of -q and -v counts; without either nothing is explained")
  func quiet() throws {
    #expect(try program.run("get", server.url("/a.jpg")).error.isEmpty)
    #expect(try program.run("get", "-v", "-q", server.url("/a.jpg")).error.isEmpty)
  }
}
