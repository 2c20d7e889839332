import TestSupport
import Testing

/// A reader may have seen enough before the end, as `head` has: the run ends at once, says nothing, and its exit code is that of
/// programs which SIGPIPE ends. So a script cannot take it for done.
@Suite("A reader that leaves") struct ClosedPipeTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  /// Runs a pipeline, and says what the program in it ended with.
  private func run(_ script: String, _ arguments: String...) throws -> Outcome {
    var command = program.command([])
    command.path = try Command.find("bash")
    command.arguments = ["-c", script + #"; echo "code ${PIPESTATUS[0]}""#, Program.path] + arguments
    return try command.run()
  }

  @Test("The bytes of an image, cold and from the cache: what came is kept")
  func bytes() throws {
    // More than a pipe holds.
    server.serve("/large.jpg", TestImages.jpeg(bytes: 3_000_000))
    for _ in 0..<2 {
      let outcome = try run(#""$0" get -o - "$1" | head -c 1 >/dev/null"#, server.url("/large.jpg"))
      #expect(outcome.outputText == "code 141\n", "\(outcome)")
      #expect(outcome.error.isEmpty, "\(outcome)")
    }
    #expect(server.count("/large.jpg") == 1)
  }

  @Test("Rows: the rest of an endless list is not fetched", arguments: ["", "--json", "-w{url}\\n"])
  func rows(form: String) throws {
    let outcome = try run(
      #"yes "$1" 2>/dev/null | "$0" get -i - ${2:+"$2"} | head -n 1 >/dev/null; set -- "${PIPESTATUS[@]}"; (exit "$2")"#,
      server.url("/a.jpg"), form)
    #expect(outcome.outputText == "code 141\n", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
  }

  @Test("A run that has no row to write notices too, and keeps the parts of what is under way")
  func rareRows() throws {
    let image = TestImages.jpeg(bytes: 900_000)
    server.serve("/slow.jpg", Resource(image, etag: "\"1\""))
    server.on("/slow.jpg") { _ in
      .ok(image, type: "image/jpeg").with("ETag", "\"1\"").with("Accept-Ranges", "bytes").stallAfter(600_000)
    }
    // No time-out ends it in its place.
    let outcome = try run(
      #""$0" get --timeout 10m "$1" "$2" | head -n 1"#, server.url("/a.jpg"), server.url("/slow.jpg"))
    #expect(outcome.lines.count == 2 && outcome.lines.last == "code 141", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
    try server.waitForDepartures("/slow.jpg")
    #expect(program.folder.files(in: "home/.cache").contains { $0.hasSuffix(".part") })
  }

  @Test("So does one that waits for the next line of its list")
  func openList() throws {
    // Open for both, so that it has a writer, who never writes more.
    let outcome = try run(
      #"mkfifo list && exec 9<>list && echo "$1" >&9; "$0" get -i - <&9 | head -n 1"#, server.url("/a.jpg"))
    #expect(outcome.lines.count == 2 && outcome.lines.last == "code 141", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
  }

  @Test("The failed list has what was broken off, and the report is whole")
  func files() throws {
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 900_000), type: "image/jpeg").stallAfter(600_000))
    let outcome = try run(
      #""$0" get --timeout 10m --report rows --failed-list again "$1" "$2" | head -n 1"#, server.url("/a.jpg"),
      server.url("/slow.jpg"))
    #expect(outcome.lines.last == "code 141", "\(outcome)")
    #expect(Command.text(of: program.work + "/again")?.contains(server.url("/slow.jpg") + "\n") == true)
    let rows = try (Command.text(of: program.work + "/rows") ?? "").split(separator: "\n").map {
      try JSON.object(String($0))
    }
    #expect((rows.last?["summary"] as? [String: Any])?["complete"] as? Bool == false)
    #expect(rows.count == 3)
  }

  @Test("Where nothing is printed no reader is missed")
  func quiet() throws {
    let outcome = try run(#""$0" get -q "$1" "$1" | true"#, server.url("/a.jpg"))
    #expect(outcome.outputText == "code 0\n", "\(outcome)")
    #expect(program.folder.files(in: "work") == ["a.jpg"])
  }

  @Test(
    "Rows that cannot be written end the run at once too, and are told of", arguments: ["", "-q --report /dev/full"])
  func full(options: String) throws {
    let outcome = try run(
      #"yes "$1" 2>/dev/null | head -n 20000 | "$0" get --name '{index}.{ext}' -i - \#(options) >/dev/full; set -- "${PIPESTATUS[@]}"; (exit "$3")"#,
      server.url("/a.jpg"))
    #expect(outcome.outputText == "code 7\n", "\(outcome)")
    #expect(outcome.errorText.contains("No space left on device"), "\(outcome)")
    #expect(program.folder.files(in: "work").count < 15_000)
  }

  @Test("Rows of other commands", arguments: ["inspect", "cache list"])
  func others(command: String) throws {
    try fill()
    let files = command == "inspect" ? " $(yes a.jpg 2>/dev/null | head -n 2000)" : ""
    // What is printed is short, so it begins when the reader has surely gone.
    let gone = #"trap "" PIPE; while printf x 2>/dev/null; do :; done"#
    let outcome = try run(#"(\#(gone); exec "$0" \#(command)\#(files)) | (exec <&-)"#)
    #expect(outcome.outputText == "code 141\n", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
  }

  @Test("Help and completions are no work that was left undone", arguments: ["help get", "completions bash"])
  func texts(command: String) throws {
    let outcome = try run(#""$0" \#(command) | true"#)
    #expect(outcome.outputText == "code 0\n", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
  }

  private func fill() throws {
    let file = try program.folder.write("work/a.jpg", TestImages.jpeg(width: 20, height: 10))
    for number in 0..<3 { _ = try program.run("cache", "add", "http://h/\(number)", file) }
  }
}
