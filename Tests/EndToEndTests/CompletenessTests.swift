import TestSupport
import Testing

/// The summary says how many lines were read, and whether the list was done.
@Suite("Whether a list was completed") struct CompletenessTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  private var image: String { server.url("/a.jpg") }

  private func summary(_ outcome: Outcome) throws -> [String: Any] {
    let last = try JSON.object(try #require(outcome.lines.last, "\(outcome)"))
    return try #require(last["summary"] as? [String: Any], "\(outcome)")
  }

  @Test("A list that was read to its end is complete, even if an image failed; operands are not lines")
  func complete() throws {
    let input = "# remark\n\n\(image)\n\(server.url("/missing.jpg"))\nhttp://h/\tn\tzzz\n"
    let list = try summary(try program.run(["get", "--json", "-i", "-"], input: input))
    #expect(list["complete"] as? Bool == true)
    #expect(list["lines"] as? Int == 5)
    #expect(list["remote"] as? Int == 0)
    let operand = try summary(try program.run("get", "--json", image))
    #expect(operand["complete"] as? Bool == true)
    #expect(operand["lines"] as? Int == 0)
  }

  @Test("An interrupted run is not complete, in words as well", arguments: [[], ["--json"]])
  func interrupted(form: [String]) throws {
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let running = try program.start(["get", "-i", "-"] + form)
    running.write("\(image)\n\(server.url("/slow.jpg"))\n")
    try server.waitForRequests("/slow.jpg", 1)
    running.send(2)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130, "\(outcome)")
    if form.isEmpty {
      #expect(outcome.errorText.contains("; not complete: 2 lines read\n"), "\(outcome)")
    } else {
      #expect(try summary(outcome)["complete"] as? Bool == false)
      #expect(try summary(outcome)["lines"] as? Int == 2)
    }
  }

  @Test("A run ended by --fail-fast is not complete")
  func failFast() throws {
    let input = Array(repeating: server.url("/missing.jpg"), count: 3).joined(separator: "\n")
    let summary = try summary(try program.run(["get", "--json", "--fail-fast", "-i", "-"], input: input))
    #expect(summary["complete"] as? Bool == false)
  }

  @Test("A missing list makes the run incomplete, and the others are read")
  func unreadable() throws {
    _ = try program.folder.write("work/list", "\(image)\n")
    let outcome = try program.run("get", "--json", "-i", "nowhere", "-i", "list")
    #expect(outcome.exitCode == 7)
    let summary = try summary(outcome)
    #expect(summary["complete"] as? Bool == false)
    #expect(summary["lines"] as? Int == 1)
    #expect(summary["total"] as? Int == 1)
  }
}
