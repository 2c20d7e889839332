import TestSupport
import Testing

/// A shell's `ulimit -n`, small.
@Suite("Few file descriptors") struct FewDescriptorsTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    let image = TestImages.jpeg(width: 20, height: 10)
    server.onOther { _ in .ok(image, type: "image/jpeg") }
  }

  private func run(_ limit: Int, _ arguments: [String], input: String? = nil) throws -> Outcome {
    var command = program.command(arguments, input: input.map { .bytes(Array($0.utf8)) } ?? .none)
    command.arguments = ["-c", "ulimit -n \(limit) && exec \"$0\" \"$@\"", command.path] + command.arguments
    command.path = "/bin/sh"
    return try command.run()
  }

  @Test("All images of a list are fetched, with fewer at once", arguments: [24, 32, 48, 64, 128])
  func list(limit: Int) throws {
    let list = (1...150).map { server.url("/\($0).jpg") + "\n" }.joined()
    let outcome = try run(limit, ["get", "-q", "--per-host", "100", "-i", "-"], input: list)
    #expect(outcome.exitCode == 0, "\(limit): \(outcome)")
    #expect(program.folder.files(in: "work").count == 150)
  }

  @Test("Images that wait to be shown keep few files open")
  func shown() throws {
    let image = TestImages.png(bytes: 100_000)
    server.onOther { _ in .ok(image, type: "image/png") }
    let options = ["show", "-q", "-j", "4", "--picture", "blocks", "--size", "8x2"]
    let count = Program.isSanitized ? 120 : 300
    let outcome = try run(96, options + (1...count).map { server.url("/\($0).png") })
    #expect(outcome.exitCode == 0 && outcome.errorText.isEmpty, "\(outcome.errorText)")
  }

  @Test("The soft limit is raised first")
  func soft() throws {
    let image = TestImages.jpeg(bytes: 10_000)
    server.onOther { _ in .ok(image, type: "image/jpeg").stallAfter(5000) }
    var command = program.command(["get", "-q", "--per-host", "100", "-i", "-"])
    command.input = .bytes(Array((1...150).map { server.url("/\($0).jpg") + "\n" }.joined().utf8))
    command.arguments = ["-c", "ulimit -S -n 16 && exec \"$0\" \"$@\"", command.path] + command.arguments
    command.path = "/bin/sh"
    let running = try command.start()
    try server.waitForConcurrent(20)
    running.send(15)
    #expect(try running.wait().exitCode == 143)
  }

  @Test("With next to none, the run ends with an error", arguments: 5...16)
  func next(limit: Int) throws {
    let outcome = try run(limit, ["get", "--max-time", "20s", server.url("/a.jpg")])
    #expect(outcome.exitCode == 0 || !outcome.errorText.isEmpty, "\(outcome)")
    #expect([0, 7].contains(outcome.exitCode), "\(limit): \(outcome)")
    #expect(!outcome.errorText.contains("--max-time"), "\(outcome)")
    // Nothing that could be installed is missing.
    #expect(!outcome.errorText.contains("install"), "\(outcome)")
  }

  @Test("An image that cannot be written for want of descriptors names their limit")
  func advice() throws {
    let list = (1...12).map { server.url("/\($0).jpg") + "\n" }.joined()
    let messages = try (8...14).flatMap { limit in
      try run(limit, ["get", "-d", "out", "-i", "-"], input: list).errorText.split(separator: "\n")
    }.filter { $0.contains("out/") && $0.contains("cannot be written: Too many open files") }
    #expect(!messages.isEmpty)
    #expect(messages.allSatisfy { $0.contains("ulimit -n") && !$0.contains("TMPDIR") }, "\(messages)")
  }
}
