import CTestSupport
import Glibc
import ImgfetchCore
import TestSupport
import Testing

/// Helpers end with the program that started them, however it ends.
@Suite("Lifetime of helper processes") struct HelperLifetimeTests {
  /// True if a process exists and has not ended; an ended one may wait to be reaped.
  private static func runs(_ pid: Int32) -> Bool {
    guard let status = Command.text(of: "/proc/\(pid)/stat"), let end = status.lastIndex(of: ")") else { return false }
    return !status[end...].hasPrefix(") Z") && !status[end...].hasPrefix(") X")
  }

  /// A program that has one helper, which waits for work.
  private func start(_ program: Program, _ server: TestServer) throws -> (running: Running, helper: Int32) {
    server.serve("/a.png", TestImages.png(width: 90, height: 60), type: "image/png")
    let running = try program.start(["get", "-i", "-", "--cache", "off", "--verify", "decode"])
    running.write(server.url("/a.png") + "\n")
    #expect(try running.nextLine()?.contains("/a.png") == true)
    return (running, try #require(running.children.first))
  }

  @Test("If the program is killed, its helper ends within a tenth of a second, even in endless decoding")
  func killed() throws {
    let server = try TestServer()
    let (running, helper) = try start(Program(), server)
    // It neither works nor notices that its channel ends, as if its input were endless.
    kill(helper, SIGSTOP)
    running.write(server.url("/a.png") + "\n")
    let clock = SystemClock()
    running.send(SIGKILL)
    let killed = clock.now()
    while Self.runs(helper), clock.now() - killed < Patience.long { sched_yield() }
    #expect(!Self.runs(helper))
    #expect(
      clock.now() - killed < .milliseconds(Program.isSanitized ? 5000 : 1000), "a tenth, on a machine that is idle")
    _ = try running.wait()
  }

  @Test(
    "The program reaps its helpers: none is left to an init process that does not", arguments: ["end", "interrupt"])
  func waitedFor(ending: String) async {
    // In a process of its own, which inherits what the program leaves behind.
    await #expect(processExitsWith: .success) { [ending = ending as String] in
      #expect(test_adopt_orphans() == 0)
      let server = try TestServer()
      server.serve("/a.png", TestImages.png(width: 90, height: 60), type: "image/png")
      let program = try Program()
      let running = try program.start(["get", "-i", "-", "--cache", "off", "--verify", "decode"])
      running.write(server.url("/a.png") + "\n")
      #expect(try running.nextLine()?.contains("/a.png") == true)
      let helper = try #require(running.children.first)
      if ending == "interrupt" {
        // In the middle of its work.
        kill(helper, SIGSTOP)
        running.write(server.url("/a.png") + "\n")
        running.send(SIGTERM)
      } else {
        running.closeInput()
      }
      let outcome = try running.wait()
      #expect(outcome.exitCode == (ending == "interrupt" ? 143 : 0), "\(outcome)")
      // A cancelled decoding is not a flaw of the image.
      #expect(!outcome.errorText.contains("decode"), "\(outcome)")
      var info = siginfo_t()
      #expect(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == -1 && errno == ECHILD, "one was left behind")
    }
  }
}
