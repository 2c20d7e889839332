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
  /// The command; nil when only options were typed.
  var command: Command?
  var options: [ParsedOption] = []
  /// The words that follow the command and are not options.
  var operands: [String] = []

  /// - Parameter exists: Returns true if there is a file or folder of that name. Called only where operands are files,
  ///   for a word behind an option that may stand by itself.
  init(
    _ arguments: [String], exists: (String) -> Bool = { ProcessEnvironment.exists($0) }
  ) throws(UsageError) {
    var words: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        break
      }
      if argument.hasPrefix("--") {
        options.append(try Self.long(argument, &rest, command: Self.guess(words), exists))
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
          "'cache' needs a command: \(cacheWords.joined(separator: ", "))", help: "imgfetch cache -h")
      }
      let second = words[1]
      guard let command = Command.allCases.first(where: { $0.cacheWord == second }) else {
        let question = ForeignWords.hint(cacheCommand: second) ?? Suggestion.question(for: second, among: cacheWords)
        throw UsageError(
          "there is no command 'cache \(second)'"
            + (question.isEmpty ? "; there are \(cacheWords.joined(separator: ", "))" : question),
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
    _ argument: String, _ rest: inout ArraySlice<String>, command: Command?, _ exists: (String) -> Bool
  ) throws(UsageError) -> ParsedOption {
    let body = argument.dropFirst(2)
    // By bytes: an equals sign and a combining mark are one Character.
    let equals = body.utf8.firstIndex(of: UInt8(ascii: "="))
    let name = body[..<(equals ?? body.endIndex)]
    let joinedValue = equals.map { String(body[body.utf8.index(after: $0)...]) }
    // Not "--" + name: adding a Substring looks up witnesses at run time, which took a quarter of the parsing time.
    let spelling = "--" + String(name)

    if let flag = Flag.named(name) {
      guard flag.takesValue else {
        if joinedValue != nil { throw unexpectedValue(spelling, command) }
        return ParsedOption(id: flag.id, spelling: spelling, value: .on)
      }
      guard let value = joinedValue ?? flag.value(before: &rest, of: command, exists) else {
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
    guard hint.isEmpty else { return UsageError("there is no option --\(name)\(hint)", help: helpCommand(command)) }
    if name.hasPrefix("no-"), let flag = Flag.named(name.dropFirst(3)) {
      let value = flag.defaultValue.map { ", which is \($0) unless another value is given" } ?? ""
      return UsageError("--no-\(flag.long) does not undo \(flag.spelling)\(value)", help: helpCommand(command))
    }
    let flags = command.map(Flag.taken) ?? Flag.all
    let candidates = flags.map(\.long) + flags.filter(\.isNegatable).map { "no-" + $0.long }
    let question = Suggestion.question(
      for: name, among: candidates, behind: name.hasPrefix("no-") ? "no-" : "", lead: "--")
    return UsageError("there is no option --\(name)\(question)", help: helpCommand(command))
  }

  static func helpCommand(_ command: Command?) -> String {
    command.map { "imgfetch \($0.words) -h" } ?? "imgfetch --help"
  }
}
