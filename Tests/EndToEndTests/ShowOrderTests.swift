import TestSupport
import Testing

@Suite("However showing ends, the terminal is as before") struct ShowOrderTests {
  private let server: TestServer
  private let program: Program
  private let bytes = TestImages.jpeg(width: 200, height: 160) { ($0.progressive, $0.detail) = (true, 30) }

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/slow.jpg", .ok(bytes, type: "image/jpeg").stallAfter(bytes.count / 2))
  }

  private func start(_ emulator: TerminalEmulator, _ arguments: String...) throws -> Running {
    var command = program.command(
      ["show", "--retry", "0"] + arguments, environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"])
    command.terminal = Command.Terminal(emulator)
    return try command.start()
  }

  /// A program that is drawing a picture of which half has come.
  private func drawing(_ way: String, _ emulator: TerminalEmulator) throws -> Running {
    let running = try start(emulator, "--picture", way, server.url("/slow.jpg"))
    try waitForPicture(way, running)
    return running
  }

  private func waitForPicture(_ way: String, _ running: Running) throws {
    try running.waitForScreen("a picture") { screen in
      way == "blocks" ? screen.text.contains { $0.contains("\u{2580}") } : screen.picturesDrawn > 0
    }
  }

  private func expectOrder(_ emulator: TerminalEmulator, mayBeCut: Bool = false) {
    let screen = emulator.screen
    #expect(screen.isAsBefore && (mayBeCut || screen.surprises.isEmpty), "\(screen.surprises) \(screen.text)")
    // The cursor is below the picture and its line.
    #expect(screen.row > (screen.pictures.map(\.row).max() ?? -1), "\(screen.row)")
    #expect(screen.lines[screen.row].allSatisfy { $0.character == " " && $0.back == nil })
  }

  static let ways = ["blocks", "kitty", "iterm", "sixel"]

  @Test("Interrupted or killed", arguments: ways, [2, 15, 9] as [Int32])
  func ended(_ way: String, _ signal: Int32) throws {
    // So small that a redraw is below the 2,048 bytes that the kernel takes at once: what a killed program has not
    // written cannot be mended.
    let emulator = TerminalEmulator(columns: 10, rows: 12) { $0.cell = (2, 4) }
    let running = try drawing(way, emulator)
    running.send(signal)
    let outcome = try running.wait()
    #expect(signal == 9 ? outcome.signal == 9 : outcome.exitCode == 128 + signal, "\(outcome.errorText)")
    expectOrder(emulator)
  }

  @Test("Interrupted while the terminal is asked", arguments: [2, 15] as [Int32])
  func asked(_ signal: Int32) throws {
    let emulator = TerminalEmulator { $0.answering = .late }
    let running = try start(emulator, server.url("/slow.jpg"))
    try running.waitForTerminal("\u{1B}[c")
    #expect(running.terminalModes.map { !$0.echoes && !$0.gathersLines } ?? true)
    running.send(signal)
    running.write(emulator.answerLate())
    let outcome = try running.wait()
    #expect(outcome.exitCode == 128 + signal, "\(outcome.errorText)")
    #expect(!emulator.screen.text.contains { $0.contains("^[") })
    expectOrder(emulator)
  }

  @Test(
    "The terminal echoes again once it has answered, and after a run in which it did not", arguments: [true, false])
  func modes(_ answers: Bool) throws {
    let emulator = TerminalEmulator { ($0.kitty, $0.answering) = (true, answers ? .well : .never) }
    let script = "\"$1\" show \"$2\"; stty -a"
    server.serve("/fast.png", TestImages.png(width: 40, height: 20), type: "image/png")
    var command = Command("/bin/sh", ["-c", script, "sh", Program.path, server.url("/fast.png")])
    command.environment = program.command([], environment: ["TERM": "xterm-256color"]).environment
    command.folder = program.work
    command.terminal = Command.Terminal(emulator)
    let outcome = try command.run()
    let words = outcome.terminalText.split { $0 == " " || $0 == ";" || $0.isNewline }
    #expect(words.contains("echo") && words.contains("icanon"), "\(outcome)")
  }

  @Test("What is typed while the terminal is asked reaches the next program")
  func typed() throws {
    // Not every kernel lets a program give input back.
    let isAllowed = (Command.text(of: "/proc/sys/dev/tty/legacy_tiocsti") ?? "1").hasPrefix("1")
    let emulator = TerminalEmulator { ($0.kitty, $0.answering) = (true, .late) }
    let script = "\"$1\" show -q --size 10x4 \"$2\"; echo done; read line; echo \"got: $line\""
    server.serve("/fast.png", TestImages.png(width: 40, height: 20), type: "image/png")
    var command = Command("/bin/sh", ["-c", script, "sh", Program.path, server.url("/fast.png")])
    command.environment = program.command([], environment: ["TERM": "xterm-256color"]).environment
    command.folder = program.work
    command.terminal = Command.Terminal(emulator)
    let running = try command.start()
    try running.waitForTerminal("\u{1B}[c")
    running.write("make")
    running.write(emulator.answerLate())
    try running.waitForTerminal("done")
    running.write(" it so\n")
    let outcome = try running.wait()
    #expect(!isAllowed || emulator.screen.text.contains { $0.hasSuffix("got: make it so") }, "\(emulator.screen.text)")
    #expect(outcome.exitCode == 0 && emulator.screen.surprises.isEmpty)
  }

  @Test("Stopped and continued", arguments: ways)
  func stopped(_ way: String) throws {
    let emulator = TerminalEmulator()
    let running = try drawing(way, emulator)
    running.send(19)
    running.send(18)
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    expectOrder(emulator)
  }

  @Test("Interrupted by a key, wherever that cuts a picture", arguments: ways)
  func endedByKey(_ way: String) throws {
    let emulator = TerminalEmulator()
    let running = try startInShell(emulator, way, then: "echo \"ended: $?\"; read line")
    try waitForPicture(way, running)
    running.write("\u{3}")
    try running.waitForScreen("the shell's line") { screen in
      screen.isAsBefore && screen.text.contains { $0.hasPrefix("ended: 130") }
    }
    expectOrder(emulator, mayBeCut: true)
    running.write("\n")
    #expect(try running.wait().exitCode == 0)
  }

  @Test("Ended by Ctrl-\\: the terminal echoes again")
  func quitByKey() throws {
    let running = try startInShell(TerminalEmulator(), "blocks", then: "echo \"ended: $?\"; stty -a")
    try waitForPicture("blocks", running)
    running.write("\u{1C}")
    let outcome = try running.wait()
    let words = outcome.terminalText.split { $0 == " " || $0 == ";" || $0.isNewline }
    #expect(words.contains("131") && words.contains("echo") && words.contains("-noflsh"), "\(outcome)")
  }

  @Test("In the background a picture is drawn once, when it is whole", arguments: ways)
  func inBackground(_ way: String) throws {
    let emulator = TerminalEmulator()
    let running = try startInShell(emulator, way, ending: "&", then: "echo typed; wait; echo over")
    try running.waitForTerminal("typed")
    try server.waitForBytesSent(bytes.count / 2)
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    let lines = outcome.terminalText.split(separator: "/slow.jpg  jpeg", omittingEmptySubsequences: false)
    #expect(lines.count == 2 && emulator.screen.text.contains { $0.hasPrefix("typed") }, "\(emulator.screen.text)")
  }

  /// Starts the program as a job of a shell in the terminal. Without job control the kernel stops no process.
  private func startInShell(
    _ emulator: TerminalEmulator, _ way: String, ending mark: String = ";", then last: String
  ) throws -> Running {
    let script = "\"$1\" show --retry 0 --picture \"$2\" \"$3\"\(mark) \(last)"
    var command = Command("/bin/sh", ["-mc", script, "sh", Program.path, way, server.url("/slow.jpg")])
    // Swift's own handler of SIGQUIT, where the toolchain has one, asks questions.
    let variables = ["TERM": "xterm-256color", "COLORTERM": "truecolor", "SWIFT_BACKTRACE": "enable=no"]
    command.environment = program.command([], environment: variables).environment
    command.folder = program.work
    command.terminal = Command.Terminal(emulator)
    return try command.start()
  }

  /// The key would have the terminal drop output that it has not shown yet, and the shell writes where the cursor is.
  @Test("Stopped by a key: the shell goes on below the picture, which is drawn anew afterwards", arguments: ways)
  func stoppedByKey(_ way: String) throws {
    let emulator = TerminalEmulator()
    let running = try startInShell(emulator, way, then: "echo \"stopped: $?\"; fg")
    try waitForPicture(way, running)
    running.write("\u{1A}")
    // The shell names a job that it continues.
    try running.waitForScreen("the shell's lines") { screen in
      screen.isAsBefore && screen.text.contains { $0.contains("show --retry 0") }
    }
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    expectOrder(emulator)
    let text = emulator.screen.text
    let (shell, line) = (text.lastIndex { $0.hasPrefix("stopped: 148") }, text.lastIndex { $0.contains("/slow.jpg") })
    #expect(try #require(shell) < #require(line), "\(text)")
  }

  @Test("Keys are not shown in a picture that comes, and reach the next program", arguments: ways)
  func typedMeanwhile(_ way: String) throws {
    let emulator = TerminalEmulator()
    let running = try drawing(way, emulator)
    #expect(running.terminalModes.map { !$0.echoes && $0.gathersLines } ?? true)
    running.write("\n\n")
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    expectOrder(emulator)
    #expect(emulator.screen.text.count { $0.contains("/slow.jpg") } == 1, "\(emulator.screen.text)")
  }

  @Test("The connection broken: what had come is taken away", arguments: ways)
  func broken(_ way: String) throws {
    server.serve(
      "/slow.jpg", .ok(bytes, type: "image/jpeg").stallAfter(bytes.count / 2).resetAfter(bytes.count * 3 / 4))
    let emulator = TerminalEmulator()
    let running = try drawing(way, emulator)
    server.release("/slow.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 3, "\(outcome.errorText)")
    let screen = emulator.screen
    #expect(screen.isAsBefore && screen.surprises.isEmpty)
    #expect(
      screen.pictures.allSatisfy { picture in
        stride(from: 3, to: picture.pixels.count, by: 4).allSatisfy { picture.pixels[$0] == 0 }
      })
    #expect(!screen.text.contains { $0.contains("\u{2580}") })
  }

  @Test("The window resized a hundred times", arguments: ways)
  func resized(_ way: String) throws {
    let gates = (1...8).map { (offset: bytes.count * $0 / 10, gate: Gate()) }
    server.serve("/scans.jpg", .ok(bytes, type: "image/jpeg").trickle(gates))
    let emulator = TerminalEmulator()
    let running = try start(emulator, "--picture", way, server.url("/scans.jpg"))
    var random = SeededRandom(seed: 29)
    for (number, gate) in gates.enumerated() {
      if number == 1 { try running.waitForScreen("the line above") { $0.text.contains { $0.contains("jpg") } } }
      for _ in 0..<13 {
        running.resizeTerminal(
          columns: Int.random(in: 2...120, using: &random), rows: Int.random(in: 2...50, using: &random))
      }
      gate.gate.open()
    }
    running.resizeTerminal(columns: 80, rows: 24)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    expectOrder(emulator)
  }
}
