import Glibc
import TestSupport
import Testing

/// An image that its origin has no more is said to be gone by every run, until the origin has it again.
@Suite("Images that are gone") struct GoneImageTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.jpeg(width: 20, height: 10)
  private let url: String

  init() throws {
    server = try TestServer()
    program = try Program()
    url = server.url("/a.jpg")
    server.serve("/a.jpg", Resource(image, etag: "\"v1\""))
  }

  private func get(_ arguments: String...) throws -> Outcome {
    try program.run(["get", "--retry", "0"] + arguments + [url])
  }

  private func word(_ outcome: Outcome) -> String? { outcome.rows.first?.first }

  private static let page = Array("<!DOCTYPE html><title>Not here</title><p>This picture was removed.".utf8)

  /// The answers of an origin that does not have the image any more.
  static let answers: [(answer: TestServer.Response, exit: Int32)] = [
    (.status(404), 4), (.status(410), 4), (.ok(page, type: "text/html"), 5),
  ]

  @Test("Each run asks and says the same, and offline the image is served as stale", arguments: 0..<3)
  func gone(kind: Int) throws {
    let (answer, exit) = Self.answers[kind]
    #expect(word(try get()) == "none")
    server.serve("/a.jpg", answer)
    #expect(word(try get()) == "disk", "it is young enough not to be asked about")
    #expect(try get("--cache", "refresh").exitCode == exit)
    for _ in 0..<2 {
      let outcome = try get()
      #expect(outcome.exitCode == exit && word(outcome) == "failed", "\(outcome)")
    }
    let offline = try get("--offline", "-o", "off.jpg")
    #expect(offline.exitCode == 0 && word(offline) == "disk!", "\(offline)")
    #expect(offline.errorText.contains("a stored image is served"), "\(offline)")
    #expect(program.folder.read("work/off.jpg") == image)
    #expect(server.count("/a.jpg") == 4)
    #expect(try program.run("cache", "verify").exitCode == 0)
  }

  @Test("Failures of the server are failures then, and nothing stale is served", arguments: [500, 503, 0])
  func neverStale(status: Int) throws {
    _ = try get()
    server.serve("/a.jpg", .status(404))
    #expect(try get("--cache", "reload").exitCode == 4)
    if status == 0 { server.stop() } else { server.serve("/a.jpg", .status(status)) }
    let outcome = try get()
    #expect(outcome.exitCode == (status == 0 ? 3 : 4) && word(outcome) == "failed", "\(outcome)")
  }

  @Test("A 304 takes the mark away, and so does an image")
  func back() throws {
    _ = try get()
    for isOther in [false, true] {
      server.serve("/a.jpg", .status(410))
      #expect(try get("--cache", "refresh").exitCode == 4)
      #expect(try get().exitCode == 4)
      let other = TestImages.jpeg(width: 9, height: 9)
      server.serve("/a.jpg", isOther ? Resource(other, etag: "\"v2\"") : Resource(image, etag: "\"v1\""))
      #expect(word(try get()) == (isOther ? "none" : "disk="))
      let asked = server.count("/a.jpg")
      #expect(word(try get()) == "disk")
      #expect(server.count("/a.jpg") == asked)
    }
  }

  @Test("Within a run, too, what is gone is not served from memory")
  func withinARun() throws {
    _ = try get()
    server.serve("/a.jpg", .status(404))
    let run = try program.start(["get", "-i", "-", "--cache", "refresh"])
    for _ in 0..<2 {
      run.write(url + "\n")
      #expect(try run.nextLine()?.hasPrefix("failed\t") == true)
    }
    run.closeInput()
    #expect(try run.wait().exitCode == 4)
  }

  @Test("Under HTTP's own rules, too, the image is kept as gone and not served stale", arguments: 0..<3)
  func byHTTP(kind: Int) throws {
    let (answer, exit) = Self.answers[kind]
    #expect(word(try get("--cache", "http")) == "none")
    server.serve("/a.jpg", answer)
    for _ in 0..<2 { #expect(try get("--cache", "http").exitCode == exit) }
    #expect(word(try get("--offline")) == "disk!")
    server.serve("/a.jpg", .status(503))
    #expect(try get("--cache", "http").exitCode == 4)
    server.serve("/a.jpg", Resource(image, etag: "\"v1\""))
    #expect(word(try get("--cache", "http")) == "disk=")
    server.serve("/a.jpg", .status(503))
    #expect(word(try get("--cache", "http")) == "disk!", "it is not gone any more")
  }

  @Test("Its file's time is that of no use, so that older programs ask as well")
  func fileTime() throws {
    _ = try get()
    server.serve("/a.jpg", .status(404))
    _ = try get("--cache", "refresh")
    let path = try #require(try program.run("cache", "path", url).lines.first)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mtim.tv_sec == 0)
    // It was stored when it came, all the same.
    #expect(try program.run("cache", "list").rows.first?.dropFirst(2).first?.hasPrefix("19") == false)
    let again = try program.run("get", "--cache", "refresh", url)
    var after = stat()
    #expect(again.exitCode == 4 && stat(path, &after) == 0 && after.st_ino == status.st_ino, "it is marked once")
  }

  @Test("The entry of a read-only cache is marked by one of our own")
  func readOnly() throws {
    let tier = program.folder.path("tier")
    _ = try program.run("prefetch", "--cache-dir", tier, url)
    let files = program.folder.files(in: "tier")
    server.serve("/a.jpg", .status(404))
    #expect(try get("--read-only-cache", tier, "--cache", "refresh").exitCode == 4)
    #expect(try get("--read-only-cache", tier).exitCode == 4)
    #expect(try program.run("cache", "list").output.isEmpty, "a mark is no image")
    #expect(try program.run("cache", "info", url).exitCode == 6)
    #expect(word(try get("--read-only-cache", tier, "--offline")) == "disk!")
    #expect(try get("--offline").exitCode == 6, "the mark is no image")
    server.serve("/a.jpg", Resource(image, etag: "\"v1\""))
    #expect(word(try get("--read-only-cache", tier)) == "disk=")
    #expect(word(try get("--read-only-cache", tier)) == "disk")
    #expect(word(try get("--offline")) == "disk", "what was confirmed is copied")
    #expect(program.folder.files(in: "tier") == files)
    #expect(program.folder.read("work/a.jpg") == image)
  }

  @Test("A status that is accepted marks nothing")
  func accepted() throws {
    _ = try get()
    server.serve("/a.jpg", .status(404))
    _ = try get("--cache", "refresh", "--accept-status", "404", "--verify", "none", "-o", "-")
    #expect(word(try get()) == "disk")
  }
}
