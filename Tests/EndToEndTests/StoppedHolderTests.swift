import Glibc
import TestSupport
import Testing

/// A stopped process keeps its locks, and others continue without its image.
@Suite("Stopped processes do not hold up others") struct StoppedHolderTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.jpeg(bytes: 200_000)

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  @Test("A stopped download is waited for until its part has not grown for --timeout", arguments: ["age", "http"])
  func download(policy: String) throws {
    let resource = Resource(image, headers: [("Cache-Control", "max-age=100")])
    server.on("/a.jpg") { $0.ordinal == 1 ? resource.answer($0).stallAfter(100_000) : resource.answer($0) }
    let holder = try program.start(["get", "-v", "--cache", policy, "-d", "one", server.url("/a.jpg")])
    try server.waitForBytesSent(100_000)
    try holder.waitForError("answered 200")
    holder.send(SIGSTOP)
    let other = [
      "get", "-v", "--cache", policy, "-d", "two", "--timeout", "1s", "--max-time", "20s", server.url("/a.jpg"),
    ]
    let outcome = try program.run(other)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.errorText.contains("not waited for any longer"), "\(outcome)")
    #expect(program.folder.read("work/two/a.jpg") == image)
    #expect(server.count("/a.jpg") == 2)
    holder.send(SIGKILL)
  }

  @Test("A stopped download that continues does not replace a newer image", arguments: ["age", "http"])
  func continued(policy: String) throws {
    let newer = TestImages.jpeg(bytes: 190_000, seed: 7)
    let caching = [("Cache-Control", "max-age=100")]
    let (first, second) = (Resource(image, headers: caching), Resource(newer, headers: caching))
    server.on("/a.jpg") { $0.ordinal == 1 ? first.answer($0).stallAfter(100_000) : second.answer($0) }
    let holder = try program.start(["get", "-v", "--cache", policy, "-d", "one", server.url("/a.jpg")])
    try server.waitForBytesSent(100_000)
    try holder.waitForError("answered 200")
    holder.send(SIGSTOP)
    let other = try program.run(
      "get", "--cache", policy, "-d", "two", "--timeout", "1s", "--max-time", "20s", server.url("/a.jpg"))
    #expect(other.exitCode == 0, "\(other)")
    holder.send(SIGCONT)
    server.release("/a.jpg")
    #expect(try holder.wait().exitCode == 0)
    #expect(program.folder.read("work/one/a.jpg") == image)
    let last = try program.run("get", "--cache", policy, "-d", "two", server.url("/a.jpg"))
    #expect(last.rows.first?.first?.hasPrefix("disk") == true, "\(last)")
    #expect(program.folder.read("work/two/a.jpg") == newer)
    #expect(server.count("/a.jpg") == 2)
    #expect(program.folder.files(in: "home/.cache").count { $0.hasSuffix(".part") } == 0)
    #expect(try program.run("cache", "verify").exitCode == 0)
  }

  @Test("So is a stopped revalidation")
  func revalidation() throws {
    let resource = Resource(image, etag: "\"1\"")
    server.on("/a.jpg") { $0.ordinal == 2 ? resource.answer($0).held(by: Gate()) : resource.answer($0) }
    #expect(try program.run("get", "-d", "one", server.url("/a.jpg")).exitCode == 0)
    let holder = try program.start(["get", "-d", "one", "--max-age", "0s", server.url("/a.jpg")])
    try server.waitForRequests("/a.jpg", 2)
    holder.send(SIGSTOP)
    let outcome = try program.run(
      "get", "-d", "two", "--max-age", "0s", "--timeout", "1s", "--max-time", "20s", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.rows.first?.first == "disk=", "\(outcome)")
    #expect(server.count("/a.jpg") == 3)
    holder.send(SIGKILL)
  }
}
