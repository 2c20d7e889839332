/// The text of `-h`, `--help` and `help`, made from the table. Nothing is printed here.
enum Help {
  static func text(_ topic: Invocation.HelpTopic) -> String {
    switch topic {
    case .bare, .command(nil, .short): ShortPage.program()
    case .command(nil, .long): program()
    case .command(let command?, .short): ShortPage.text(command)
    case .command(let command?, .long): explained(command)
    case .cache(let length): cache(length)
    case .options(let resolved): options(resolved)
    case .page(let page): TopicPages.text(page)
    case .manual(let page?): Manual.text(page)
    case .manual(nil): ManualPage.words.map { $0 + "\n" }.joined()
    case .pythonOptions: PythonOptions.text
    }
  }

  /// The width of the help. Not the terminal's, since help is also pasted into mails.
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
  /// `imgfetch --help`.
  static func program() -> String {
    var text = "imgfetch fetches images: from a cache if it can, over the network if it must.\n"
    text += "\nExamples:\n" + examples(Examples.program)
    text += "\nCommands:\n"
    for command in Command.allCases where command.cacheWord == nil {
      text += line(of: command)
      if command == .inspect {
        for command in Command.allCases where command.cacheWord != nil { text += line(of: command) }
      }
    }
    text += "\nOptions of every command:\n" + explanations(Flag.general)
    text += """

      imgfetch COMMAND -h lists the main options of a command, --help explains all of
      them. imgfetch help TOPIC explains what they share: caches, names, lists, retry,
      exit. imgfetch help options shows what is set, and where. The manual begins with
      man imgfetch.

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
    return text + "imgfetch cache COMMAND -h lists the options of one of them.\n"
  }

  /// `imgfetch COMMAND --help`, `imgfetch help COMMAND`.
  static func explained(_ command: Command) -> String {
    var text = "Usage: " + command.usage + "\n"
    text += "\n" + TextLayout.wrapped(command.sentence, width: width)
    text += "\nExamples:\n" + examples(Examples.of(command))
    let flags = Flag.taken(by: command)
    for category in Flag.Category.allCases {
      let group = flags.filter { $0.category == category }
      guard !group.isEmpty else { continue }
      text += "\n\(category.rawValue):\n" + explanations(group)
    }
    return text
  }

  private static func line(of command: Command) -> String {
    TextLayout.padded("  \(command.words) \(command.operands)", to: 29) + command.summary + "\n"
  }

  /// One line for each example if all fit, else the meaning on a second line.
  static func examples(_ examples: [Examples.Example]) -> String {
    let column = 2 + (examples.map(\.line.count).max() ?? 0) + 2
    let fits = examples.allSatisfy { column + $0.meaning.count <= width }
    return examples.map { example in
      fits
        ? TextLayout.padded("  " + example.line, to: column) + example.meaning + "\n"
        : "  " + example.line + "\n      " + example.meaning + "\n"
    }.joined()
  }

  /// The column of the explanations in a summary: after the longest spelling, `    --key-ignore-param NAME`.
  private static let column = 32

  /// One line for each option.
  static func summaries(_ flags: [Flag]) -> String {
    flags.map { flag in
      let start = TextLayout.padded("  " + spelling(of: flag), to: column)
      // Defaults of switches are obvious, and a choice lists its own.
      let standard = flag.takesValue ? flag.defaultValue.map { " [\($0)]" } ?? "" : ""
      let line = start + flag.help
      return (line.count + standard.count <= width ? line + standard : line) + "\n"
    }.joined()
  }

  /// A paragraph for each option.
  static func explanations(_ flags: [Flag]) -> String { flags.map(explanation).joined(separator: "\n") }

  private static func explanation(_ flag: Flag) -> String {
    let indent = String(repeating: " ", count: 8)
    var text = "  " + spelling(of: flag) + "\n"
    text += TextLayout.wrapped(flag.details, width: width, indent: indent)
    text += TextLayout.wrapped(footnote(of: flag), width: width, indent: indent)
    if let example = flag.example { text += indent + "Example: " + example + "\n" }
    return text
  }

  /// `-j, --jobs N`. A switch that is on by default is shown by its negation, which is what users type.
  static func spelling(of flag: Flag) -> String {
    let long = flag.isOnByDefault ? "--no-" + flag.long : flag.spelling
    let value = flag.placeholder.map { flag.implied == nil ? " " + $0 : "[=\($0)]" } ?? ""
    guard let short = flag.short else { return "    " + long + value }
    return "-\(short), " + long + value
  }

  /// The facts that the table adds to an option's text: default, repetition, words, negation, variable.
  static func footnote(of flag: Flag) -> String {
    var parts: [String] = []
    if !flag.unexplainedWords.isEmpty { parts.append("One of: \(flag.unexplainedWords.joined(separator: ", ")).") }
    if flag.takesValue { parts.append("Default: \(flag.defaultValue ?? flag.unset).") }
    if flag.isRepeatable {
      parts.append("May be given several times; --no-\(flag.long) removes the earlier ones.")
    } else if flag.isNegatable && flag.takesValue {
      parts.append("--no-\(flag.long) undoes it.")
    } else if flag.isOnByDefault {
      parts.append("--\(flag.long) undoes that.")
    }
    switch flag.sources {
    case .anywhere: parts.append("Variable: \(flag.variable).")
    case .environment: parts.append("Variable: \(flag.variable); not in the file itself.")
    case .commandLine where flag.category != .general: parts.append("From the command line only.")
    case .commandLine: break
    }
    return parts.joined(separator: " ")
  }
}
