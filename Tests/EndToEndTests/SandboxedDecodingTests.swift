import CTestSupport
import Glibc
import ImgfetchCore
import TestSupport
import Testing

/// The place where the program decodes pixels, as its user sees it.
@Suite("Decoding in helper processes") struct SandboxedDecodingTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.png", TestImages.png(width: 90, height: 60), type: "image/png")
    server.serve("/b.png", TestImages.png(width: 60, height: 90, seed: 2), type: "image/png")
  }

  @Test("A run that decodes nothing starts no helper; another one has it sandboxed")
  func helpers() throws {
    for (arguments, isSandboxed) in [([], false), (["--verify", "decode"], true), (["--resize", "9x"], true)] {
      let running = try program.start(["get", "-i", "-", "--cache", "off"] + arguments)
      running.write(server.url("/a.png") + "\n")
      #expect(try running.nextLine()?.contains("/a.png") == true)
      let helpers = running.children
      #expect(helpers.isEmpty != isSandboxed)
      for helper in helpers {
        let status = Command.text(of: "/proc/\(helper)/status") ?? ""
        #expect(status.contains("Seccomp:\t2\n") && status.contains("NoNewPrivs:\t1\n"), "\(status)")
      }
      running.closeInput()
      let outcome = try running.wait()
      #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
    }
  }

  @Test("A helper has its channel and none of the program's descriptors", .needs(.tracing))
  func descriptors() throws {
    let secret = try Descriptor.open(program.folder.write("secret", "secret"), .read)
    var command = program.command(["get", "-i", "-", "--cache", "off", "--verify", "decode"], input: .open)
    command.inherited = [Int32](repeating: secret.raw, count: 6)
    let running = try command.start()
    running.write(server.url("/a.png") + "\n")
    #expect(try running.nextLine()?.contains("/a.png") == true)
    #expect(Command.names(in: "/proc/\(running.pid)/fd").contains("8"))
    for helper in running.children {
      #expect(Command.names(in: "/proc/\(helper)/fd").sorted() == ["0", "1", "2", "3"])
    }
    #expect(running.children.count == 1)
    running.closeInput()
    #expect(try running.wait().exitCode == 0)
  }

  /// Runs the program with a kernel that answers some calls with an error.
  private func run(
    _ arguments: [String], refusing calls: [(number: Int32, first: Int32, error: Int32)]
  ) throws -> Outcome {
    let outcome = Guarded<Outcome?>(nil)
    // It applies to a thread and to what that starts.
    try together(1) { [program] _ in
      for call in calls where test_refuse_call(Int(call.number), call.first, call.error) != 0 {
        throw CommandError("this kernel knows no seccomp")
      }
      let found = try program.run(arguments)
      outcome.withLock { $0 = found }
    }
    return try #require(outcome.withLock { $0 })
  }

  @Test("Without seccomp nothing is decoded, unless --no-sandbox is given")
  func noSeccomp() throws {
    // The call that installs such a filter comes last.
    let seccomp = [(SYS_seccomp, -1, ENOSYS), (SYS_prctl, PR_SET_SECCOMP, EINVAL)]
    let urls = ["/a.png", "/b.png"].map { server.url($0) }
    let refused = try run(["get", "--verify", "decode"] + urls, refusing: seccomp)
    #expect(refused.exitCode == 7, "\(refused)")
    #expect(refused.errorText.contains("seccomp") && refused.errorText.contains("--no-sandbox"), "\(refused)")
    #expect(program.folder.files(in: "work") == [])
    let asked = try run(["get", "--verify", "decode", "--no-sandbox"] + urls, refusing: seccomp)
    #expect(asked.exitCode == 0, "\(asked)")
  }

  @Test("A missing Landlock is reported once")
  func noLandlock() throws {
    let landlock = (444...446).map { (number: Int32($0), first: Int32(-1), error: ENOSYS) }
    let urls = ["/a.png", "/b.png"].map { server.url($0) }
    let outcome = try run(["get", "--verify", "decode"] + urls, refusing: landlock)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.errorText.split(separator: "\n").filter { $0.contains("Landlock") }.count == 1, "\(outcome)")
  }

  @Test("Without close_range, descriptors are closed one by one")
  func noCloseRange() throws {
    let outcome = try run(["get", "--verify", "decode", server.url("/a.png")], refusing: [(436, -1, ENOSYS)])
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
  }

  @Test("A helper that dies between two images is started again")
  func killed() throws {
    let running = try program.start(["get", "-i", "-", "--resize", "9x"])
    for path in ["/a.png", "/b.png"] {
      running.write(server.url(path) + "\n")
      #expect(try running.nextLine()?.contains(path) == true)
      for helper in running.children { kill(helper, SIGKILL) }
    }
    running.closeInput()
    #expect(try running.wait().exitCode == 0)
  }

  @Test(
    "--no-sandbox decodes with a warning, which is not printed if nothing is decoded", arguments: ["get", "inspect"])
  func without(command: String) throws {
    let file = try program.folder.write("work/a.png", TestImages.png(width: 90, height: 60))
    let operand = command == "get" ? server.url("/a.png") : file
    let warned = try program.run(command, "--no-sandbox", "--verify", "decode", operand)
    #expect(warned.exitCode == 0)
    #expect(warned.errorText.contains("warning") && warned.errorText.contains("--no-sandbox"), "\(warned)")
    let plain = try program.run(command, "--no-sandbox", operand)
    #expect(plain.exitCode == 0 && plain.error.isEmpty, "\(plain)")
  }

  @Test("An interrupt ends the helpers with their program, and is not reported as their failure")
  func interrupted() throws {
    let running = try program.start(["get", "-i", "-", "--resize", "9x"])
    running.write(server.url("/a.png") + "\n")
    _ = try running.nextLine()
    // As a terminal sends it: to all of them.
    kill(-running.pid, SIGINT)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130, "\(outcome)")
    #expect(!outcome.errorText.contains("crash"), "\(outcome)")
  }
}
