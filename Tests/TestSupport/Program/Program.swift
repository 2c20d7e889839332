import Foundation

/// The built `imgfetch`, with a home, caches and configuration of the test's own.
///
/// It is the binary that `TEST_IMGFETCH` names, or the one that was built beside the tests.
package struct Program: Sendable {
  /// The folder of this test.
  package let folder: TemporaryFolder
  /// The HOME of the program, which holds only the program's own files.
  package let home: String
  /// The working directory of the program.
  package let work: String

  package init(in folder: TemporaryFolder) throws {
    self.folder = folder
    home = try folder.makeFolder("home")
    work = try folder.makeFolder("work")
  }

  package init() throws { try self.init(in: TemporaryFolder()) }

  /// The path of the binary.
  package static let path: String = {
    if let path = ProcessInfo.processInfo.environment["TEST_IMGFETCH"], !path.isEmpty { return path }
    let tests =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    let beside = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("imgfetch").path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    // A helper of the toolchain may run the tests; then their bundle is among its arguments.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? tests
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("imgfetch").path
  }()

  /// True if the program was built with a sanitizer, as `Scripts/sanitize` does.
  package static let isSanitized = ProcessInfo.processInfo.environment["TEST_SANITIZER"] != nil

  /// A command of these arguments, to be changed before it is started. Its environment has no proxies, and nothing else
  /// of the environment that the tests run in.
  package func command(
    _ arguments: [String], input: Command.Input = .none, environment: [String: String] = [:], in folder: String? = nil
  ) -> Command {
    var command = Command(Self.path, arguments)
    command.environment = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "XDG_CACHE_HOME": "\(home)/.cache",
      "XDG_CONFIG_HOME": "\(home)/.config", "TMPDIR": self.folder.path, "LC_ALL": "C.UTF-8", "TZ": "UTC",
    ].merging(environment) { $1 }
    command.folder = folder ?? work
    command.input = input
    return command
  }

  /// Runs it to its end.
  package func run(
    _ arguments: [String], input: String? = nil, environment: [String: String] = [:], in folder: String? = nil
  ) throws -> Outcome {
    try command(
      arguments, input: input.map { .bytes(Array($0.utf8)) } ?? .none, environment: environment, in: folder
    ).run()
  }

  package func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

  /// Starts it, with an input that the test writes and ends.
  package func start(
    _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil
  ) throws -> Running {
    try command(arguments, input: .open, environment: environment, in: folder).start()
  }
}
