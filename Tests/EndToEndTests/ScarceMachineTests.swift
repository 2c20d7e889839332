import TestSupport
import Testing

/// Machines that lack what every other one has: the message says what that is.
@Suite("Machines that lack something") struct ScarceMachineTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.png", TestImages.png(width: 8, height: 8), type: "image/png")
  }

  @Test("Under a limit on memory that libcurl cannot be loaded in, the reason is that limit", .needs(.plainBuild))
  func addressSpace() throws {
    // A build for debugging starts under the larger ones only. Under 64,000 a released one once ended without a word.
    let outcomes = try [40_000, 60_000, 64_000].map { limit in
      var limited = program.command(["get", "--json", "--cache", "off", server.url("/a.png")])
      limited.arguments = ["-c", "ulimit -v \(limit); exec \"$0\" \"$@\"", Program.path] + limited.arguments
      limited.path = try Command.find("sh")
      return try limited.run()
    }
    for outcome in outcomes.dropFirst() { #expect(outcome.exitCode == 7, "\(outcome)") }
    let outcome = try #require(outcomes.first { $0.exitCode == 7 && !$0.lines.isEmpty }, "\(outcomes)")
    let error = try #require(try JSON.object(outcome.lines.first ?? "")["error"] as? [String: Any])
    #expect(error["kind"] as? String == "file", "\(outcome)")
    #expect((error["message"] as? String)?.contains("ulimit -v") == true, "\(outcome)")
  }

  @Test("Under a limit on the size of files, the message names it", .needs(.plainBuild), arguments: ["off", "age"])
  func fileSize(cache: String) throws {
    server.serve("/large.jpg", TestImages.jpeg(bytes: 900_000))
    var limited = program.command(["get", "--cache", cache, server.url("/large.jpg")])
    limited.arguments = ["-c", "ulimit -f 100; exec \"$0\" \"$@\"", Program.path] + limited.arguments
    limited.path = try Command.find("sh")
    let outcome = try limited.run()
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("too large; no file may be so large"), "\(outcome)")
    #expect(program.folder.files(in: "work").isEmpty)
  }

  @Test("Under any limit on memory or files a list ends with an exit code, and not by a signal", .needs(.plainBuild))
  func lists() throws {
    server.onOther { _ in .ok(TestImages.png(width: 8, height: 8), type: "image/png") }
    try program.folder.write("work/list", (0..<60).map { server.url("/\($0).png\n") }.joined())
    func run(_ limit: String) throws -> Outcome {
      var limited = program.command(["get", "-d", "out", "--overwrite", "--cache", "off", "--retry", "0", "-i", "list"])
      limited.arguments = ["-c", "ulimit \(limit); exec \"$0\" \"$@\"", Program.path] + limited.arguments
      limited.path = try Command.find("sh")
      return try limited.run()
    }
    // Below the first ones not even a build for debugging starts (127).
    for limit in [30_000, 60_000, 80_000] + Array(stride(from: 84_000, through: 204_000, by: 30_000)) {
      let outcome = try run("-v \(limit)")
      #expect([0, 3, 7, 127].contains(outcome.exitCode), "\(limit): \(outcome)")
      #expect(outcome.exitCode == 0 || !outcome.errorText.isEmpty, "\(limit): \(outcome)")
    }
    for limit in stride(from: 4, through: 20, by: 2) {
      let outcome = try run("-n \(limit)")
      #expect(outcome.exitCode == 0 || outcome.exitCode == 7, "\(limit): \(outcome)")
    }
    #expect(try run("-v 400000").exitCode == 0 && run("-n 32").exitCode == 0)
  }

  @Test("Under any limit on memory a HEIC is decoded or told to fail, soon", .needs(.plainBuild))
  func decodingThread() throws {
    try program.folder.write("work/a.heic", TestImages.codedHEIC)
    for limit in stride(from: 40_000, through: 400_000, by: 6_000) {
      var limited = program.command(["inspect", "--verify", "decode", "a.heic"])
      limited.arguments = ["-c", "ulimit -v \(limit); exec \"$0\" \"$@\"", Program.path] + limited.arguments
      limited.path = try Command.find("sh")
      let outcome = try limited.run()
      #expect(outcome.exitCode == 0 || outcome.exitCode == 5 || outcome.exitCode == 7, "\(limit): \(outcome)")
    }
  }

  @Test(
    "Under any limit on memory a data set is made or told to fail, and no signal ends the run",
    .needs(.plainBuild), arguments: [[], ["--resize", "4x4", "--convert", "jpeg"]])
  func dataSet(options: [String]) throws {
    try program.folder.write("work/list", (0..<40).map { server.url("/a.png?\($0)") }.joined(separator: "\n"))
    let pack = ["pack", "-i", "list", "--per-shard", "10", "--cache", "off"] + options
    for limit in stride(from: 70_000, through: 310_000, by: 20_000) {
      var limited = program.command(pack + ["-d", "set\(limit)"])
      limited.arguments = ["-c", "ulimit -v \(limit); exec \"$0\" \"$@\"", Program.path] + limited.arguments
      limited.path = try Command.find("sh")
      let outcome = try limited.run()
      #expect(outcome.exitCode == 0 || outcome.exitCode == 7, "\(limit): \(outcome)")
      #expect(outcome.exitCode == 0 || !outcome.error.isEmpty, "\(limit): \(outcome)")
      // What this machine lacks is no row.
      #expect(outcome.rows.allSatisfy { $0[3] == "0" }, "\(limit): \(outcome)")
    }
  }

  @Test("Without /dev/null images are fetched, and what cannot be decoded says that it is missing", .needs(.mounts))
  func nullDevice() throws {
    let script = """
      mount -t tmpfs none /dev || exit 99
      "$0" get -o a.png "$1" && exec "$0" inspect --verify decode --json a.png
      """
    var command = MountNamespace.command(["/bin/sh", "-c", script, Program.path, server.url("/a.png")])
    command.environment = program.command([]).environment
    command.folder = program.work
    let outcome = try command.run()
    #expect(outcome.exitCode == 7, "\(outcome)")
    #expect(program.folder.read("work/a.png") == TestImages.png(width: 8, height: 8))
    #expect(outcome.lines.last?.contains("/dev/null: No such file or directory") == true, "\(outcome)")
  }
}
