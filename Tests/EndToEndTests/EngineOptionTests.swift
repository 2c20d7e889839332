import TestSupport
import Testing

/// Options for programs that run this one: rows and nothing else, and an exit code for the list as a whole.
@Suite("Rows for other programs") struct EngineOptionTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  private var image: String { server.url("/a.jpg") }
  private var missing: String { server.url("/missing.jpg") }

  @Test("-q --json prints rows, and no messages that repeat them")
  func quietRows() throws {
    let input = "\(image)\n\(missing)\nhttp://h/\tn\tzzz\n"
    let outcome = try program.run(["get", "-q", "--json", "-i", "-"], input: input)
    #expect(outcome.lines.count == 4, "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
    let template = try program.run("get", "-q", "-w", "{cache} {status}\\n", image, missing)
    #expect(template.lines.sorted() == ["- 404", "disk 200"], "\(template)")
    // A template need not contain the error.
    #expect(template.errorText.contains(missing), "\(template)")
  }

  @Test("What a row cannot contain is printed all the same")
  func quietErrors() throws {
    let outcome = try program.run("get", "-q", "--json", "-i", "nowhere", image)
    #expect(outcome.exitCode == 7)
    #expect(outcome.errorText.contains("nowhere: the list cannot be read"), "\(outcome)")
    #expect(outcome.lines.count == 2)
  }

  @Test("inspect and cache do the same")
  func otherCommands() throws {
    try program.folder.write("work/a.jpg", TestImages.jpeg(width: 20, height: 10))
    let inspected = try program.run("inspect", "-q", "--json", "a.jpg", "nowhere.jpg")
    #expect(inspected.lines.count == 2 && inspected.error.isEmpty, "\(inspected)")
    let added = try program.run("cache", "add", "-q", "--json", "http://h/a", "a.jpg")
    #expect(added.lines.count == 1, "\(added)")
  }

  @Test("With --exit-zero, failed images of any kind are only rows")
  func exitZero() throws {
    server.serve("/page.jpg", TestImages.html())
    try program.folder.write("work/file", "x")
    let input =
      "\(image)\n\(missing)\n\(server.url("/page.jpg"))\n\(image)\tfile/b.jpg\nhttp://h/\tn\tzzz\n"
    let outcome = try program.run(["get", "--exit-zero", "--json", "-i", "-"], input: input)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let kinds = try outcome.lines.map { (try JSON.object($0)["error"] as? [String: Any])?["kind"] as? String }
    #expect(Set(kinds.compactMap { $0 }) == ["http", "not-image", "file", "refused"], "\(outcome)")
    #expect(try program.run(["get", "--json", "-i", "-"], input: input).exitCode == 1)
  }

  @Test("Errors that stopped the list still decide the exit code")
  func notDone() throws {
    #expect(try program.run("get", "--exit-zero", "-i", "nowhere", missing).exitCode == 7)
    #expect(try program.run("get", "--exit-zero", "--fail-fast", missing).exitCode == 4)
    #expect(try program.run("get", "--exit-zero", "--no-such-option", missing).exitCode == 2)
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let running = try program.start(["get", "--exit-zero", server.url("/slow.jpg")])
    try server.waitForRequests("/slow.jpg", 1)
    running.send(15)
    #expect(try running.wait().exitCode == 143)
  }
}
