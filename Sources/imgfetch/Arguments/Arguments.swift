import ImgfetchCore

/// The amount of help to print.
enum HelpLength: Hashable, Sendable { case short, long }

/// One option as it was typed.
struct ParsedOption: Hashable, Sendable {
  enum Value: Hashable, Sendable {
    case on
    /// `--no-NAME`
    case negated
    case text(String)
  }

  let id: FlagID
  /// The option as typed, without its value: `-j`, `--no-clobber`. Error messages use it.
  let spelling: String
  let value: Value
}

/// The command line, split by the table of options. Defaults and values come later, so that the order of options does
/// not matter and one source of options can override another.
struct Arguments: Hashable, Sendable {
  /// Nil when only options were typed.
  var command: Command?
  var options: [ParsedOption] = []
  /// The words that follow the command and are not options.
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
    // `--help` and `--version` are answered even without a complete command.
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

  /// Checks that every option is one of the command's.
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

  // MARK: - The command

  /// The command that the words name so far, for better messages; nil while that is unclear.
  static func guess(_ words: [String]) -> Command? { try? command(words).command }

  /// Splits the words that are not options into the command and its operands.
  static func command(_ words: [String]) throws(UsageError) -> (command: Command?, operands: [String]) {
    guard let first = words.first else { return (nil, []) }
    if first == "cache" {
      guard words.count > 1 else {
        throw UsageError(
          "'cache' needs to be told what to do: \(cacheWords.joined(separator: ", "))", help: "imgfetch cache -h")
      }
      let second = words[1]
      guard let command = Command.allCases.first(where: { $0.cacheWord == second }) else {
        throw UsageError(
          "'cache' cannot '\(second)'"
            + (Suggestion.nearest(to: second, among: cacheWords).isEmpty
              ? "; it can \(cacheWords.joined(separator: ", "))" : Suggestion.question(for: second, among: cacheWords)),
          help: "imgfetch cache -h")
      }
      return (command, Array(words.dropFirst(2)))
    }
    if let command = Command.allCases.first(where: { $0.words == first && $0.cacheWord == nil }) {
      return (command, Array(words.dropFirst()))
    }
    if first.contains(":") || first.contains(".") {
      throw UsageError("there is no command '\(first)'; to fetch it: imgfetch get \(first)")
    }
    let hint = ForeignWords.hint(command: first)
    throw UsageError(
      "there is no command '\(first)'" + (hint.isEmpty ? Suggestion.question(for: first, among: topWords) : hint))
  }

  /// The words that may follow `cache`.
  static var cacheWords: [String] { Command.allCases.compactMap(\.cacheWord) }

  /// The words that a command begins with.
  static var topWords: [String] { Command.allCases.filter { $0.cacheWord == nil }.map(\.words) + ["cache"] }

  // MARK: - Options

  /// `--name`, `--name=value`, `--name value`, `--no-name`.
  static func long(
    _ argument: String, _ rest: inout ArraySlice<String>, command: Command?
  ) throws(UsageError) -> ParsedOption {
    let body = argument.dropFirst(2)
    let equals = body.firstIndex(of: "=")
    let name = body[..<(equals ?? body.endIndex)]
    let joinedValue = equals.map { String(body[body.index(after: $0)...]) }
    // Not "--" + name: adding a Substring looks up witnesses at run time, which took a quarter of the parsing time.
    let spelling = "--" + String(name)

    if let flag = Flag.named(name) {
      guard flag.takesValue else {
        if joinedValue != nil { throw unexpectedValue(spelling, command) }
        return ParsedOption(id: flag.id, spelling: spelling, value: .on)
      }
      guard let value = joinedValue ?? flag.value(before: &rest) else {
        throw missingValue(of: flag, spelling, command)
      }
      return ParsedOption(id: flag.id, spelling: spelling, value: .text(value))
    }
    if name.hasPrefix("no-"), let flag = Flag.named(name.dropFirst(3)), flag.isNegatable {
      if joinedValue != nil { throw unexpectedValue(spelling, command) }
      return ParsedOption(id: flag.id, spelling: spelling, value: .negated)
    }
    throw unknown(String(name), command)
  }

  /// `-q`, `-j8`, `-j 8`, and joined: `-qj8`.
  static func joined(
    _ argument: String, _ rest: inout ArraySlice<String>, command: Command?
  ) throws(UsageError) -> [ParsedOption] {
    var options: [ParsedOption] = []
    var letters = argument.unicodeScalars.dropFirst()
    while let letter = letters.popFirst() {
      let spelling = "-\(letter)"
      guard let flag = Flag.short(letter) else {
        let whole = argument.dropFirst()
        // A long name after a single dash is a common mistake.
        if let flag = Flag.named(whole) {
          throw UsageError("there is no option \(spelling); did you mean \(flag.spelling)?", help: helpCommand(command))
        }
        // wget has two-letter options with a single dash.
        let name = ForeignWords.hint(argument).isEmpty ? spelling : argument
        throw UsageError("there is no option \(name)\(ForeignWords.hint(name))", help: helpCommand(command))
      }
      guard flag.takesValue else {
        options.append(ParsedOption(id: flag.id, spelling: spelling, value: .on))
        continue
      }
      guard let value = letters.isEmpty ? rest.popFirst() : String(Substring(letters)) else {
        throw missingValue(of: flag, spelling, command)
      }
      options.append(ParsedOption(id: flag.id, spelling: spelling, value: .text(value)))
      break
    }
    return options
  }

