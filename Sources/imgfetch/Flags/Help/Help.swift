/// What `-h`, `--help` and `help` print, made from the table. It answers text and prints nothing.
enum Help {
  static func text(_ topic: Invocation.HelpTopic) -> String {
    switch topic {
    case .bare: program(.short)
    case .command(nil, let length): program(length)
    case .command(let command?, let length): explained(command, length)
    case .cache(let length): cache(length)
    case .options(let resolved): options(resolved)
    case .exitCodes: exitCodes()
    case .manual(let page): Manual.text(page)
    }
  }

  /// The width that help is laid out for. Not the terminal's: what is read there is also pasted into mails.
  static let width = 80

  static func exitCodes() -> String {
    var text = "Exit codes of imgfetch:\n"
    for (code, meaning) in ExitCodes.meanings {
      let lines = TextLayout.wrapped(meaning, width: width, indent: String(repeating: " ", count: 12))
      text += TextLayout.padded("  " + code, to: 12) + lines.dropFirst(12)
    }
    return text
  }
}

extension Help {
  /// `imgfetch -h`, `imgfetch --help`.
  static func program(_ length: HelpLength) -> String {
    var text = "imgfetch fetches images: from a cache if it can, over the network if it must.\n"
    text += "\nExamples:\n" + examples(Examples.program)
    text += "\nCommands:\n"
    for command in Command.allCases where command.cacheWord == nil {
      text += line(of: command)
      if command == .inspect {
        for command in Command.allCases where command.cacheWord != nil { text += line(of: command) }
      }
    }
    let flags = Flag.general
    text += "\nOptions of every command:\n" + (length == .short ? summaries(flags) : explanations(flags))
    text += """

      imgfetch COMMAND -h lists the options of a command, --help explains them.
      imgfetch help options shows what is set and where, imgfetch help exit-codes
      what the exit codes mean. The manual begins with man imgfetch.

      """
    return text
  }

  /// `imgfetch cache -h`.
  static func cache(_ length: HelpLength) -> String {
    var text = "Usage: imgfetch cache COMMAND [options]\n\n"
    text += "Looks after the disk cache, which any number of runs share.\n"
    text += "\nCommands:\n"
    let commands = Command.allCases.filter { $0.cacheWord != nil }
    for command in commands { text += line(of: command) }
    let all = CommandSet.cache
    let common = Flag.all.filter { $0.category != .general && $0.commands.isSuperset(of: all) }
    text += "\nOptions of all of them:\n" + (length == .short ? summaries(common) : explanations(common))
    text += "\n" + (length == .short ? "General:\n" + summaries(Flag.general) : "")
    text += length == .short ? "\n" : ""
    return text + "imgfetch cache COMMAND -h lists what one of them takes.\n"
  }

  /// `imgfetch COMMAND -h`, `imgfetch help COMMAND`.
  static func explained(_ command: Command, _ length: HelpLength) -> String {
    var text = "Usage: imgfetch \(command.words) [options]\(command.operands.isEmpty ? "" : " " + command.operands)\n"
    text += "\n" + TextLayout.wrapped(command.sentence, width: width)
    text += "\nExamples:\n" + examples(Examples.of(command))
    let flags = Flag.taken(by: command)
    for category in Flag.Category.allCases {
      let group = flags.filter { $0.category == category }
      guard !group.isEmpty else { continue }
      text += "\n\(category.rawValue):\n" + (length == .short ? summaries(group) : explanations(group))
    }
    if length == .short { text += "\nimgfetch help \(command.words) explains each of them.\n" }
    return text
  }

  private static func line(of command: Command) -> String {
    // All that `help` takes is more than fits the column.
    let operands = command == .help ? "[COMMAND]" : command.operands
    return TextLayout.padded("  \(command.words) \(operands)", to: 29) + command.summary + "\n"
  }

  /// One line each where line and meaning fit, else the meaning below.
  private static func examples(_ examples: [Examples.Example]) -> String {
    let column = 2 + (examples.map(\.line.count).max() ?? 0) + 2
    let fits = examples.allSatisfy { column + $0.meaning.count <= width }
    return examples.map { example in
      fits
        ? TextLayout.padded("  " + example.line, to: column) + example.meaning + "\n"
        : "  " + example.line + "\n      " + example.meaning + "\n"
    }.joined()
  }
}
