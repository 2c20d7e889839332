import TestSupport
import Testing

/// The last lines on standard error, for a person.
@Suite("The digest at the end of a list") struct DigestTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  private func run(_ urls: [String], _ options: String...) throws -> Outcome {
    try program.run(["get", "--retry", "0", "-i", "-"] + options, input: urls.map { $0 + "\n" }.joined())
  }

  /// The lines that follow the messages of single failures.
  private func digest(_ outcome: Outcome) -> [String] {
    outcome.errorText.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("imgfetch: ") }
  }

  @Test("At most eight lines name the five hosts with the most failures, and what helps")
  func hosts() throws {
    let others = try (2...8).map { try TestServer(host: "127.0.0.\($0)") }
    let urls = others.enumerated().flatMap { number, other in (0...number).map { other.url("/\($0).jpg") } }
    let outcome = try run(urls + [server.url("/a.jpg")])
    let lines = digest(outcome)
    #expect(lines.count == 8, "\(outcome)")
    #expect(lines.first?.hasPrefix("29 images: 1 downloaded, 28 failed; ") == true)
    let named = lines.dropFirst().prefix(5).map { $0.prefix { $0 != "," } }
    #expect(named == (0..<5).map { "  \(7 - $0) of \(7 - $0) at 127.0.0.\(8 - $0):\(others[6 - $0].port)" }, "\(lines)")
    #expect(lines[6] == "  and others")
    #expect(lines.last == "--failed-list FILE keeps the lines that failed, for another run")
    let kept = digest(try run(urls, "--failed-list", "again.txt")).last
    #expect(kept == "again.txt has the lines that failed, for another run")
  }

  @Test("No file is said to have the lines that failed where none has", arguments: ["--dry-run", "/dev/null", "-"])
  func noList(where place: String) throws {
    let options = place == "--dry-run" ? ["--dry-run", "--failed-list", "again"] : ["--failed-list", place]
    let outcome = try program.run(["get"] + options + ["word", "another"])
    #expect(outcome.exitCode == 8 && outcome.errorText.contains("2 images: 2 failed"), "\(outcome)")
    #expect(!outcome.errorText.contains("for another run"), "\(outcome)")
  }

  @Test("Lines that are no URLs have no host")
  func invalidLines() throws {
    let outcome = try run(["ftp://hello/", "two words", server.url("/1.jpg"), server.url("/2.jpg")], "--json")
    let summary = try JSON.object(#require(outcome.lines.last))["summary"] as? [String: Any]
    let names = (summary?["hosts"] as? [[String: Any]])?.compactMap { $0["host"] as? String }
    #expect(names == ["127.0.0.1:\(server.port)"], "\(outcome)")
  }

  @Test(
    "The digest of a data set names the failures, which only its rows tell, and --again", arguments: [[], ["--json"]])
  func dataSet(options: [String]) throws {
    func pack(_ paths: [String], _ folder: String, _ others: String...) throws -> Outcome {
      try program.run(
        ["pack", "--retry", "0", "-i", "-", "-d", folder] + options + others,
        input: paths.map { server.url($0) + "\n" }.joined())
    }
    let two = try pack(["/a.jpg", "/1.jpg", "/2.jpg"], "two")
    let host = "127.0.0.1:\(server.port)"
    let help = "pack --again, with the same options, tries the failed lines of finished shards once more"
    var lines = digest(two)
    #expect(two.exitCode == 0 && lines.count == 3 && lines.last == help, "\(two)")
    #expect(lines.first?.hasPrefix("3 images: 1 downloaded, 2 failed; ") == true, "\(two)")
    #expect(lines.dropFirst().first?.hasPrefix("  2 of 3 at \(host), such as \(server.url("/"))") == true, "\(two)")
    // No message has told of a single one either.
    let one = try pack(["/a.jpg", "/1.jpg"], "one")
    lines = digest(one)
    #expect(lines.count == 3 && lines[1].hasPrefix("  1 of 2 at \(host), such as \(server.url("/1.jpg"))"), "\(one)")
    #expect(try pack(["/a.jpg", "/1.jpg"], "quiet", "-q").error.isEmpty)
    #expect(try pack(["/a.jpg", "/a.jpg?2"], "none").error.isEmpty)
    #expect(try pack(["/a.jpg", "/1.jpg"], "one").error.isEmpty)
  }

  @Test("Without a failure a pipe gets none, and -q only if it has told of something")
  func nothing() throws {
    #expect(try run([server.url("/a.jpg"), server.url("/a.jpg?2")]).error.isEmpty)
    #expect(try run([server.url("/a.jpg")], "-q").error.isEmpty)
    let missing = [server.url("/1.jpg"), server.url("/2.jpg")]
    #expect(digest(try run(missing, "-q")).count == 3)
    #expect(try run(missing, "-q", "--json").error.isEmpty)
    #expect(try program.run("get", server.url("/1.jpg")).errorText.split(separator: "\n").count == 1)
  }
}
