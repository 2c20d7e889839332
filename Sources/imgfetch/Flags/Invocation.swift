/// What the program is to do, with everything it was told about that. Made from the arguments, the environment and the
/// configuration file's text alone: making it does nothing.
///
/// In steps, since one of them tells which file to read:
///
///     let typed = try Typed(arguments)                       // what was typed
///     let file = try typed.configuration(environment)        // which file to read; the caller reads it
///     let parsed = try Invocation.make(typed, environment: environment, configuration: Configuration(text, path: path))
enum Invocation: Sendable {
  case get(GetSettings)
  case prefetch(GetSettings)
  case inspect(InspectSettings)
  case cache(CacheCommand)
  case completions(Choices.Shell)
  case help(HelpTopic)
  case version

  /// What `help`, `-h` and `--help` explain.
  enum HelpTopic: Sendable {
    /// Nothing was typed: the short help, and exit code 2.
    case bare
    /// Nil: the program as a whole.
    case command(Command?, HelpLength)
    /// The `cache` commands together.
    case cache(HelpLength)
    case options(Resolved)
    case exitCodes
    /// The source of a page of the manual.
    case manual(ManualPage)
  }
}

/// The pages of the manual.
enum ManualPage: String, Choice {
  case imgfetch = "imgfetch.1"
  case get = "imgfetch-get.1"
  case cache = "imgfetch-cache.1"
  case inspect = "imgfetch-inspect.1"
  case config = "imgfetch-config.5"
}

extension Invocation {
  /// What was understood, and what the user should hear of all the same.
  struct Parsed: Sendable {
    let invocation: Invocation
    /// Each one line, to be shown after `imgfetch: warning: `; nothing of it keeps the run from going on.
    let warnings: [String]
  }

  static func make(
    _ typed: Typed, environment: Environment, configuration: Configuration = .none
  ) throws(UsageError) -> Parsed {
    if typed.asksForVersion { return Parsed(invocation: .version, warnings: []) }
    if let length = typed.asksForHelp {
      let isCache = typed.command == nil && typed.operands.first == "cache"
      return Parsed(invocation: .help(isCache ? .cache(length) : .command(typed.command, length)), warnings: [])
    }
    guard let command = typed.command else {
      guard let option = typed.options.first else { return Parsed(invocation: .help(.bare), warnings: []) }
      throw UsageError(
        "\(option.spelling) is given, but no command; \(Typed.topWords.joined(separator: ", ")) are there")
    }
    switch command {
    case .completions: return Parsed(invocation: .completions(try shell(typed.operands)), warnings: [])
    case .help where typed.operands != ["options"]:
      return Parsed(invocation: .help(try topic(typed.operands)), warnings: [])
    default: break
    }

    // `help options` shows what `get` would be run with: it is the command that takes nearly all of them.
    let resolved = try Resolved(
      typed, environment: environment, configuration: configuration, for: command == .help ? .get : command)
    let reader = SettingsReader(resolved: resolved, command: command, home: environment.filled("HOME"))
    let invocation: Invocation
    switch command {
    case .get: invocation = .get(try GetSettings(reader, typed: typed, environment: environment))
    case .prefetch: invocation = .prefetch(try GetSettings(reader, typed: typed, environment: environment))
    case .inspect: invocation = .inspect(try InspectSettings(reader, operands: typed.operands))
    case .help, .completions: invocation = .help(.options(resolved))
    default: invocation = .cache(try CacheCommand(reader, operands: typed.operands, environment: environment))
    }
    // Under -q errors alone are told.
    if reader.isOn(.quiet) { return Parsed(invocation: invocation, warnings: []) }
    return Parsed(invocation: invocation, warnings: resolved.warnings + invocation.remarks)
  }

  private var remarks: [String] {
    switch self {
    case .get(let settings), .prefetch(let settings): settings.remarks
    default: []
    }
  }

  private static func shell(_ operands: [String]) throws(UsageError) -> Choices.Shell {
    let words = Choices.Shell.words
    guard let word = operands.first, operands.count == 1 else {
      throw UsageError("'completions' needs the name of one shell: \(words.joined(separator: ", "))", of: .completions)
    }
    guard let shell = Choices.Shell(rawValue: word) else {
      throw UsageError(
        "there are no completions for '\(word)'; there are \(words.joined(separator: ", "))", of: .completions)
    }
    return shell
  }

  private static func topic(_ operands: [String]) throws(UsageError) -> HelpTopic {
    switch operands.first {
    case nil: return .command(nil, .long)
    case "exit-codes": return .exitCodes
    case "cache" where operands.count == 1: return .cache(.long)
    case "man":
      guard operands.count == 2, let page = operands.last.flatMap(ManualPage.init(rawValue:)) else {
        throw UsageError("'help man' needs the name of a page: \(ManualPage.words.joined(separator: ", "))", of: .help)
      }
      return .manual(page)
    default:
      let (command, rest) = try Typed.command(operands)
      guard rest.isEmpty else {
        throw UsageError("'help' explains one command at a time", of: .help)
      }
      return .command(command, .long)
    }
  }
}
