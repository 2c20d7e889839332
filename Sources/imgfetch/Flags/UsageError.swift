/// The command line, environment or configuration is wrong: the run ends with exit code 2 before it has done anything.
struct UsageError: Error, Hashable, Sendable {
  /// What is wrong and what is allowed, ready to be shown after `imgfetch: `.
  let message: String
  /// The help that would have told, as a command to type; nil where the message says it all.
  let help: String?

  init(_ message: String, help: String? = "imgfetch --help") {
    self.message = message
    self.help = help
  }

  init(_ message: String, of command: Command) {
    self.init(message, help: "imgfetch \(command.words) -h")
  }

  static let exitCode: Int32 = 2
}
