import ImgfetchCore

/// The task of the program, with all settings. It is made from the arguments, the environment and the text of the
/// configuration file, without side effects.
///
/// Making it takes steps, because the first one decides which file to read:
///
///     let arguments = try Arguments(words)                          // what was typed
///     let choice = try arguments.configuration(environment)         // which file to read; the caller reads it
///     let file = ConfigurationFile(text, path: path)
///     let parsed = try Invocation.make(arguments, environment: environment, configuration: file)
enum Invocation: Sendable {
  case get(Settings)
  case prefetch(Settings)
  case show(Settings)
  case pack(Settings)
  case report(Settings)
  case find(Settings)
  case inspect(Settings)
  case cache(CacheAction, Settings)
  case completions(Choices.Shell)
  case help(HelpTopic)
  case version

  /// The subject of `help`, `-h` and `--help`.
  enum HelpTopic: Sendable {
    /// The bare command: prints the short help and exits with 2.
    case bare
    /// Help on a command; nil for the program as a whole.
    case command(Command?, HelpLength)
    /// All `cache` commands.
    case cache(HelpLength)
    case options(ResolvedOptions)
    case page(HelpPage)
    /// A page of the manual as mdoc, or nil for the names of all pages.
    case manual(ManualPage?)
    /// The options as the Python module has them.
    case pythonOptions
  }
}

extension Invocation {
  /// A command with its settings, and the warnings about them.
  struct Parsed: Sendable {
    let invocation: Invocation
    /// One line each, printed after `imgfetch: warning: `. The run goes on.
    let warnings: [String]
  }

  static func make(
    _ arguments: Arguments, environment: Environment, configuration: ConfigurationFile = .none
  ) throws(UsageError) -> Parsed {
    if arguments.asksForVersion { return Parsed(invocation: .version, warnings: []) }
    if let length = arguments.asksForHelp {
      let isCache = arguments.command == nil && arguments.operands.first == "cache"
      return Parsed(invocation: .help(isCache ? .cache(length) : .command(arguments.command, length)), warnings: [])
    }
    guard let command = arguments.command else {
      guard let option = arguments.options.first else { return Parsed(invocation: .help(.bare), warnings: []) }
      throw UsageError(
        "\(option.spelling) is given, but no command; \(Arguments.topWords.joined(separator: ", ")) are there")
    }
    switch command {
    case .completions: return Parsed(invocation: .completions(try shell(arguments.operands)), warnings: [])
    case .help where arguments.operands != ["options"]:
      return Parsed(invocation: .help(try topic(arguments.operands)), warnings: [])
    default: break
    }
    // `help options` shows those of all commands.
    let options = try ResolvedOptions(
      arguments, environment: environment, configuration: configuration, for: command == .help ? nil : command)
    let (invocation, remarks) = try make(
      command, arguments, SettingsReader(options: options, command: command, environment: environment))
    // With -q only errors are printed.
    return Parsed(invocation: invocation, warnings: options.isOn(FlagID.quiet.flag) ? [] : options.warnings + remarks)
  }

  private static func make(
    _ command: Command, _ arguments: Arguments, _ reader: SettingsReader
  ) throws(UsageError) -> (Invocation, remarks: [String]) {
    let operands = arguments.operands
    switch command {
    case .get, .prefetch:
      // Other text that is no URL is refused in its turn, like a line of a list.
      for operand in operands {
        do { _ = try Values.url(operand) } catch {
          throw UsageError("'\(WebURL.masked(operand))' is not a URL: \(error.text)", of: command)
        }
      }
      let settings = try reader.settings(arguments)
      return (command == .get ? .get(settings) : .prefetch(settings), settings.remarks)
    case .show:
      let settings = try reader.settings(arguments)
      return (.show(settings), settings.remarks)
    case .find:
      let settings = try reader.settings(arguments)
      return (.find(settings), settings.remarks)
    case .pack:
      let settings = try reader.settings(arguments)
      return (.pack(settings), settings.remarks)
    case .report: return (.report(try reader.report(arguments)), [])
    case .inspect:
      guard !operands.contains("") else { throw UsageError("'' is not the name of a file", of: .inspect) }
      return (.inspect(try reader.inspection(arguments)), [])
    case .help, .completions: return (.help(.options(reader.options)), [])
    default:
      let action = try CacheAction(command, operands)
      let settings = try reader.settings(arguments)
      if settings.cache.keys.key != nil, operands.count != 1, command != .cacheAdd {
        throw UsageError("--cache-key is for one URL", of: command)
      }
      return (.cache(action, settings), [])
    }
  }

  /// True if standard error is a stream of JSON objects.
  var hasJSONMessages: Bool {
    switch self {
    case .get(let settings), .prefetch(let settings), .pack(let settings): settings.report.hasJSONMessages
    default: false
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
    // The name of the page in version 1.
    case "exit-codes": return .page(.exit)
    // The page explains both, and either is looked for.
    case "rows" where operands.count == 1: return .page(.caches)
    case "cache" where operands.count == 1: return .cache(.long)
    case "man" where operands.count == 1: return .manual(nil)
    case "man":
      guard operands.count == 2, let page = operands.last.flatMap(ManualPage.init(rawValue:)) else {
        throw UsageError("'help man' needs the name of a page: \(ManualPage.words.joined(separator: ", "))", of: .help)
      }
      return .manual(page)
    case "python-options" where operands.count == 1: return .pythonOptions
    default:
      let topics = HelpPage.words + ["options"]
      guard operands.count == 1 || !topics.contains(operands[0]) else {
        throw UsageError("'help' explains one topic at a time", of: .help)
      }
      if let page = HelpPage(rawValue: operands[0]) { return .page(page) }
      guard Arguments.topWords.contains(operands[0]) else {
        let question = Suggestion.question(for: operands[0], among: Arguments.topWords + topics)
        let list = "; there are \(topics.joined(separator: ", ")), and each command"
        throw UsageError("there is no help about '\(operands[0])'" + (question.isEmpty ? list : question), of: .help)
      }
      let (command, rest) = try Arguments.command(operands)
      guard rest.isEmpty else { throw UsageError("'help' explains one command at a time", of: .help) }
      return .command(command, .long)
    }
  }
}
