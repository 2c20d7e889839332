import Foundation
import Glibc
import TestSupport
import Testing

/// Under -q errors are printed, and warnings about the cache: one line for each kind, with exit code 0.
@Suite("Quiet runs") struct QuietTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.onOther { _ in .ok(TestImages.jpeg(bytes: 6000), type: "image/jpeg") }
  }

  private func urls(_ count: Int) -> [String] { (0..<count).map { server.url("/\($0).jpg") } }

  @Test("Stale images are counted", arguments: [1, 3])
  func stale(count: Int) throws {
    #expect(try program.run(["get", "-q"] + urls(count)).error.isEmpty)
    server.stop()
    let outcome = try program.run(["get", "-q", "--max-age", "0", "--retry", "0"] + urls(count))
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
    let lines = outcome.errorText.split(separator: "\n")
    #expect(lines.count == 1 && lines.first?.hasPrefix("imgfetch: warning: ") == true, "\(outcome)")
    #expect(outcome.errorText.contains("a stored image is served"), "\(outcome)")
    let counted = "3 stored images were served that no origin confirmed"
    #expect(outcome.errorText.contains(counted) == (count == 3), "\(outcome)")
  }

  @Test("A missing cache is reported once")
  func noCache() throws {
    var command = program.command(["get", "-q"] + urls(2))
    for name in ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"] { command.environment[name] = nil }
    let outcome = try command.run()
    #expect(outcome.exitCode == 0 && outcome.error.split(separator: 10).count == 1, "\(outcome)")
    #expect(outcome.errorText.contains("there is no cache"), "\(outcome)")

    #expect(mkdir(program.folder.path("open"), 0o777) == 0 && chmod(program.folder.path("open"), 0o777) == 0)
    let distrusted = try program.run(["get", "-q", "--cache-dir", program.folder.path("open")] + urls(2))
    #expect(distrusted.exitCode == 0 && distrusted.error.split(separator: 10).count == 1, "\(distrusted)")
    #expect(distrusted.errorText.contains("not used as a cache"), "\(distrusted)")

    #expect(try program.run(["get", "-q", "--cache", "off"] + urls(2)).error.isEmpty)
  }

  @Test("Images that could not be cached are counted", .needs(.plainBuild))
  func unwritable() throws {
    // No file may be larger than two kilobytes, wherever it is; the image goes to a pipe.
    let limited = "ulimit -f 2; exec \"$@\""
    var command = program.command([])
    command.path = try Command.find("bash")
    command.arguments = ["-c", limited, "bash", Program.path, "get", "-q", "-o", "-"] + urls(1)
    let outcome = try command.run()
    #expect(outcome.exitCode == 0 && outcome.error.split(separator: 10).count == 1, "\(outcome.errorText)")
    #expect(outcome.errorText.contains("the image is not cached"), "\(outcome.errorText)")
  }

  @Test("Failures are on standard error, unless that is the terminal that has the rows", arguments: [true, false])
  func failures(isSameTerminal: Bool) throws {
    let server = try TestServer()
    let program = try Program()
    var command = program.command(["get", server.url("/missing.jpg")], environment: ["TERM": "xterm"])
    command.terminal = Command.Terminal(error: isSameTerminal)
    let outcome = try command.run()
    #expect(outcome.terminalText.components(separatedBy: "/missing.jpg").count == 2, "\(outcome)")
    #expect(outcome.errorText.contains("404 Not Found") == !isSameTerminal, "\(outcome)")
  }
}
