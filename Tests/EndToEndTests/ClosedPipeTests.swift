import TestSupport
import Testing

/// Whoever reads may have seen enough before the end, as `head` has: no failure, and nothing to be said.
@Suite("A reader that leaves") struct ClosedPipeTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  /// Runs a pipeline, and says what the program in it ended with.
  private func run(_ script: String, _ arguments: String...) throws -> Outcome {
    var command = program.command([])
    command.path = try Command.find("bash")
    command.arguments = ["-c", script + #"; echo "code ${PIPESTATUS[0]}""#, Program.path] + arguments
    return try command.run()
  }

  @Test("The bytes of an image, cold and from the cache")
  func bytes() throws {
    // More than a pipe holds.
    server.serve("/a.jpg", TestImages.jpeg(bytes: 3_000_000))
    for _ in 0..<2 {
      let outcome = try run(#""$0" get -o - "$1" | head -c 1 >/dev/null"#, server.url("/a.jpg"))
      #expect(outcome.outputText == "code 0\n", "\(outcome)")
      #expect(outcome.error.isEmpty, "\(outcome)")
    }
    #expect(server.count("/a.jpg") == 1)
  }

  @Test("Rows: the rest of an endless list is not fetched", arguments: ["", "--json", "-w{url}\\n"])
  func rows(form: String) throws {
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    let outcome = try run(
      #"yes "$1" 2>/dev/null | "$0" get -i - ${2:+"$2"} | head -n 1 >/dev/null; set -- "${PIPESTATUS[@]}"; (exit "$2")"#,
      server.url("/a.jpg"), form)
    #expect(outcome.outputText == "code 0\n", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
  }

  @Test("What other commands print", arguments: ["help get", "inspect", "cache list", "completions bash"])
  func others(command: String) throws {
    let file = try program.folder.write("work/a.jpg", TestImages.jpeg(width: 20, height: 10))
    for number in 0..<3 { _ = try program.run("cache", "add", "http://h/\(number)", file) }
    let files = command == "inspect" ? " $(yes a.jpg 2>/dev/null | head -n 20)" : ""
    let outcome = try run(#""$0" \#(command)\#(files) | true"#)
    #expect(outcome.outputText == "code 0\n", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
  }
}
