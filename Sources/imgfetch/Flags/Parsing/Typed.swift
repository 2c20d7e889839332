/// Stage one: what was typed, taken apart by the table, and nothing done about it. No default is filled in and no value
/// looked into, so the order of options never matters and later stages can let one source override another.
struct Typed: Hashable, Sendable {
  /// Nil when nothing but options was typed.
  var command: Command?
  var options: [TypedOption] = []
  /// What is left beside the command and its options.
  var operands: [String] = []

  init(_ arguments: [String]) throws(UsageError) {
    var words: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        break
      }
      if argument.hasPrefix("--") {
        options.append(try Self.long(argument, &rest, command: Self.guess(words)))
      } else if argument.hasPrefix("-") && argument.utf8.count > 1 {
        options += try Self.joined(argument, &rest, command: Self.guess(words))
      } else {
        words.append(argument)
      }
    }
    // `--help` and `--version` answer whatever stands beside them, even where no command or half of one was typed.
    if asksForHelp != nil || asksForVersion {
      command = Self.guess(words)
      operands = words
      return
    }
    (command, operands) = try Self.command(words)
    try check()
  }

  /// The last of `-h` (short) and `--help` (long), if one was typed.
  var asksForHelp: HelpLength? {
    guard let option = options.last(where: { $0.id == .help }) else { return nil }
    return option.spelling == "-h" ? .short : .long
  }

  var asksForVersion: Bool { options.contains { $0.id == .version } }

  /// Options must be the command's own.
  private func check() throws(UsageError) {
    guard let command else { return }
    for option in options {
      let flag = option.id.flag
      guard !flag.commands.contains(CommandSet(command)) else { continue }
      let owners = flag.commands.commands.map { "'\($0.words)'" }
      throw UsageError(
        "\(option.spelling) is not an option of '\(command.words)'; it belongs to "
          + owners.joined(separator: ", "), of: command)
    }
  }
}

/// How much help is wanted.
enum HelpLength: Hashable, Sendable { case short, long }

/// One option as it was typed.
struct TypedOption: Hashable, Sendable {
  enum Value: Hashable, Sendable {
    case on
    /// `--no-NAME`
    case negated
    case text(String)
  }

  let id: FlagID
  /// As typed, without its value: `-j`, `--no-clobber`. Errors speak of it so.
  let spelling: String
  let value: Value
}
