import TestSupport
import Testing

/// A reader such as `head` may stop early. The run then ends at once and silently, with the exit code of programs ended
/// by SIGPIPE, so that a script cannot mistake it for a complete one.
@Suite("Readers that go away") struct ClosedPipeTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  /// Runs a pipeline and returns the program's exit code.
  private func run(_ script: String, _ arguments: String...) throws -> Outcome {
    var command = program.command([])
    command.path = try Command.find("bash")
    command.arguments = ["-c", script + #"; echo "code ${PIPESTATUS[0]}""#, Program.path] + arguments
    return try command.run()
  }

  @Test("The reader of an image's bytes, from the network and from the cache: what was received is kept")
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

  @Test("The reader of rows: the rest of an endless list is not fetched", arguments: ["", "--json", "-w{url}\\n"])
  func rows(form: String) throws {
    let outcome = try run(
      #"yes "$1" 2>/dev/null | "$0" get -i - ${2:+"$2"} | head -n 1 >/dev/null; set -- "${PIPESTATUS[@]}"; (exit "$2")"#,
      server.url("/a.jpg"), form)
    #expect(outcome.outputText == "code 141\n", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
  }

  @Test("A run without a row to write notices it, and keeps partial downloads")
  func rareRows() throws {
    let image = TestImages.jpeg(bytes: 900_000)
    server.serve("/slow.jpg", Resource(image, etag: "\"1\""))
    server.on("/slow.jpg") { _ in
      .ok(image, type: "image/jpeg").with("ETag", "\"1\"").with("Accept-Ranges", "bytes").stallAfter(600_000)
    }
    // No time-out ends it instead.
    let outcome = try run(
      #""$0" get --timeout 10m "$1" "$2" | head -n 1"#, server.url("/a.jpg"), server.url("/slow.jpg"))
    #expect(outcome.lines.count == 2 && outcome.lines.last == "code 141", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
    try server.waitForDepartures("/slow.jpg")
    #expect(program.folder.files(in: "home/.cache").contains { $0.hasSuffix(".part") })
  }

  @Test("So does a run that waits for the next line of its list")
  func openList() throws {
    // Opened for reading and writing, so that the pipe has a writer that never writes more.
    let outcome = try run(
      #"mkfifo list && exec 9<>list && echo "$1" >&9; "$0" get -i - <&9 | head -n 1"#, server.url("/a.jpg"))
    #expect(outcome.lines.count == 2 && outcome.lines.last == "code 141", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
  }

  @Test("The failed list contains the cancelled lines, and the report is complete")
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

  @Test("The reader of a report", arguments: ["-", "/dev/stdout", "/dev/fd/1"])
  func report(_ file: String) throws {
    let outcome = try run(
      #"yes "$1" 2>/dev/null | head -n 20000 | "$0" get -q --report "$2" -i - | head -c 100 >/dev/null; set -- "${PIPESTATUS[@]}"; (exit "$3")"#,
      server.url("/a.jpg"), file)
    #expect(outcome.outputText == "code 141\n", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
  }

  @Test("Where nothing is printed, no reader is needed")
  func quiet() throws {
    let outcome = try run(#""$0" get -q "$1" "$1" | true"#, server.url("/a.jpg"))
    #expect(outcome.outputText == "code 0\n", "\(outcome)")
    #expect(program.folder.files(in: "work") == ["a.jpg"])
  }

  @Test(
    "Rows that cannot be written end the run at once, with an error", arguments: ["", "-q --report /dev/full"])
  func full(options: String) throws {
    let outcome = try run(
      #"yes "$1" 2>/dev/null | head -n 20000 | "$0" get --name '{index}.{ext}' -i - \#(options) >/dev/full; set -- "${PIPESTATUS[@]}"; (exit "$3")"#,
      server.url("/a.jpg"))
    #expect(outcome.outputText == "code 7\n", "\(outcome)")
    #expect(outcome.errorText.contains("No space left on device; free some space there"), "\(outcome)")
    #expect(program.folder.files(in: "work").count < 15_000)
  }

  @Test("Pictures that cannot be written end the run with one message", arguments: ["", "--grid"])
  func fullOfPictures(options: String) throws {
    try fill()
    let outcome = try run(
      #""$0" show --picture blocks \#(options) a.jpg a.jpg "$1" "$1" a.jpg >/dev/full"#, server.url("/a.jpg"))
    #expect(outcome.outputText == "code 7\n", "\(outcome)")
    #expect(outcome.errorText.components(separatedBy: "No space left on device").count == 2, "\(outcome)")
  }

  @Test("Rows of other commands", arguments: ["inspect", "cache list"])
  func others(command: String) throws {
    try fill()
    let files = command == "inspect" ? " $(yes a.jpg 2>/dev/null | head -n 2000)" : ""
    // The output is short, so it begins when the reader has surely gone.
    let gone = #"trap "" PIPE; while printf x 2>/dev/null; do :; done"#
    let outcome = try run(#"(\#(gone); exec "$0" \#(command)\#(files)) | (exec <&-)"#)
    #expect(outcome.outputText == "code 141\n", "\(outcome)")
    #expect(outcome.error.isEmpty, "\(outcome)")
  }

  @Test("Help and completions leave no work undone", arguments: ["help get", "completions bash"])
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
