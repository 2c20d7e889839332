import TestSupport
import Testing

/// `--print new`, for the mail of cron jobs: news alone, each told once.
@Suite("--print new") struct PrintNewTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", Resource(TestImages.jpeg(width: 20, height: 10), etag: "\"v1\""))
    server.serve("/b.jpg", Resource(TestImages.jpeg(width: 20, height: 11), etag: "\"v1\""))
  }

  /// The lines of a failed list of the run before.
  private func failedBefore(_ lines: [(path: String, was: String)]) throws {
    let text = lines.map { "\(server.url($0.path))\twas=\($0.was)\n" }.joined()
    try program.folder.write("work/again.txt", FailedList.mark + "\n" + text)
  }

  private func run(_ paths: [String], _ options: String...) throws -> Outcome {
    try program.folder.write("work/list.txt", paths.map { server.url($0) + "\n" }.joined())
    return try program.run(["get", "--print", "new", "--retry", "0", "-d", "out", "-i", "list.txt"] + options)
  }

  @Test("What is new or changed in its bytes is printed, and nothing else", arguments: ["refresh", "reload"])
  func news(policy: String) throws {
    let paths = ["/a.jpg", "/b.jpg"]
    #expect(try run(paths, "--cache", policy).lines.count == 2)
    let quiet = try run(paths, "--cache", policy)
    #expect(quiet.exitCode == 0 && quiet.output.isEmpty && quiet.error.isEmpty, "\(quiet)")
    #expect(server.count("/a.jpg") == 2)
    server.serve("/b.jpg", Resource(TestImages.jpeg(width: 30, height: 11), etag: "\"v2\""))
    let changed = try run(paths, "--cache", policy)
    #expect(changed.rows.map(\.last) == [server.url("/b.jpg")], "\(changed)")
    #expect(changed.error.isEmpty)
  }

  @Test(
    "An image that is only cached is news where the cache did not have its bytes", arguments: ["refresh", "reload"])
  func prefetched(policy: String) throws {
    // Without a validator the same bytes come each time.
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    let arguments = ["prefetch", "--print", "new", "--cache", policy, server.url("/a.jpg")]
    #expect(try program.run(arguments).lines.count == 1)
    let quiet = try program.run(arguments)
    #expect(quiet.exitCode == 0 && quiet.output.isEmpty, "\(quiet)")
    server.serve("/a.jpg", TestImages.jpeg(width: 21, height: 10))
    #expect(try program.run(arguments).lines.count == 1)
    #expect(server.count("/a.jpg") == 3)
  }

  @Test("The digest's hosts are those of images, and no line that is no URL is one")
  func hosts() throws {
    try program.folder.write("work/list.txt", "word\n\(server.url("/missing.jpg"))\n")
    let outcome = try program.run("get", "--print", "new", "--retry", "0", "-i", "list.txt")
    #expect(outcome.exitCode == 1 && outcome.errorText.contains("1 of 1 at 127.0.0.1"), "\(outcome)")
    #expect(!outcome.errorText.contains("at word"), "\(outcome)")
  }

  @Test(
    "A failure is told once, with its reason, on standard error, and has no row", arguments: [[], ["-q"], ["--json"]])
  func failure(form: [String]) throws {
    let outcome = try program.run(
      ["get", "--print", "new", "--report", "rows", server.url("/a.jpg"), server.url("/missing.jpg")] + form)
    #expect(outcome.exitCode == 4)
    #expect(!outcome.lines.contains { $0.contains("missing.jpg") && !$0.contains("summary") }, "\(outcome)")
    let told = outcome.errorText.split(separator: "\n").filter { $0.contains("missing.jpg") }
    #expect(told == ["imgfetch: \(server.url("/missing.jpg")): the server answered 404 Not Found"], "\(outcome)")
    #expect(program.folder.text("work/rows")?.contains("missing.jpg") == true)
  }

  @Test("Failures that the list of failures named before the run, and that fail alike, are not told")
  func known() throws {
    server.serve("/page.jpg", .ok(Array("<html>".utf8), type: "text/html"))
    try failedBefore([("/gone.jpg", "http:404"), ("/page.jpg", "not-image:200"), ("/other.jpg", "http:403")])
    let outcome = try run(["/gone.jpg", "/page.jpg", "/other.jpg", "/a.jpg"], "--failed-list", "again.txt")
    #expect(outcome.exitCode == 1)
    #expect(outcome.errorText.contains("/other.jpg: the server answered 404"), "\(outcome)")
    #expect(!outcome.errorText.contains("/gone.jpg") && !outcome.errorText.contains("/page.jpg"), "\(outcome)")
    #expect(outcome.errorText.contains("2 failed as in the run before"), "\(outcome)")
  }

  @Test("A night on which all fails as the night before is quiet, under its exit code")
  func quietNight() throws {
    try failedBefore([("/gone.jpg", "http:404")])
    _ = try run(["/a.jpg"])
    let outcome = try run(["/a.jpg", "/gone.jpg"], "--failed-list", "again.txt", "--cache", "refresh")
    #expect(outcome.exitCode == 4 && outcome.output.isEmpty && outcome.error.isEmpty, "\(outcome)")
  }

  @Test("A line that a broken off night did not try keeps what it was, and is no news in the next")
  func brokenOff() throws {
    try failedBefore([("/gone.jpg", "http:404"), ("/also.jpg", "http:404")])
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let paths = ["/slow.jpg", "/gone.jpg", "/also.jpg"]
    try program.folder.write("work/list.txt", paths.map { server.url($0) + "\n" }.joined())
    let night = ["get", "--print", "new", "--retry", "0", "-d", "out", "-i", "list.txt", "--failed-list", "again.txt"]
    let running = try program.start(night + ["-j", "1"])
    try server.waitForConcurrent(1)
    running.send(1)
    #expect(try running.wait().exitCode == 129)
    let list = program.folder.text("work/again.txt") ?? ""
    for path in ["/gone.jpg", "/also.jpg"] { #expect(list.contains("\(server.url(path))\twas=http:404\n"), "\(list)") }
    server.serve("/slow.jpg", TestImages.jpeg(width: 20, height: 10))
    let next = try program.run(night)
    #expect(next.exitCode == 4 && next.error.isEmpty, "\(next)")
  }

  @Test(
    "Failures of a table are no news in the next night, nor in the night after one that was broken off",
    arguments: ["csv", "tsv", "jsonl"])
  func table(format: String) throws {
    func record(_ path: String) -> String {
      switch format {
      case "csv": "\"first, second\",\(server.url(path))\n"
      case "tsv": "text\t\(server.url(path))\n"
      default: "{\"caption\": \"text\", \"url\": \"\(server.url(path))\"}\n"
      }
    }
    let header = ["csv": "caption,url\n", "tsv": "caption\turl\n"][format] ?? ""
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    try program.folder.write("work/list", header + record("/gone.jpg") + record("/also.jpg"))
    let night = [
      "get", "--print", "new", "--retry", "0", "-j", "1", "-d", "out", "-i", "list", "--list-format", format,
      "--failed-list", "again",
    ]
    #expect(try program.run(night).errorText.contains("/gone.jpg: the server answered 404 Not Found"))
    let quiet = try program.run(night)
    #expect(quiet.exitCode == 4 && quiet.error.isEmpty, "\(quiet)")

    try program.folder.write(
      "work/list", header + record("/slow.jpg") + record("/gone.jpg") + record("/also.jpg"))
    let running = try program.start(night)
    try server.waitForConcurrent(1)
    running.send(1)
    #expect(try running.wait().exitCode == 129)
    server.serve("/slow.jpg", TestImages.jpeg(width: 20, height: 10))
    let after = try program.run(night)
    #expect(after.exitCode == 4 && after.error.isEmpty, "\(after)")

    // The list is the same table, of which each record that failed is tried once more.
    server.serve("/gone.jpg", TestImages.jpeg(width: 20, height: 10))
    let again = try program.run([
      "get", "--retry", "0", "-d", "out", "-i", "again", "--list-format", format, "--failed-list", "again",
    ])
    #expect(again.exitCode == 4 && Set(again.rows.map { $0[0] }) == ["none", "failed"], "\(again)")
    #expect(program.folder.text("work/again")?.contains(record("/gone.jpg")) == false)
    #expect(program.folder.text("work/again")?.contains("# imgfetch was=http:404\n" + record("/also.jpg")) == true)
  }

  @Test("Equal messages are one line with a count")
  func equal() throws {
    let missing = server.url("/missing.jpg")
    let outcome = try run(Array(repeating: "/missing.jpg", count: 5) + ["/other.jpg"])
    let told = outcome.errorText.split(separator: "\n").prefix(2)
    #expect(told.contains("imgfetch: \(missing): the server answered 404 Not Found (5 times)"), "\(outcome)")
    #expect(told.contains("imgfetch: \(server.url("/other.jpg")): the server answered 404 Not Found"))
    let all = try program.run(["get", "--retry", "0"] + Array(repeating: missing, count: 5))
    let lines = all.errorText.split(separator: "\n")
    #expect(lines.first == "imgfetch: \(missing): the server answered 404 Not Found", "\(all)")
    #expect(lines.dropFirst().first == "imgfetch: 4 more times: \(missing): the server answered 404 Not Found")
  }
}
