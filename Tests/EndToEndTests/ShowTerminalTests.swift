import ImgfetchCore
import TestSupport
import Testing

@Suite("Terminals that show pictures") struct ShowTerminalTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.png(width: 200, height: 100)

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.png", image, type: "image/png")
  }

  private func command(
    _ emulator: TerminalEmulator, _ arguments: String..., environment: [String: String] = [:]
  ) -> Command {
    let variables = ["TERM": "xterm-256color", "COLORTERM": "truecolor"].merging(environment) { $1 }
    var command = program.command(["show"] + arguments, environment: variables)
    command.terminal = Command.Terminal(emulator)
    return command
  }

  /// The picture as it should be, RGBA.
  private func picture(_ bytes: [UInt8], _ width: Int, _ height: Int) throws -> [UInt8] {
    var inspector = Inspector()
    try inspector.feed(bytes.span)
    return try ShownFrames.first(
      of: ImageBody(.bytes(bytes)), inspector.finish(), size: PixelSize(width, height), PixelLimits()
    ).bytes
  }

  /// The mean difference of two pictures' samples.
  private func difference(_ one: [UInt8], _ other: [UInt8]) -> Double {
    if one.count != other.count { return 255 }
    return zip(one, other).reduce(0) { $0 + Double(abs(Int($1.0) - Int($1.1))) } / Double(max(1, one.count))
  }

  /// Expects the terminal to be left in order: the cursor below, the usual colours, echo, and nothing
  /// that was not understood.
  private func expectOrder(_ emulator: TerminalEmulator, _ outcome: Outcome, exitCode: Int32 = 0) {
    let screen = emulator.screen
    #expect(outcome.exitCode == exitCode, "\(outcome.exitCode ?? -1) \(outcome.errorText)")
    #expect(screen.isAsBefore && screen.surprises.isEmpty, "\(screen.surprises) \(screen.text)")
  }

  @Test("kitty's protocol is used where the terminal answers, and shows the picture pixel by pixel")
  func kitty() throws {
    let emulator = TerminalEmulator { ($0.kitty, $0.synchronised) = (true, true) }
    let outcome = try command(emulator, server.url("/a.png")).run()
    expectOrder(emulator, outcome)
    let screen = emulator.screen
    #expect(screen.text[0].contains("/a.png  png 200x100"))
    #expect(screen.pictures.count == 1 && screen.pictures.first?.row == 1 && screen.row == 6)
    #expect(try screen.pixels(row: 1, width: 200, height: 100) == picture(image, 200, 100))
    #expect(screen.synchronised > 0)
  }

  @Test("Sixels are used where the attributes tell them")
  func sixel() throws {
    let emulator = TerminalEmulator { $0.sixel = true }
    let outcome = try command(emulator, server.url("/a.png")).run()
    expectOrder(emulator, outcome)
    let screen = emulator.screen
    #expect(screen.pictures.count == 1 && screen.pictures.first?.row == 1 && screen.row == 6)
    // In few colours: the mean of an area is that of the picture.
    let (shown, wanted) = (screen.pixels(row: 1, width: 200, height: 100), try picture(image, 200, 100))
    let sums = (0..<3).map { channel in
      stride(from: channel, to: wanted.count, by: 4).reduce(0) { $0 + Int(wanted[$1]) - Int(shown[$1]) } / 20_000
    }
    #expect(sums.allSatisfy { abs($0) <= 2 } && shown.count == wanted.count, "\(sums)")
  }

  @Test("iTerm2's protocol, where it is asked for", arguments: [true, false])
  func iterm(_ tellsSystem: Bool) throws {
    let emulator = TerminalEmulator {
      ($0.tellsSystem, $0.answering) = (tellsSystem, .never)
      if !tellsSystem { $0.cell = (8, 16) }
    }
    let outcome = try command(emulator, "--picture", "iterm", server.url("/a.png")).run()
    expectOrder(emulator, outcome)
    #expect(try emulator.screen.pixels(row: 1, width: 200, height: 100) == picture(image, 200, 100))
  }

  @Test("A terminal that does not answer, or with nonsense, gets half blocks", arguments: [true, false])
  func silent(_ isWrong: Bool) throws {
    let emulator = TerminalEmulator { ($0.kitty, $0.answering) = (true, isWrong ? .wrongly : .never) }
    let outcome = try command(emulator, "--size", "40x10", server.url("/a.png")).run()
    expectOrder(emulator, outcome)
    let screen = emulator.screen
    #expect(screen.pictures.isEmpty && screen.row == 11)
    let wanted = try picture(image, 40, 20)
    let shown = screen.halves(row: 1, rows: 10, columns: 40).flatMap { $0 }
    #expect(shown == EmulatedScreen.colours(of: wanted))
  }

  @Test("Within tmux and screen, and where it is said how, nothing is asked")
  func unasked() throws {
    for (arguments, environment) in [
      (["--picture", "blocks"], [:]), ([], ["TMUX": "/tmp/x"]), ([], ["STY": "1.x"]), ([], ["TERM": "screen"]),
      ([], ["TERM": "linux"]),
    ] as [([String], [String: String])] {
      let emulator = TerminalEmulator { $0.kitty = true }
      let variables = ["TERM": "xterm-256color"].merging(environment) { $1 }
      var command = program.command(["show", server.url("/a.png")] + arguments, environment: variables)
      command.terminal = Command.Terminal(emulator)
      let outcome = try command.run()
      expectOrder(emulator, outcome)
      #expect(emulator.screen.pictures.isEmpty && !outcome.terminalText.contains("\u{1B}_"))
      #expect(!outcome.terminalText.contains("\u{1B}[c"))
    }
  }

  @Test("A late answer is swallowed, and what was typed is kept for the shell")
  func late() throws {
    let gate = Gate()
    server.serve("/slow.png", .ok(image, type: "image/png").held(by: gate))
    let emulator = TerminalEmulator { ($0.kitty, $0.answering) = (true, .late) }
    let running = try command(emulator, "--size", "40x10", server.url("/slow.png")).start()
    try running.waitForTerminal("\u{1B}[c")
    running.write("ls")
    running.write(emulator.answerLate())
    gate.open()
    let outcome = try running.wait()
    expectOrder(emulator, outcome)
    // An echo of either would be on the screen.
    #expect(!emulator.screen.text.contains { $0.contains("ls") && !$0.contains("/slow.png") })
    #expect(!emulator.screen.text.contains { $0.contains("^[") })
  }

  @Test(
    "A picture that is coming takes the place of the one before, in each protocol",
    arguments: ["kitty", "iterm", "sixel"])
  func coming(_ name: String) throws {
    let bytes = TestImages.jpeg(width: 200, height: 160) { ($0.progressive, $0.detail) = (true, 30) }
    let gates = [bytes.count / 5, bytes.count / 2, bytes.count * 3 / 4].map { (offset: $0, gate: Gate()) }
    server.serve("/scans.jpg", .ok(bytes, type: "image/jpeg").trickle(gates))
    let emulator = TerminalEmulator()
    let running = try command(emulator, "--picture", name, server.url("/scans.jpg")).start()
    for (number, gate) in gates.enumerated() {
      try running.waitForScreen("picture \(number)") { $0.picturesDrawn > number }
      gate.gate.open()
    }
    let outcome = try running.wait()
    expectOrder(emulator, outcome)
    let screen = emulator.screen
    #expect(name != "kitty" || screen.pictures.count == 1)
    #expect(Set(screen.pictures.map(\.row)) == [1] && screen.row == 9)
    let (shown, wanted) = (screen.pixels(row: 1, width: 200, height: 160), try picture(bytes, 200, 160))
    #expect(name == "sixel" || shown == wanted)
  }

  @Test("An animation plays once and stays at its last frame; --still is its first", arguments: [false, true])
  func animation(_ isStill: Bool) throws {
    let bytes = TestImages.gif(width: 60, height: 40, frames: 4)
    server.serve("/a.gif", bytes, type: "image/gif")
    let emulator = TerminalEmulator { ($0.kitty, $0.synchronised) = (true, true) }
    let outcome = try command(emulator, isStill ? "--still" : "--no-still", server.url("/a.gif")).run()
    expectOrder(emulator, outcome)
    var inspector = Inspector()
    try inspector.feed(bytes.span)
    var frames: [[UInt8]] = []
    try ShownFrames.all(of: ImageBody(.bytes(bytes)), inspector.finish(), size: PixelSize(60, 40), PixelLimits()) {
      frames.append($0.bytes)
      return true
    }
    let wanted = isStill ? frames.first : frames.last
    #expect(frames.count == 4 && emulator.screen.pixels(row: 1, width: 60, height: 40) == wanted)
    #expect(emulator.screen.pictures.count == 1)
  }

  @Test("Transparent pixels are laid over --background")
  func background() throws {
    let bytes = TestImages.png(width: 40, height: 40) { $0.colourType = 6 }
    server.serve("/alpha.png", bytes, type: "image/png")
    let emulator = TerminalEmulator { $0.kitty = true }
    expectOrder(emulator, try command(emulator, "--background", "#102030", server.url("/alpha.png")).run())
    let wanted = try picture(bytes, 40, 40)
    let shown = emulator.screen.pixels(row: 1, width: 40, height: 40)
    for at in stride(from: 0, to: wanted.count, by: 4) {
      let alpha = Double(wanted[at + 3]) / 255
      for (channel, below) in [16.0, 32, 48].enumerated() {
        let mixed = Double(wanted[at + channel]) * alpha + below * (1 - alpha)
        #expect(abs(Double(shown[at + channel]) - mixed) <= 1)
      }
    }
  }

  @Test(
    "A picture that is taller than the window scrolls, and ends above the cursor",
    arguments: ["kitty", "iterm", "sixel", "blocks"])
  func tall(_ name: String) throws {
    server.serve("/tall.png", TestImages.png(width: 40, height: 400), type: "image/png")
    let emulator = TerminalEmulator(columns: 60, rows: 12)
    let outcome = try command(emulator, "--picture", name, "--size", "50x16", server.url("/tall.png")).run()
    expectOrder(emulator, outcome)
    #expect(emulator.screen.row == 11)
    if name != "blocks" { #expect(emulator.screen.pictures.count == 1 && emulator.screen.pictures[0].row < 0) }
  }
}