  private static func missingValue(of flag: Flag, _ spelling: String, _ command: Command?) -> UsageError {
    UsageError("\(spelling) needs a value: \(spelling) \(flag.placeholder ?? "VALUE")", help: helpCommand(command))
  }

  private static func unexpectedValue(_ spelling: String, _ command: Command?) -> UsageError {
    UsageError("\(spelling) takes no value", help: helpCommand(command))
  }

  private static func unknown(_ name: String, _ command: Command?) -> UsageError {
    let hint = ForeignWords.hint("--" + name)
    guard hint.isEmpty else {
      return UsageError("there is no option --\(name)\(hint)", help: helpCommand(command))
    }
    if name.hasPrefix("no-"), let flag = Flag.named(name.dropFirst(3)) {
      let value = flag.defaultValue.map { ", which is \($0) unless another value is given" } ?? ""
      return UsageError("--no-\(flag.long) does not undo \(flag.spelling)\(value)", help: helpCommand(command))
    }
    let flags = command.map(Flag.taken) ?? Flag.all
    let candidates = flags.map(\.long) + flags.filter(\.isNegatable).map { "no-" + $0.long }
    let question = Suggestion.question(for: name, among: candidates, lead: "--")
    return UsageError("there is no option --\(name)\(question)", help: helpCommand(command))
  }

  static func helpCommand(_ command: Command?) -> String {
    command.map { "imgfetch \($0.words) -h" } ?? "imgfetch --help"
  }
}

/// The task of the program, with all settings. It is made from the arguments, the environment and the text of the
/// configuration file, without side effects.
///
/// It is made in steps, because the first one decides which file to read:
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
    /// The source of a page of the manual.
    /// A page of the manual as mdoc; nil for the names of all.
    case manual(ManualPage?)
    /// The options as the Python module has them.
    case pythonOptions
  }
}

/// The action of a `cache` command, with its operands.
enum CacheAction: Hashable, Sendable {
  case size, clean, clear, verify
  /// No patterns: everything.
  case list(patterns: [String])
  case remove(patterns: [String])
  case info(urls: [String])
  /// The path of an entry; nil for that of the cache itself.
  case path(url: String?)
  case add(url: String, file: String)

  init(_ command: Command, _ operands: [String]) throws(UsageError) {
    if let empty = operands.first(where: \.isEmpty) { throw UsageError("'\(empty)' names nothing", of: command) }
    switch (command, operands.count) {
    case (.cacheSize, 0): self = .size
    case (.cacheClean, 0): self = .clean
    case (.cacheClear, 0): self = .clear
    case (.cacheRemove, 1...): self = .remove(patterns: operands)
    case (.cacheInfo, 1...): self = .info(urls: operands)
    case (.cachePath, 0...1): self = .path(url: operands.first)
    case (.cacheList, _): self = .list(patterns: operands)
    case (.cacheAdd, 2): self = .add(url: operands[0], file: operands[1])
    case (.cacheVerify, 0): self = .verify
    default:
      let usage = command.operands.isEmpty ? "no operands" : command.operands
      throw UsageError("'\(command.words)' takes \(usage); given were \(operands.count)", of: command)
    }
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
      if settings.report.isJSON, settings.cache.printsKeysOnly {
        throw UsageError("--json and --print0 cannot be given together", of: command)
      }
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
    case "cache" where operands.count == 1: return .cache(.long)
    case "man" where operands.count == 1: return .manual(nil)
    case "man":
      guard operands.count == 2, let page = operands.last.flatMap(ManualPage.init(rawValue:)) else {
        throw UsageError("'help man' needs the name of a page: \(ManualPage.words.joined(separator: ", "))", of: .help)
      }
      return .manual(page)
    case "python-options" where operands.count == 1: return .pythonOptions
    default:
      if let page = operands.first.flatMap(HelpPage.init(rawValue:)), operands.count == 1 { return .page(page) }
      guard Arguments.topWords.contains(operands[0]) else {
        let words = Arguments.topWords + HelpPage.words + ["options"]
        throw UsageError(
          "there is no help about '\(operands[0])'" + Suggestion.question(for: operands[0], among: words), of: .help)
      }
      let (command, rest) = try Arguments.command(operands)
      guard rest.isEmpty else {
        throw UsageError("'help' explains one command at a time", of: .help)
      }
      return .command(command, .long)
    }
  }
}
