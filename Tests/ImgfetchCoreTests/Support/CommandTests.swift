import Glibc
import TestSupport
import Testing

@Suite("Commands of the tests") struct CommandTests {
  private func shell(_ script: String, _ arguments: [String] = []) -> Command {
    Command("/bin/sh", ["-c", script, "sh"] + arguments)
  }

  @Test func sayHowTheyEnded() throws {
    let outcome = try shell("echo out; echo err >&2; exit 3").run()
    #expect(outcome.exitCode == 3)
    #expect(outcome.signal == nil)
    #expect(outcome.outputText == "out\n")
    #expect(outcome.errorText == "err\n")
    #expect(try shell("kill -9 $$").run().signal == SIGKILL)
  }

  @Test func haveTheInputEnvironmentAndFolderThatTheyAreGiven() throws {
    let folder = try TemporaryFolder()
    var command = shell("cat; pwd; env | sort | grep -v -e ^PWD -e ^_ -e ^OLDPWD; ls /proc/self/fd")
    command.input = .bytes(Array("in\n".utf8))
    command.environment = ["A": "b c"]
    command.folder = folder.path
    // The last descriptor is ls's own.
    #expect(try command.run().lines == ["in", folder.path, "A=b c", "0", "1", "2", "3"])
  }

  @Test func takeMoreInputThanAPipeHolds() throws {
    var command = shell("cat")
    command.input = .bytes([UInt8](repeating: 65, count: 1 << 20))
    #expect(try command.run().output.count == 1 << 20)
    command.path = "/bin/true"
    #expect(try command.run().exitCode == 0)
  }

  @Test func areTalkedTo() throws {
    var command = shell("while read line; do echo \"[$line]\"; done; echo -n rest")
    command.input = .open
    let running = try command.start()
    running.write("one\n")
    #expect(try running.nextLine() == "[one]")
    running.write("two\n")
    #expect(try running.nextLine() == "[two]")
    #expect((running.peakMemory ?? 0) > 100_000)
    running.closeInput()
    #expect(try running.nextLine() == "rest")
    #expect(try running.nextLine() == nil)
    #expect(try running.wait().exitCode == 0)
    #expect(running.peakMemory == nil)
  }

  @Test func areSignalled() throws {
    var command = shell("trap 'echo caught; exit 7' TERM; echo ready; read line")
    command.input = .open
    let running = try command.start()
    try running.waitForOutput("ready")
    running.send(SIGTERM)
    let outcome = try running.wait()
    #expect(outcome.lines == ["ready", "caught"])
    #expect(outcome.exitCode == 7)
  }

  @Test func runAtATerminal() throws {
    var command = shell("stty size; test -t 1 && test -t 2 && echo yes >/dev/tty; read line; stty size; echo $line")
    command.terminal = Command.Terminal(columns: 100, rows: 30, input: true)
    let running = try command.start()
    try running.waitForTerminal("30 100\r\nyes\r\n")
    running.resizeTerminal(columns: 50, rows: 10)
    running.write("typed\n")
    let outcome = try running.wait()
    #expect(outcome.terminalText == "30 100\r\nyes\r\ntyped\r\n10 50\r\ntyped\r\n")
    #expect(outcome.exitCode == 0)
  }

  @Test func showErrorsAtATerminalAlone() throws {
    var command = shell("echo out; echo err >&2")
    command.terminal = Command.Terminal(output: false)
    let outcome = try command.run()
    #expect(outcome.outputText == "out\n")
    #expect(outcome.terminalText == "err\r\n")
  }

  @Test func areNamedWhenTheyCannotBeStarted() {
    #expect { try Command("/nowhere/x", []).run() } throws: { "\($0)".contains("/nowhere/x") }
  }
}
