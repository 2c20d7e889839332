import ImgfetchCore
import TestSupport
import Testing

@Suite("A contact sheet in the terminal") struct ShowGridTests {
  private let server: TestServer
  private let program: Program
  private let wide = TestImages.png(width: 200, height: 100)

  init() throws {
    server = try TestServer()
    program = try Program()
    for name in 1...12 { server.serve("/\(name).png", TestImages.png(width: 200, height: 100), type: "image/png") }
    server.serve("/tall.png", TestImages.png(width: 100, height: 400), type: "image/png")
  }

  private func urls(_ names: ClosedRange<Int>) -> [String] { names.map { server.url("/\($0).png") } }

  private func command(_ emulator: TerminalEmulator, _ arguments: [String]) -> Command {
    var command = program.command(
      ["show", "--grid", "--retry", "0"] + arguments,
      environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"])
    command.terminal = Command.Terminal(emulator)
    return command
  }

  /// The sheet as a pipe gets it.
  private func piped(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    try program.run(
      ["show", "--grid", "--retry", "0"] + arguments,
      environment: ["COLORTERM": "truecolor"].merging(environment) { $1 })
  }

  /// The lines without their colours. Any other sequence stays.
  private func lines(_ outcome: Outcome) -> [String] {
    var plain = ""
    for (number, part) in outcome.outputText.split(separator: "\u{1B}[", omittingEmptySubsequences: false).enumerated()
    {
      let rest = part.drop { $0.isASCII && ($0.isNumber || $0 == ";") }
      plain += number == 0 ? part : rest.first == "m" ? rest.dropFirst() : "ESC[" + part
    }
    return plain.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  private func words(_ line: String?) -> [Substring] { (line ?? "").split(separator: " ") }

  /// The first picture of an image as it should be, RGBA.
  private func picture(_ bytes: [UInt8], _ width: Int, _ height: Int) throws -> [UInt8] {
    var inspector = Inspector()
    try inspector.feed(bytes.span)
    return try ShownFrames.first(
      of: ImageBody(.bytes(bytes)), inspector.finish(), size: PixelSize(width, height), PixelLimits()
    ).bytes
  }

  private func expectOrder(_ emulator: TerminalEmulator, _ outcome: Outcome, exitCode: Int32 = 0) {
    let screen = emulator.screen
    #expect(outcome.exitCode == exitCode, "\(outcome.exitCode ?? -1) \(outcome.errorText)")
    #expect(screen.isAsBefore && screen.surprises.isEmpty, "\(screen.surprises) \(screen.text)")
    #expect(!screen.text.contains { $0.contains("q to end") })
  }

  // MARK: - To a pipe

  @Test("Pictures of half blocks are side by side, in the order of the operands, with their names below")
  func blocks() throws {
    try program.folder.write("work/photos/mine.png", wide)
    let operands = [server.url("/1.png"), "photos/mine.png", server.url("/tall.png"), server.url("/2.png?a=b")]
    let outcome = try piped(["--picture", "blocks"] + operands)
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
    let lines = lines(outcome)
    #expect(lines.count == 7 && words(lines.last) == ["1.png", "mine.png", "tall.png", "2.png"], "\(outcome)")
    // In rooms of 19 x 6 cells: three of 19 x 5, and one of 3 x 6.
    let blocks = lines.map { line in line.count { $0 == "\u{2580}" || $0 == "\u{2584}" } }
    #expect(blocks == [3, 60, 60, 60, 60, 60, 0], "\(blocks)")
    #expect(lines.allSatisfy { $0.count <= 79 && !$0.contains("ESC") })
    #expect(lines[0].hasPrefix(String(repeating: " ", count: 48) + "\u{2580}"))
  }

  @Test("It has as many rows as it needs, and waits for no key; -q leaves the names out, and --size is that of each")
  func rows() throws {
    let all = lines(try piped(["--picture", "blocks"] + urls(1...9)))
    #expect(all.count == 21 && [6, 13, 20].flatMap { words(all[$0]) } == (1...9).map { "\($0).png" })
    let quiet = lines(try piped(["-q", "--picture", "blocks", "--size", "8x4"] + urls(1...9)))
    #expect(quiet.count == 8 && !quiet.contains { $0.contains("png") }, "\(quiet)")
    #expect(quiet.map { line in line.count { $0 == "\u{2580}" } } == [0, 0, 64, 64, 0, 0, 8, 8])
  }

  @Test("A failed image leaves its room empty, with its kind; its message and the exit code are those of show")
  func failure() throws {
    try program.folder.write("work/cut.png", Array(wide.dropLast(20)))
    let outcome = try piped(["--picture", "blocks", server.url("/1.png"), server.url("/none.png"), "cut.png"])
    #expect(outcome.errorText.contains("none.png") && outcome.errorText.contains("cut.png"), "\(outcome)")
    let apart = try piped(["--picture", "blocks", server.url("/none.png")])
    #expect(apart.exitCode == 4 && apart.outputText.contains("http:404"), "\(apart)")
    let lines = lines(outcome)
    #expect(words(lines.last) == ["1.png", "none.png", "cut.png"], "\(outcome)")
    #expect(lines.contains { $0.contains("http:404") && $0.contains("damaged") && $0.contains("\u{2580}") })
    #expect(try piped(["--picture", "blocks"]).exitCode == 2)
    #expect(try piped([server.url("/1.png")]).exitCode == 2)
  }

  @Test("Names of strangers change nothing but their own room")
  func hostile() throws {
    server.serve("/a%1B%5B2J%E2%80%AEb%0Ac.png", wide, type: "image/png")
    server.serve("/\(String(repeating: "x", count: 300)).png", wide, type: "image/png")
    try program.folder.write("work/\u{1B}]0;t\u{7}\u{202E}d.png", wide)
    try program.folder.write("work/\(String(repeating: "漢", count: 60)).png", wide)
    let outcome = try piped([
      "--picture", "blocks", server.url("/a%1B%5B2J%E2%80%AEb%0Ac.png"), "\u{1B}]0;t\u{7}\u{202E}d.png",
      server.url("/\(String(repeating: "x", count: 300)).png"), "\(String(repeating: "漢", count: 60)).png",
    ])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let lines = lines(outcome)
    #expect(lines.count == 7 && !outcome.outputText.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{7}" })
    #expect(!lines.contains { $0.contains("ESC") || $0.contains("\u{1B}") })
    let names = words(lines.last)
    #expect(names.prefix(3) == ["a[2Jb", "c.png", "]0;td.png"], "\(names)")
    #expect(names.dropFirst(3).first?.count == 19 && names.dropFirst(3).first?.contains("…") == true, "\(names)")
    // 19 cells at most, of which a character of these takes two.
    let last = names.last ?? ""
    #expect(last.unicodeScalars.reduce(0) { $0 + ($1.value > 0x3000 ? 2 : 1) } <= 19 && last.hasSuffix("漢.png"))
  }

  @Test("Within tmux kitty's pictures are placeholders")
  func tmux() throws {
    let outcome = try piped(["--picture", "kitty"] + urls(1...4), environment: ["TMUX": "/tmp/tmux,1,0"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    // 19 x 5 cells each.
    #expect(outcome.outputText.unicodeScalars.count { $0 == "\u{10EEEE}" } == 380)
    #expect(outcome.outputText.contains("\u{1B}Ptmux;\u{1B}\u{1B}_Ga=T,"))
    #expect(!outcome.outputText.contains("\u{1B}[6A") && !outcome.outputText.contains("\u{1B}7"))
  }

  // MARK: - At a terminal

  /// The pictures' rows and columns, from left to right.
  private func places(on screen: EmulatedScreen) -> [String] {
    let pictures = screen.pictures.sorted { $0.column < $1.column }
    return pictures.map { "\($0.row):\($0.column)" }
  }

  @Test("Pictures are where their names are, pixel by pixel", arguments: ["kitty", "iterm"])
  func graphics(_ way: String) throws {
    let emulator = TerminalEmulator()
    let outcome = try command(emulator, ["--picture", way] + urls(1...3) + [server.url("/tall.png")]).run()
    expectOrder(emulator, outcome)
    let screen = emulator.screen
    #expect(words(screen.text[6]) == ["1.png", "2.png", "3.png", "tall.png"] && screen.row == 7, "\(screen.text)")
    #expect(places(on: screen) == ["1:0", "1:20", "1:40", "0:68"])
    let wanted = try picture(wide, 190, 95)
    for column in [0, 20, 40] {
      #expect(screen.pixels(row: 1, column: column, width: 190, height: 95) == wanted)
    }
  }

  @Test("The terminal's own way is found as for one picture", arguments: [true, false])
  func asked(_ hasSixels: Bool) throws {
    let emulator = TerminalEmulator { if hasSixels { $0.sixel = true } else { $0.kitty = true } }
    let outcome = try command(emulator, urls(1...4)).run()
    expectOrder(emulator, outcome)
    let screen = emulator.screen
    #expect(places(on: screen) == ["1:0", "1:20", "1:40", "1:60"])
    #expect(screen.pictures.allSatisfy { hasSixels == ($0.number == nil) } && screen.row == 7)
  }

  @Test("Half blocks are as they should be, at each place")
  func terminalBlocks() throws {
    let emulator = TerminalEmulator()
    let outcome = try command(emulator, ["--picture", "blocks"] + urls(1...4)).run()
    expectOrder(emulator, outcome)
    let wanted = EmulatedScreen.colours(of: try picture(wide, 19, 10))
    let rows = emulator.screen.halves(row: 1, rows: 5, columns: 80)
    for column in [0, 20, 40, 60] { #expect(rows.flatMap { $0[column..<column + 19] } == wanted, "\(column)") }
  }

  @Test("Pictures that are there are shown while others come, at their places", arguments: ["kitty", "blocks"])
  func coming(_ way: String) throws {
    let gate = Gate()
    server.serve("/slow.png", .ok(wide, type: "image/png").held(by: gate))
    let emulator = TerminalEmulator()
    let running = try command(emulator, ["--picture", way, server.url("/slow.png")] + urls(1...3)).start()
    func isThere(_ column: Int, _ screen: EmulatedScreen) -> Bool {
      way == "kitty"
        ? screen.pictures.contains { $0.column == column } : screen.lines[3][column].character == "\u{2580}"
    }
    try running.waitForScreen("three pictures") { screen in [20, 40, 60].allSatisfy { isThere($0, screen) } }
    #expect(!isThere(0, emulator.screen) && words(emulator.screen.text[6]).first == "slow.png")
    gate.open()
    let outcome = try running.wait()
    expectOrder(emulator, outcome)
    #expect(isThere(0, emulator.screen) && emulator.screen.row == 7)
  }

  @Test("An animation is its first picture")
  func animation() throws {
    let bytes = TestImages.gif(width: 60, height: 40, frames: 4)
    server.serve("/a.gif", bytes, type: "image/gif")
    let emulator = TerminalEmulator { $0.kitty = true }
    expectOrder(emulator, try command(emulator, [server.url("/a.gif"), server.url("/1.png")]).run())
    // In the middle of 39 x 10 cells.
    #expect(try emulator.screen.pixels(row: 8, column: 16, width: 60, height: 40) == picture(bytes, 60, 40))
    #expect(emulator.screen.picturesDrawn == 2)
  }

  @Test("Failures are told below the sheet, and their rooms have their kinds", arguments: ["kitty", "blocks"])
  func failures(_ way: String) throws {
    let emulator = TerminalEmulator()
    let outcome = try command(emulator, ["--picture", way, server.url("/none.png")] + urls(1...5)).run()
    expectOrder(emulator, outcome, exitCode: 4)
    let text = emulator.screen.text
    #expect(text[3].contains("http:404") && words(text[6]).first == "none.png", "\(text)")
    #expect(words(text[13]) == ["4.png", "5.png"] && text[14].contains("/none.png"), "\(text)")
  }

  @Test("In a window of any width there is a sheet", arguments: [1, 2, 5, 19, 41], ["kitty", "sixel", "blocks"])
  func narrow(_ columns: Int, _ way: String) throws {
    let emulator = TerminalEmulator(columns: columns, rows: 6)
    var command = command(emulator, ["--picture", way] + urls(1...2))
    // No keys are waited for.
    command.terminal?.input = false
    expectOrder(emulator, try command.run())
  }

  // MARK: - Pages

  /// A terminal with room for one row of four.
  private func paged(_ arguments: [String]) throws -> (TerminalEmulator, Running) {
    let emulator = TerminalEmulator(columns: 80, rows: 10)
    return (emulator, try command(emulator, ["--picture", "blocks"] + arguments).start())
  }

  private func waitForQuestion(_ running: Running, _ shown: Int) throws {
    try running.waitForScreen("the question after \(shown)") { screen in
      screen.text.contains { $0.hasPrefix("-- \(shown) of 12 images") }
    }
  }

  @Test("After each page it waits for a key, and ends after the last", arguments: [" ", "\r", "\u{1B}[B"])
  func pages(_ key: String) throws {
    let (emulator, running) = try paged(urls(1...12))
    for shown in [4, 8] {
      try waitForQuestion(running, shown)
      let text = emulator.screen.text
      #expect(text.contains { $0.contains("\(shown).png") } && !text.contains { $0.contains("\(shown + 1).png") })
      #expect(running.terminalModes.map { !$0.echoes && !$0.gathersLines } ?? true)
      running.write("x" + key)
    }
    let outcome = try running.wait()
    expectOrder(emulator, outcome)
    #expect(outcome.terminalText.contains("12.png"))
  }

  @Test("q ends it after the page, with the exit code of what was shown")
  func end() throws {
    let (emulator, running) = try paged([server.url("/none.png")] + urls(2...12))
    try waitForQuestion(running, 4)
    running.write(" ")
    try waitForQuestion(running, 8)
    running.write("q")
    let outcome = try running.wait()
    expectOrder(emulator, outcome, exitCode: 4)
    #expect(!outcome.terminalText.contains("12.png") && outcome.terminalText.contains("none.png: "))
  }

  @Test("Interrupted at the question, it leaves nothing of it", arguments: [2, 15] as [Int32])
  func interrupted(_ signal: Int32) throws {
    let (emulator, running) = try paged(urls(1...12))
    try waitForQuestion(running, 4)
    running.send(signal)
    expectOrder(emulator, try running.wait(), exitCode: 128 + signal)
  }

  @Test("Stopped by a key at the question, it asks again")
  func stopped() throws {
    let (emulator, running) = try paged(urls(1...12))
    try waitForQuestion(running, 4)
    running.send(20)
    // The shell has an empty line, and afterwards the question is there again.
    try running.waitForTerminal("\r\u{1B}[K-- 4 of 12 images")
    running.write("q")
    expectOrder(emulator, try running.wait())
  }

  @Test("In the background it neither asks nor reads, and brought back it asks again and takes a key")
  func background() throws {
    let emulator = TerminalEmulator(columns: 80, rows: 10)
    let script = "set -m; \"$@\"; bg; echo left; read line; echo \"got $line\"; fg"
    let show = [Program.path, "show", "--grid", "--picture", "blocks"] + urls(1...12)
    var command = Command("/bin/sh", ["-c", script, "sh"] + show)
    command.environment = program.command([], environment: ["TERM": "xterm-256color"]).environment
    command.folder = program.work
    command.terminal = Command.Terminal(emulator)
    let running = try command.start()
    try waitForQuestion(running, 4)
    running.write("\u{1A}")
    try running.waitForTerminal("left")
    running.write("a line\n")
    // Had it read, it would have been stopped, and no key would reach it.
    try running.waitForTerminal("got a line")
    try waitForQuestion(running, 4)
    running.write("q")
    let outcome = try running.wait()
    let around = outcome.terminalText.split(separator: "-- 4 of 12 images", omittingEmptySubsequences: false)
    #expect(outcome.exitCode == 0 && around.count == 3, "\(outcome)")
  }

  @Test("Without a terminal for its input it waits for no key")
  func noInput() throws {
    let emulator = TerminalEmulator(columns: 80, rows: 10)
    var command = command(emulator, ["--picture", "blocks"] + urls(1...12))
    command.terminal?.input = false
    let outcome = try command.run()
    expectOrder(emulator, outcome)
    #expect(outcome.terminalText.contains("12.png") && !outcome.terminalText.contains("q to end"))
  }
}
