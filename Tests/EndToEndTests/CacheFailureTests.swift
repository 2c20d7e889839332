import TestSupport
import Testing

/// Failures that are final are not requested again: within a run, and over runs with --skip-failed.
@Suite("Remembered failures") struct CacheFailureTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/gone.jpg", .status(404))
    server.serve("/page.jpg", TestImages.html())
    server.serve("/shy.jpg", .status(403))
  }

  private func list(_ paths: String...) -> String { paths.map { server.url($0) + "\n" }.joined() }

  @Test("A URL that failed for good is requested once in a run, and again with --retry-failed")
  func inOneRun() throws {
    for (arguments, count) in [([], 1), (["--retry-failed"], 3)] {
      let run = try program.start(["get", "-i", "-"] + arguments)
      for path in ["/gone.jpg", "/page.jpg", "/gone.jpg"] {
        run.write(list(path))
        #expect(try run.nextLine()?.hasPrefix("failed\t") == true)
      }
      run.closeInput()
      #expect(try run.wait().exitCode == 1)
      #expect(server.count("/gone.jpg") == count)
    }
  }

  @Test("With --skip-failed, missing URLs and non-images are skipped in later runs, with the same exit code")
  func overRuns() throws {
    let skipping = ["get", "--skip-failed", "1h", "-i", "-"]
    for (path, code) in [("/gone.jpg", Int32(4)), ("/page.jpg", 5)] {
      for run in 1...2 {
        let outcome = try program.run(skipping, input: list(path))
        #expect(outcome.exitCode == code, "\(outcome)")
        #expect(outcome.errorText.contains("earlier run") == (run == 2))
        #expect(server.count(path) == 1)
      }
      // Runs without --skip-failed ask again, as do those with --retry-failed.
      _ = try program.run(["get", "-i", "-"], input: list(path))
      #expect(server.count(path) == 2)
      _ = try program.run(skipping + ["--retry-failed"], input: list(path))
      #expect(server.count(path) == 3)
    }
  }

  @Test("What failed under other demands is requested again if it would be an answer now")
  func otherDemands() throws {
    server.serve("/gone.jpg", .status(404, TestImages.jpeg(width: 8, height: 8), type: "image/jpeg"))
    let skipping = ["get", "--skip-failed", "1h", "-i", "-"]
    for (path, demand) in [("/gone.jpg", ["--accept-status", "404"]), ("/page.jpg", ["--verify", "none"])] {
      #expect(try program.run(skipping, input: list(path)).exitCode != 0)
      let other = try program.run(skipping + ["--max-pixels", "1M"], input: list(path))
      #expect(other.exitCode != 0 && server.count(path) == 1, "\(other)")
      let outcome = try program.run(skipping + demand, input: list(path))
      #expect(outcome.exitCode == 0 && server.count(path) == 2, "\(outcome)")
    }
  }

  @Test("Other failures are requested again")
  func otherRefusals() throws {
    for count in 1...2 {
      _ = try program.run(["get", "--skip-failed", "1h", "-i", "-"], input: list("/shy.jpg"))
      #expect(server.count("/shy.jpg") == count)
    }
  }

  @Test("A failure note is not an image; it expires, and goes with the URL and with everything")
  func notes() throws {
    func fail() throws { _ = try program.run(["get", "--skip-failed", "1h", "-i", "-"], input: list("/gone.jpg")) }
    func notes() -> [String] { program.folder.files(in: "home/.cache").filter { $0.hasSuffix(".gone") } }
    try fail()
    #expect(notes().count == 1)
    #expect(try program.run("cache", "size").outputText == "0\t0\n")
    #expect(try program.run("cache", "size", "--exact").outputText == "0\t0\n")
    #expect(try program.run("cache", "list").output.isEmpty)
    #expect(try program.run("cache", "verify", "--json").outputText.contains("\"entries\":0"))
    #expect(try program.run("cache", "clean").exitCode == 0)
    #expect(notes().count == 1, "its hour is not over")
    let note = try #require(notes().first)
    try Command.setTimes(of: program.folder.path("home/.cache/\(note)"), daysAgo: 1)
    _ = try program.run("cache", "clean")
    #expect(notes().isEmpty)
    try fail()
    _ = try program.run("cache", "remove", server.url("/gone.jpg"))
    #expect(notes().isEmpty)
    try fail()
    _ = try program.run("cache", "clear")
    #expect(notes().isEmpty)
  }

  @Test("An image that is back is delivered, and its note is removed")
  func cameBack() throws {
    server.serve("/back.jpg", inTurn: [.status(410), .ok(TestImages.jpeg(width: 20, height: 10))])
    let skipping = ["get", "--skip-failed", "1h", "-i", "-"]
    #expect(try program.run(skipping, input: list("/back.jpg")).exitCode == 4)
    #expect(try program.run(skipping + ["--retry-failed"], input: list("/back.jpg")).exitCode == 0)
    #expect(try program.run(skipping, input: list("/back.jpg")).rows.first?.first == "disk")
    #expect(!program.folder.files(in: "home/.cache").contains { $0.hasSuffix(".gone") })
  }

  @Test("With a key filter, the URL is skipped and not every URL that shares the entry")
  func filteredKeys() throws {
    server.on("/signed.jpg") { request in
      request.target.contains("good") ? .ok(TestImages.jpeg(width: 20, height: 10)) : .status(404)
    }
    let skipping = ["get", "--skip-failed", "1h", "--key-ignore-query"]
    #expect(try program.run(skipping + [server.url("/signed.jpg?bad")]).exitCode == 4)
    #expect(try program.run(skipping + [server.url("/signed.jpg?good")]).exitCode == 0)
  }
}
