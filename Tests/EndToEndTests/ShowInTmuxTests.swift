import Glibc
import ImgfetchCore
import TestSupport
import Testing

/// A terminal that is not ours: what tmux has in its pane is what the picture is made of.
@Suite("Pictures within tmux") struct ShowInTmuxTests {
  /// The command that starts a program that makes terminals. A root made by debootstrap alone has none mounted: there
  /// it gets a set of its own, since /dev is no longer shared with other systems when it is mounted.
  private static var withTerminals: [String] {
    if access("/dev/pts/ptmx", F_OK) == 0 { return [] }
    let mounting = #"mount --make-private /dev && mount -t devpts devpts /dev/pts && exec "$@""#
    return ["/usr/bin/unshare", "--mount", "--propagation", "unchanged", "/bin/sh", "-c", mounting, "sh"]
  }

  private let server: TestServer
  private let program: Program
  private let bytes = TestImages.jpeg(width: 60, height: 40) { ($0.progressive, $0.detail) = (true, 30) }
  private let gate = Gate()

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", .ok(bytes, type: "image/jpeg").trickle([(bytes.count / 2, gate)]))
  }

  /// The text of a pane, with its colours, after `show` with these words.
  private func pane(_ words: String) throws -> String {
    let socket = program.folder.path + "/tmux"
    func tmux(_ arguments: String..., under prefix: [String] = []) throws -> Outcome {
      let words = prefix + [try Command.find("tmux"), "-S", socket, "-f", "/dev/null"] + arguments
      var command = Command(words[0], Array(words.dropFirst()))
      // The shell of a service's user may be one that ends at once.
      let environment = ["TERM": "xterm-256color", "COLORTERM": "truecolor", "SHELL": "/bin/sh"]
      command.environment = program.command([], environment: environment).environment
      command.folder = program.work
      return try command.run()
    }
    let script =
      "'\(Program.path)' show \(words) '\(server.url("/a.jpg"))'; tmux -S '\(socket)' wait-for -S shown; cat"
    let started = try tmux("new-session", "-d", "-x", "60", "-y", "24", script, under: Self.withTerminals)
    #expect(started.exitCode == 0, "\(started)")
    defer { _ = try? tmux("kill-server") }
    gate.open()
    #expect(try tmux("wait-for", "shown").exitCode == 0)
    return try tmux("capture-pane", "-p", "-e").outputText
  }

  @Test("Half blocks are in the pane as they were drawn, after redraws too", .needs(.terminals))
  func blocks() throws {
    let captured = try pane("-q --size 40x10")
    let emulator = TerminalEmulator(columns: 60, rows: 25)
    emulator.show(captured.replacing("\n", with: "\r\n").utf8)
    var inspector = Inspector()
    try inspector.feed(bytes.span)
    let picture = try ShownFrames.first(
      of: ImageBody(.bytes(bytes)), inspector.finish(), size: PixelSize(30, 20), PixelLimits()
    ).bytes
    let wanted = EmulatedScreen.colours(of: picture)
    let shown = emulator.screen.halves(row: 0, rows: 10, columns: 30).flatMap { $0 }
    #expect(shown == wanted, "\(captured)")
    #expect(emulator.screen.text[10].isEmpty)
  }

  @Test("kitty's placeholders are in the pane as text, each with the marks of its place", .needs(.terminals))
  func placeholders() throws {
    let captured = try pane("-q --picture kitty")
    let marks: [Unicode.Scalar] = ["\u{305}", "\u{30D}", "\u{30E}", "\u{310}", "\u{312}", "\u{33D}"]
    let lines = captured.unicodeScalars.split(separator: "\n").map(Array.init).filter { $0.contains("\u{10EEEE}") }
    #expect((1...3).contains(lines.count), "\(captured)")
    for (row, line) in lines.prefix(3).enumerated() {
      let places = line.indices.filter { line[$0] == "\u{10EEEE}" }
      #expect((1...8).contains(places.count), "\(captured)")
      for (column, at) in places.prefix(6).enumerated() {
        #expect(Array(line[(at + 1)...].prefix(2)) == [marks[row], marks[column]], "\(captured)")
      }
    }
    // No byte of the pixels is shown.
    #expect(!captured.contains("Gm=") && !captured.contains("tmux;"))
  }
}
