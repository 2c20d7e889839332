import Glibc
import TestSupport
import Testing

/// Where the program decodes pixels, as its user sees it.
@Suite("Decoding in helpers") struct SandboxedDecodingTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.png", TestImages.png(width: 90, height: 60), type: "image/png")
    server.serve("/b.png", TestImages.png(width: 60, height: 90, seed: 2), type: "image/png")
  }

  /// The processes that a running program has started.
  private func children(of running: Running) -> [Int32] {
    let tasks = Command.names(in: "/proc/\(running.pid)/task")
    return tasks.flatMap { task in
      (Command.text(of: "/proc/\(running.pid)/task/\(task)/children") ?? "").split(separator: " ").compactMap {
        Int32($0)
      }
    }
  }

  @Test("A run that decodes nothing starts no helper; one that does has it shut in by the kernel")
  func helpers() throws {
    for (arguments, isSandboxed) in [([], false), (["--verify", "decode"], true), (["--resize", "9x"], true)] {
      let running = try program.start(["get", "-i", "-", "--cache", "off"] + arguments)
      running.write(server.url("/a.png") + "\n")
      #expect(try running.nextLine()?.contains("/a.png") == true)
      let helpers = children(of: running)
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

  @Test("A helper that dies between two images is started anew")
  func killed() throws {
    let running = try program.start(["get", "-i", "-", "--resize", "9x"])
    for path in ["/a.png", "/b.png"] {
      running.write(server.url(path) + "\n")
      #expect(try running.nextLine()?.contains(path) == true)
      for helper in children(of: running) { kill(helper, SIGKILL) }
    }
    running.closeInput()
    #expect(try running.wait().exitCode == 0)
  }

  @Test(
    "--no-sandbox decodes all the same, and warns; who decodes nothing is not warned", arguments: ["get", "inspect"])
  func without(command: String) throws {
    let file = try program.folder.write("work/a.png", TestImages.png(width: 90, height: 60))
    let operand = command == "get" ? server.url("/a.png") : file
    let warned = try program.run(command, "--no-sandbox", "--verify", "decode", operand)
    #expect(warned.exitCode == 0)
    #expect(warned.errorText.contains("warning") && warned.errorText.contains("--no-sandbox"), "\(warned)")
    let plain = try program.run(command, "--no-sandbox", operand)
    #expect(plain.exitCode == 0 && plain.error.isEmpty, "\(plain)")
  }

  @Test("An interrupt ends the helpers with their program, and is no failure of theirs")
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
