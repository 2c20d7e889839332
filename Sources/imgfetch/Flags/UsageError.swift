/// The command line, environment or configuration is wrong: the run ends with exit code 2 before it does anything.
struct UsageError: Error, Hashable, Sendable {
  /// The mistake and the allowed values, to follow `imgfetch: `.
  let message: String
  /// The command that prints the relevant help; nil if the message says everything.
  let help: String?

  init(_ message: String, help: String? = "imgfetch --help") {
    self.message = message
    self.help = help
  }

  init(_ message: String, of command: Command) { self.init(message, help: "imgfetch \(command.words) -h") }

  static let exitCode: Int32 = 2
}
