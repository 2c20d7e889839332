import Glibc
import TestSupport
import Testing

/// Progress as seen at a terminal, and what stays on the terminal.
@Suite("Progress") struct ProgressTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 100_000), type: "image/jpeg").stallAfter(50_000))
    server.serve("/fast.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  private func start(
    _ arguments: [String], columns: Int = 80, environment: [String: String] = [:]
  ) throws -> Running {
    var command = program.command(
      ["get"] + arguments, environment: ["TERM": "xterm-256color"].merging(environment) { $1 })
    command.terminal = Command.Terminal(columns: columns)
    return try command.start()
  }

  @Test(
    "Bars show the downloads, results scroll above them, and nothing is left at the end", arguments: [20, 60, 80, 200])
  func bars(columns: Int) throws {
    let running = try start([server.url("/slow.jpg"), server.url("/fast.jpg")], columns: columns)
    try running.waitForTerminal("50%")
    try running.waitForTerminal("1 of 2")
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    let screen = Screen(outcome.terminal, columns: columns).text
    #expect(screen.first?.contains("fast.jpg") == true, "\(screen)")
    #expect(screen.dropFirst().first?.contains("slow.jpg") == true, "\(screen)")
    #expect(screen.dropFirst(2).joined().hasPrefix("2 images: 2 downloaded; "), "\(screen)")
    #expect(!screen.joined().contains("━") && !screen.joined().contains("%"), "\(screen)")
  }

  @Test("--preview shows what is coming above the bars, and nothing of it is left", arguments: [true, false])
  func preview(_ isAsked: Bool) throws {
    let bytes = TestImages.jpeg(width: 100, height: 160)
    let half = Gate()
    server.serve(
      "/coming.jpg",
      .ok(bytes, type: "image/jpeg").trickle([
        (bytes.count / 4, half), (bytes.count / 2, Gate()), (bytes.count * 3 / 4, Gate()),
      ]))
    let running = try start([server.url("/coming.jpg")], environment: isAsked ? ["IMGFETCH_PREVIEW": "1"] : [:])
    // Bars are there only for what takes a moment, and so is the preview.
    try running.waitForTerminal("25%")
    half.open()
    if isAsked { try running.waitForTerminal("\u{2580}") } else { try running.waitForTerminal("50%") }
    running.send(2)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130)
    #expect(outcome.terminalText.contains("\u{2580}") == isAsked)
    let left = Screen(outcome.terminal).text
    #expect(!left.contains { $0.contains("\u{2580}") || $0.contains("\u{2584}") }, "\(left)")
    // Eight lines and the bars.
    let rows = outcome.terminalText.split(separator: "\u{1B}[").compactMap { part in
      part.firstIndex(of: "A").flatMap { Int(part[..<$0]) }
    }
    #expect((rows.max() ?? 0) <= 8 + 10)
  }

  @Test("The length of a list is shown before it is read")
  func listLength() throws {
    try program.folder.write("work/list.txt", (0..<400).map { server.url("/slow.jpg?\($0)\n") }.joined())
    // One after another, so that reading stops at the window.
    let running = try start(["-j1", "-i", "list.txt", server.url("/slow.jpg")])
    try running.waitForTerminal("0 of 401")
    running.send(2)
    #expect(try running.wait().exitCode == 130)
  }

  @Test("An answer from the cache shows no bars")
  func cached() throws {
    _ = try program.run("get", server.url("/fast.jpg"))
    let outcome = try start([server.url("/fast.jpg")]).wait()
    #expect(!outcome.terminalText.contains("\u{1B}[K"), "\(outcome)")
    #expect(Screen(outcome.terminal).text.count == 1)
  }

  @Test("A window of one column shows results but no bars")
  func oneColumn() throws {
    let outcome = try start([server.url("/fast.jpg")], columns: 1).wait()
    #expect(outcome.exitCode == 0)
    #expect(Screen(outcome.terminal, columns: 1).text.joined().hasSuffix("fast.jpg"), "\(outcome)")
  }

  @Test("COLUMNS overrides the window, and NO_COLOR disables colours")
  func surroundings() throws {
    let running = try start([server.url("/slow.jpg")], environment: ["COLUMNS": "40", "NO_COLOR": "1"])
    try running.waitForTerminal("50%")
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(!Screen(outcome.terminal).hasColour)
    let bar = outcome.terminalText.split(whereSeparator: \.isNewline).first { $0.contains("50%") }
    #expect(bar?.contains("━━━━") == true && bar?.count ?? 99 < 45, "\(outcome)")
  }

  @Test("A terminal that cannot move its cursor gets no escape sequences", arguments: ["dumb", ""])
  func dumb(kind: String) throws {
    let running = try start(["--progress", "bar", server.url("/slow.jpg")], environment: ["TERM": kind])
    try server.waitForRequests("/slow.jpg", 1)
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0)
    #expect(!outcome.terminalText.contains("\u{1B}[K"), "\(outcome)")
    #expect(kind != "dumb" || !outcome.terminal.contains(0x1B), "\(outcome)")
  }

  @Test("Quiet draws nothing", arguments: [["-q"], ["--progress", "none"]])
  func quiet(arguments: [String]) throws {
    let running = try start(arguments + [server.url("/slow.jpg")])
    try server.waitForBytesSent(50_000)
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0)
    #expect(!outcome.terminalText.contains("%"), "\(outcome)")
    #expect(arguments != ["-q"] || outcome.terminal.isEmpty, "\(outcome)")
  }

  @Test("A pipe gets no progress unless requested")
  func pipe() throws {
    #expect(try program.run("get", server.url("/fast.jpg")).error.isEmpty)
    try program.folder.remove("home/.cache")
    let outcome = try program.run("get", "--progress", "json", server.url("/fast.jpg"))
    let last = try #require(outcome.errorText.split(separator: "\n").last)
    let progress = try #require(try JSON.object(String(last))["progress"] as? [String: Any])
    #expect(progress["done"] as? Int == 1 && progress["total"] as? Int == 1, "\(outcome)")
  }

  @Test("With --progress json, standard error is a stream of objects, including warnings and errors")
  func objects() throws {
    let outcome = try program.run(
      ["get", "--progress", "json", "-v", server.url("/fast.jpg"), server.url("/missing.jpg")],
      environment: ["IMGFETCH_JOBBS": "3"])
    #expect(outcome.exitCode == 4)
    var names: Set<String> = []
    for line in outcome.errorText.split(separator: "\n") { names.formUnion(try JSON.object(String(line)).keys) }
    #expect(names == ["progress", "warning", "error", "note"], "\(outcome)")
    #expect(outcome.errorText.contains("{\"error\":\"\(server.url("/missing.jpg")): the server answered 404 Not Found"))
  }

  @Test("Bars are not drawn where another program reads the rows, unless they are asked for", arguments: [false, true])
  func readByAnother(isAsked: Bool) throws {
    var command = program.command(
      ["get", server.url("/slow.jpg"), server.url("/fast.jpg")] + (isAsked ? ["--progress", "bar"] : []),
      environment: ["TERM": "xterm-256color"])
    command.terminal = Command.Terminal(output: false)
    let running = try command.start()
    _ = try running.nextLine()
    if isAsked { try running.waitForTerminal("50%") } else { try server.waitForBytesSent(50_000) }
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0 && outcome.rows.count == 2, "\(outcome)")
    #expect(outcome.terminal.contains(0x1B) == isAsked, "\(outcome)")
    #expect(Screen(outcome.terminal).text.first?.hasPrefix("2 images: 2 downloaded; ") == true, "\(outcome)")
  }

  @Test("For a list from the terminal there is a hint")
  func typedList() throws {
    var command = program.command(["get", "-i", "-"], environment: ["TERM": "xterm"])
    command.terminal = Command.Terminal(input: true)
    let running = try command.start()
    try running.waitForTerminal("reading URLs from this terminal")
    running.write(server.url("/fast.jpg") + "\n")
    try running.waitForTerminal("20x10")
    running.write([4])
    #expect(try running.wait().exitCode == 0)
  }

  @Test("An interrupted run removes its bars before it prints the summary")
  func interrupted() throws {
    let running = try start([server.url("/slow.jpg"), server.url("/fast.jpg")])
    try running.waitForTerminal("50%")
    running.send(2)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130)
    let screen = Screen(outcome.terminal).text
    let summary = screen.dropFirst().joined()
    #expect(screen.first?.contains("/fast.jpg") == true, "\(screen)")
    #expect(summary.hasPrefix("2 images: 1 downloaded, 1 broken off; "), "\(screen)")
    #expect(summary.hasSuffix("what came of 1 image that was broken off is kept for the next run"), "\(screen)")
    // A cancelled image has no row of its own.
    #expect(!screen.joined().contains("━") && !screen.joined().contains("slow.jpg"), "\(screen)")
  }

  @Test("After an interrupt, partial downloads are mentioned only if there is a cache to keep them")
  func interruptedWithoutCache() throws {
    let running = try start(["--cache", "off", server.url("/slow.jpg")])
    try running.waitForTerminal("50%")
    running.send(2)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130)
    let screen = Screen(outcome.terminal).text
    #expect(screen.joined().hasPrefix("1 image: 1 broken off; "), "\(screen)")
    #expect(!screen.joined().contains("kept"), "\(screen)")
  }

  @Test("The bars are below the rows at any moment")
  func standing() throws {
    server.onOther { _ in .ok(TestImages.jpeg(width: 20, height: 10), type: "image/jpeg") }
    var command = program.command(
      ["get", server.url("/slow.jpg"), "-i", "-"], environment: ["TERM": "xterm-256color"])
    command.terminal = Command.Terminal(columns: 120)
    command.input = .open
    let running = try command.start()
    try running.waitForTerminal("50%")
    for number in 1...20 {
      running.write("\(server.url("/\(number).jpg"))\n")
      // The row shows the URL; a bar, which may come before, shows only the name.
      try running.waitForTerminal("/\(number).jpg")
      // The run pauses here between two writes: a part that is missing now is in no later write.
      running.send(SIGSTOP)
      try running.waitForTerminal("the line of the whole below the row of \(number).jpg", columns: 120) { screen in
        let text = screen.text
        return text.contains { $0.contains("/\(number).jpg") && $0.hasPrefix("none ") }
          && text.last?.contains(" of ?  ") == true
      }
      running.send(SIGCONT)
    }
    running.closeInput()
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(Screen(outcome.terminal, columns: 120).text.count == 22, "\(outcome)")
  }

  @Test("Ctrl-Z leaves a clean terminal, and the run continues afterwards")
  func stopped() throws {
    // Only a job of a shell stops: without a parent to continue it, the kernel ignores the signal.
    var command = Command(
      try Command.find("bash"),
      [
        "-mc",
        """
        '\(Program.path)' get --progress bar '\(server.url("/slow.jpg"))' &
        read -r; kill -TSTP $!; wait $!; echo "stopped by $?"
        read -r; kill -CONT $!
        # That it stopped may be told once more, before that it goes on is known.
        until wait -f $!; code=$?; [[ $code != 148 ]]; do :; done
        exit $code
        """,
      ])
    command.environment = program.command([], environment: ["TERM": "xterm"]).environment
    command.folder = program.work
    command.terminal = Command.Terminal()
    command.input = .open
    let running = try command.start()
    try running.waitForTerminal("50%")
    running.write("\n")
    try running.waitForTerminal("stopped by 148")
    running.write("\n")
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    let screen = Screen(outcome.terminal).text
    #expect(screen.contains("stopped by 148"), "\(screen)")
    #expect(screen.contains { $0.hasPrefix("none     jpeg") && $0.contains("slow.jpg") }, "\(screen)")
    #expect(!screen.joined().contains("━") && !screen.joined().contains("%"), "\(screen)")
  }
}
