import Glibc
import TestSupport
import Testing

@Suite("Pictures in the terminal") struct ShowTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.png(width: 40, height: 20)

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.png", image, type: "image/png")
    server.serve("/b.png", TestImages.png(width: 10, height: 30, seed: 2), type: "image/png")
  }

  private func show(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
    try program.run(["show"] + arguments, environment: environment)
  }

  private func lines(_ outcome: Outcome) -> [Substring] { outcome.outputText.split(separator: "\n") }

  /// The half blocks of a line.
  private func blocks(_ line: Substring) -> Int { line.filter { $0 == "\u{2580}" || $0 == "\u{2584}" }.count }

  @Test("An image is drawn under a line with its facts, and comes from the cache the second time")
  func caching() throws {
    for source in ["network", "disk"] {
      let outcome = try show("--picture", "blocks", server.url("/a.png"), environment: ["COLORTERM": "truecolor"])
      #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
      let lines = lines(outcome)
      #expect(lines.first?.hasPrefix("\(server.url("/a.png"))  png 40x20, ") == true, "\(outcome)")
      #expect(lines.first?.hasSuffix(", \(source)") == true, "\(outcome)")
      #expect(lines.count == 11 && lines.dropFirst().allSatisfy { blocks($0) == 40 && $0.hasSuffix("\u{1B}[0m") })
      #expect(outcome.outputText.contains("\u{1B}[38;2;"))
    }
  }

  @Test("A file is shown through a link and from a pipe")
  func linksAndPipes() throws {
    let file = try program.folder.write("work/a.png", image)
    try #require(symlink(file, program.folder.path("work/link.png")) == 0)
    let link = try show("--picture", "blocks", "link.png")
    #expect(link.exitCode == 0 && link.outputText.contains("link.png  png 40x20"), "\(link)")
    for name in ["/dev/stdin", "-"] {
      let pipe = try program.command(["show", "--picture", "blocks", name], input: .bytes(image)).run()
      #expect(pipe.exitCode == 0 && pipe.outputText.contains("/dev/stdin  png 40x20"), "\(pipe)")
    }
    let long = try program.command(
      ["show", "--picture", "blocks", "--max-bytes", "20", "/dev/stdin"], input: .bytes(image)
    ).run()
    #expect(long.errorText.contains("larger than 20 bytes"), "\(long)")
  }

  /// The lines above pictures.
  private func heads(_ outcome: Outcome) -> [Substring] { lines(outcome).filter { $0.contains("  png ") } }

  @Test("A list comes behind the operands, and its fields count")
  func list() throws {
    try program.folder.write("work/own.png", image)
    let list = [
      server.url("/a.png") + "\ta name.png", "# a remark", "this is no URL",
      server.url("/gone.png") + "\tmirror=" + server.url("/b.png"),
    ]
    let arguments = ["show", "--picture", "blocks", "--retry", "0", "-i", "-", "own.png"]
    let outcome = try program.run(arguments, input: list.joined(separator: "\n") + "\n")
    let shown = heads(outcome)
    let expected = [
      "own.png  png 40x20", "\(server.url("/a.png"))  png 40x20", "\(server.url("/gone.png"))  png 10x30",
    ]
    #expect(shown.count == 3 && zip(shown, expected).allSatisfy { $0.hasPrefix($1) }, "\(outcome)")
    #expect(outcome.exitCode == 8 && outcome.errorText.contains("standard input:3: "), "\(outcome)")
    let table = "name,image\nx,\(server.url("/b.png"))\n"
    try program.folder.write("work/t.csv", table)
    let column = try show("--picture", "blocks", "--list-format", "csv", "--url-column", "image", "-i", "t.csv")
    #expect(column.exitCode == 0 && heads(column).count == 1, "\(column)")
    let missing = try show("--picture", "blocks", "-i", "none.txt")
    #expect(missing.exitCode == 7 && missing.errorText.contains("none.txt: the list cannot be read"), "\(missing)")
  }

  @Test("Parts of a list are those of get, and have each image once")
  func parts() throws {
    let urls = [server.url("/a.png"), server.url("/b.png")]
    try program.folder.write("work/list.txt", urls.joined(separator: "\n"))
    var all: [Substring] = []
    for part in ["1/2", "2/2"] {
      let outcome = try show("--picture", "blocks", "--shard", part, "-i", "list.txt")
      #expect(outcome.exitCode == 0, "\(outcome)")
      let fetched = try program.run("get", "--shard", part, "-w", "{url}\\n", "-i", "list.txt").lines
      #expect(heads(outcome).map { $0.prefix { $0 != " " } }.sorted() == fetched.map { $0[...] }.sorted(), "\(outcome)")
      all += heads(outcome)
    }
    #expect(all.count == 2)
  }

  @Test("A mirror is asked as by get, for one image")
  func mirror() throws {
    let mirrored = try show("--picture", "blocks", "--mirror", server.url("/a.png"), server.url("/gone.png"))
    #expect(mirrored.exitCode == 0 && mirrored.outputText.contains("png 40x20"), "\(mirrored)")
    let two = try show(
      "--picture", "blocks", "--mirror", server.url("/a.png"), server.url("/gone.png"), server.url("/b.png"))
    #expect(two.exitCode == 2 && two.errorText.contains("--mirror is for one URL"), "\(two)")
  }

  @Test("At a terminal nothing need be said, and it fits the window")
  func terminal() throws {
    var command = program.command(["show", server.url("/a.png")], environment: ["TERM": "xterm-256color"])
    let emulator = TerminalEmulator(columns: 21, rows: 24)
    command.terminal = Command.Terminal(emulator)
    let outcome = try command.run()
    #expect(outcome.exitCode == 0, "\(outcome)")
    let text = emulator.screen.text
    #expect(text[1...5].allSatisfy { blocks($0[...]) == 20 } && text[6...].allSatisfy(\.isEmpty), "\(text)")
    #expect(outcome.terminalText.contains("\u{1B}[38;5;"))
  }

  @Test("Without a terminal that shows pictures nothing is fetched, unless it is said what to write")
  func noTerminal() throws {
    #expect(try show(server.url("/a.png")).exitCode == 2)
    var command = program.command(["show", server.url("/a.png")], environment: ["TERM": "dumb"])
    command.terminal = Command.Terminal()
    #expect(try command.run().exitCode == 2)
    #expect(server.requests.isEmpty)
  }

  @Test("Files and URLs are shown in the order in which they were given, and --size bounds each")
  func order() throws {
    try program.folder.write("work/mine.png", TestImages.png(width: 30, height: 60))
    let outcome = try show(
      "--picture", "blocks", "--size", "8x4", server.url("/b.png"), "mine.png", server.url("/a.png"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    let heads = lines(outcome).filter { blocks($0) == 0 }.map { $0.prefix { $0 != " " } }
    #expect(heads == [server.url("/b.png")[...], "mine.png", server.url("/a.png")[...]])
    #expect(lines(outcome).map(blocks) == [0, 3, 3, 3, 3, 0, 4, 4, 4, 4, 0, 8, 8])
  }

  @Test("A failure is told and the others are shown; the exit code is that of get")
  func failures() throws {
    try program.folder.write("work/cut.png", Array(image.dropLast(20)))
    let outcome = try show("-q", "--picture", "blocks", "cut.png", server.url("/a.png"))
    #expect(outcome.exitCode == 5 && outcome.errorText.contains("cut.png"), "\(outcome)")
    #expect(lines(outcome).count == 10)
    #expect(try show("--picture", "blocks", server.url("/none.png")).exitCode == 4)
    #expect(try show("--picture", "blocks", "--offline", server.url("/b.png")).exitCode == 6)
    #expect(try show("--picture", "blocks", "http://[/").exitCode == 8)
    #expect(try show("--picture", "blocks").exitCode == 2)
  }

  @Test("An account that cannot be read is exit code 7, and one that is not there 2")
  func account() throws {
    for (variable, value, code) in [("AWS_CONFIG_FILE", "/", Int32(7)), ("AWS_PROFILE", "missing", 2)] {
      let outcome = try show("--picture", "blocks", "s3://images/a.png", environment: [variable: value])
      #expect(outcome.exitCode == code && outcome.error.count(where: { $0 == UInt8(ascii: "\n") }) == 1, "\(outcome)")
    }
  }

  @Test("The misspelt name of a file is told as such")
  func misspelt() throws {
    let outcome = try show("--picture", "blocks", "--retry", "0", "cat.invalid")
    #expect(outcome.exitCode == 3 && outcome.errorText.contains("there is no file cat.invalid either"), "\(outcome)")
    #expect(try !show("--picture", "blocks", "--retry", "0", "http://cat.invalid/").errorText.contains("no file"))
  }

  @Test("An image that was not verified is inspected before it is shown")
  func unverified() throws {
    server.serve("/page.png", Array("<html></html>".utf8), type: "image/png")
    let outcome = try show("--picture", "blocks", "--verify", "none", server.url("/page.png"), server.url("/a.png"))
    #expect(outcome.exitCode == 5, "\(outcome)")
    #expect(lines(outcome).count == 11)
  }

  /// Images of each kind that is shown while it comes, and the part of their bytes after which something is there.
  static let coming: [(name: String, bytes: [UInt8], share: Double)] = [
    ("scans.jpg", TestImages.jpeg(width: 200, height: 160) { ($0.progressive, $0.detail) = (true, 30) }, 0.15),
    ("rows.jpg", TestImages.jpeg(width: 200, height: 160), 0.5),
    ("passes.png", TestImages.png(width: 200, height: 160) { $0.interlaced = true }, 0.15),
    ("rows.png", TestImages.png(width: 200, height: 160), 0.5),
    ("rows.gif", TestImages.gif(width: 200, height: 160), 0.5),
    ("rows.webp", TestImages.webp(width: 200, height: 160), 0.9),
  ]

  @Test("What has come of an image is drawn, and in the end the whole at the same place", arguments: coming)
  func comes(_ image: (name: String, bytes: [UInt8], share: Double)) throws {
    let stall = Int(Double(image.bytes.count) * image.share)
    server.serve("/\(image.name)", .ok(image.bytes, type: "image/jpeg").stallAfter(stall))
    let colours = ["TERM": "xterm-256color", "COLORTERM": "truecolor"]
    var command = program.command(["show", server.url("/\(image.name)")], environment: colours)
    command.terminal = Command.Terminal()
    let running = try command.start()
    try running.waitForTerminal("\u{2580}")
    server.release("/\(image.name)")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    // The room of the usual window.
    let whole = try show("--picture", "blocks", "--size", "79x16", server.url("/\(image.name)"), environment: colours)
    let picture = whole.outputText.drop { $0 != "\n" }.replacing("\n", with: "\r\n")
    #expect(picture.count > 1000 && outcome.terminalText.hasSuffix(picture))
    #expect(outcome.terminalText.contains("\u{1B}[17A\r"))
  }

  @Test("What turns out to be no whole image is taken away")
  func refused() throws {
    let bytes = TestImages.jpeg(width: 200, height: 160)
    server.serve("/cut.jpg", .ok(Array(bytes.dropLast(500)), type: "image/jpeg").stallAfter(bytes.count / 2))
    var command = program.command(["show", server.url("/cut.jpg")], environment: ["TERM": "xterm-256color"])
    command.terminal = Command.Terminal()
    let running = try command.start()
    try running.waitForTerminal("\u{2580}")
    server.release("/cut.jpg")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 5, "\(outcome)")
    let text = Screen(outcome.terminal).text
    #expect(text.contains { $0.contains("cut.jpg") } && !text.contains { $0.contains("\u{2580}") }, "\(text)")
  }

  @Test("An interrupt ends it within a second, and nothing is left on the terminal", arguments: [2, 15] as [Int32])
  func interrupt(_ signal: Int32) throws {
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 100_000), type: "image/jpeg").stallAfter(50_000))
    var command = program.command(
      ["show", server.url("/a.png"), server.url("/slow.jpg")], environment: ["TERM": "xterm-256color"])
    command.terminal = Command.Terminal()
    let running = try command.start()
    try running.waitForTerminal("\u{2580}\u{1B}[0m")
    running.send(signal)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 128 + signal, "\(outcome)")
    #expect(outcome.terminalText.hasSuffix("\u{1B}[0m\r\n"), "\(outcome)")
  }
}
