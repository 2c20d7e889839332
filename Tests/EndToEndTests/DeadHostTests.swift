import ImgfetchCore
import TestSupport
import Testing

/// Hosts that are dead, among others that are not.
@Suite("Dead hosts") struct DeadHostTests {
  let server: TestServer
  let dead: ListeningSocket
  let program: Program

  init() throws {
    server = try TestServer()
    server.onOther { _ in .ok(TestImages.jpeg(width: 8, height: 8), type: "image/jpeg") }
    // Bound, and not listening: connections are refused.
    dead = try ListeningSocket(host: "127.0.0.3", listens: false)
    program = try Program()
  }

  private func deadURL(_ number: Int) -> String { "http://\(dead.address.authority)/\(number).jpg" }

  @Test("A hundred images of a host that refuses are a row each and one message, and the others are had")
  func list() throws {
    let lines = (0..<100).flatMap { [deadURL($0), server.url("/\($0).jpg")] }
    try program.folder.write("work/list.txt", lines.joined(separator: "\n"))
    let outcome = try program.run(["get", "-d", "out", "-i", "list.txt"])
    #expect(outcome.exitCode == 3)
    #expect(outcome.lines.count == 200)
    #expect(outcome.lines.count { $0.hasPrefix("failed\t") } == 100)
    let host = dead.address.authority
    let told = outcome.errorText.split(separator: "\n")
    #expect(told.first == "imgfetch: \(host) does not answer (connection refused): its images are given up")
    #expect(told.count == 4 && told[2].hasPrefix("  100 of 100 at \(host), such as "), "the digest: \(told)")
    #expect(program.folder.files(in: "work/out").count == 100)
  }

  @Test("Each row says what happened to the host")
  func rows() throws {
    try program.folder.write("work/list.txt", (0..<20).map(deadURL).joined(separator: "\n"))
    let outcome = try program.run(["get", "--json", "-q", "-d", "out", "-i", "list.txt"])
    #expect(outcome.exitCode == 3)
    let rows = try outcome.lines.dropLast().map(JSON.object)
    #expect(rows.count == 20)
    for row in rows {
      let error = try #require(row["error"] as? [String: Any])
      #expect(error["kind"] as? String == "connect" && error["transient"] as? Bool == true)
      #expect(
        (error["message"] as? String)?.hasSuffix("\(dead.address.authority) does not answer (connection refused)")
          == true)
    }
  }

  @Test("A single image is tried as often as --retry says, and its message is its own")
  func single() throws {
    let outcome = try program.run(["get", "--json", deadURL(1)])
    #expect(outcome.exitCode == 3)
    #expect(outcome.errorText == "imgfetch: \(deadURL(1)): connection refused\n")
    #expect(try JSON.object(outcome.lines[0])["attempts"] as? Int == 3)
  }

  @Test("A dead host that redirects lead to is the one that is counted, and not the server that redirects")
  func redirected() throws {
    let urls = (0..<6).map { server.url("/to\($0)") }
    for (number, path) in (0..<6).map({ ($0, "/to\($0)") }) { server.serve(path, .redirect(to: deadURL(number))) }
    try program.folder.write("work/list.txt", (urls + [server.url("/a.jpg")]).joined(separator: "\n"))
    let outcome = try program.run(["get", "--json", "-d", "out", "-i", "list.txt"])
    #expect(outcome.exitCode == 3, "\(outcome)")
    let host = dead.address.authority
    let rows = try outcome.lines.map(JSON.object)
    for row in rows.dropLast() where row["error"] is [String: Any] {
      let number = try #require((row["line"] as? Int).map { $0 - 1 })
      #expect(row["final_url"] as? String == deadURL(number) && row["status"] as? Int == nil, "\(row)")
    }
    let summary = try #require(rows.last?["summary"] as? [String: Any])
    let hosts = try #require(summary["hosts"] as? [[String: Any]])
    #expect(hosts.map { $0["host"] as? String } == [host], "\(hosts)")
    #expect(hosts.first?["failed"] as? Int == 6 && hosts.first?["total"] as? Int == 6, "\(hosts)")
    #expect(outcome.errorText.contains(" given up with \(host))"), "\(outcome)")
    #expect(outcome.errorText.contains("  6 of 6 at \(host), such as "), "\(outcome)")
    try program.folder.write("work/rows", outcome.outputText)
    let report = try program.run("report", "--json", "rows")
    #expect(report.outputText.contains("\"host\":\"\(host)\""), "\(report)")
    #expect(!report.outputText.contains("\"host\":\"\(server.address.authority)\""), "\(report)")
  }

  @Test("The message names the target of a redirect that does not answer, or answers with an error")
  func redirectedAlone() throws {
    server.serve("/dead", .redirect(to: deadURL(1)))
    server.serve("/nowhere", .redirect(to: "http://nowhere.invalid/a.jpg"))
    server.serve("/gone", .redirect(to: "/missing"))
    server.serve("/missing", .status(404))
    for (path, start) in [
      ("/dead", "\(deadURL(1)): connection refused"), ("/nowhere", "http://nowhere.invalid/a.jpg: "),
      ("/gone", "\(server.url("/missing")): the server answered 404"),
    ] {
      let outcome = try program.run("get", "--retry", "0", server.url(path))
      #expect(outcome.errorText.hasPrefix("imgfetch: \(server.url(path)): redirected to \(start)"), "\(outcome)")
    }
  }

  /// The images of a server that ends with its first answer.
  private func restarting(_ arguments: [String]) throws -> Outcome {
    let first = try TestServer(host: "127.0.0.4")
    first.onOther { _ in .ok(TestImages.jpeg(width: 8, height: 8)).closing() }
    let running = try program.start(["get", "-d", "out", "-i", "-"] + arguments)
    running.write(first.url("/0.jpg\n"))
    _ = try running.nextLine()
    first.stop()
    for number in 1...20 { running.write(first.url("/\(number).jpg\n")) }
    running.closeInput()
    return try running.wait()
  }

  @Test("A host that has answered and goes away is given --outage, and what is wanted of it fails with one reason then")
  func outage() throws {
    let start = SystemClock().now()
    let outcome = try restarting(["--outage", "1s"])
    #expect(outcome.exitCode == 3 && outcome.lines.count { $0.hasPrefix("failed\t") } == 20, "\(outcome)")
    #expect(outcome.errorText.contains("does not answer (connection refused)"), "\(outcome)")
    #expect((SystemClock().now() - start).seconds >= 1)
  }

  @Test("A single image of a host that has never answered fails within two seconds, whatever --outage says")
  func neverAnswered() throws {
    let start = SystemClock().now()
    let outcome = try program.run("get", "--outage", "1h", deadURL(1))
    #expect(outcome.exitCode == 3 && (SystemClock().now() - start).seconds < 2.5, "\(outcome)")
  }

  @Test("A stored image of a dead host is served stale without waiting for the trials")
  func stale() throws {
    try program.folder.write("work/list.txt", (0..<30).map { server.url("/\($0).jpg") }.joined(separator: "\n"))
    #expect(try program.run(["get", "-d", "out", "-i", "list.txt"]).exitCode == 0)
    server.stop()
    let outcome = try program.run(["get", "-d", "out", "-i", "list.txt", "--cache", "refresh"])
    #expect(outcome.exitCode == 0)
    #expect(outcome.lines.count { $0.hasPrefix("disk!\t") } == 30)
  }
}
