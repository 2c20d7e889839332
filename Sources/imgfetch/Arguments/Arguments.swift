/// How much help to print.
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
  /// As typed, without its value: `-j`, `--no-clobber`. Error messages use it.
  let spelling: String
  let value: Value
}

/// The command line, split by the table of options. Defaults and values come later, so that the order of options does not matter
/// and one source of options can override another.
struct Arguments: Hashable, Sendable {
  /// Nil when only options were typed.
  var command: Command?
  var options: [ParsedOption] = []
  /// What is left after the command and its options.
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
    // `--help` and `--version` are answered whatever else was typed, even without a complete command.
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

  /// Every option must be one of the command's.
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
    let hint = foreignHint(command: first)
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
      guard let value = joinedValue ?? rest.popFirst() else { throw missingValue(of: flag, spelling, command) }
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
        let name = foreignHint(argument).isEmpty ? spelling : argument
        throw UsageError("there is no option \(name)\(foreignHint(name))", help: helpCommand(command))
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
    let hint = foreignHint("--" + name)
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

  // MARK: - Options of curl, wget and aria2 that have another name here

  /// The end of a message about another program's option: what to use here. Empty if nothing is known.
  static func foreignHint(_ spelling: String) -> String {
    switch spelling {
    case "--no-cache": "; --cache off neither reads nor stores, --cache reload fetches anew"
    case "-L", "--location": "; redirects are always followed"
    case "-O", "--remote-name": "; images are named after their URLs, and -o names one"
    case "-s", "--silent": "; did you mean -q?"
    case "-b": "; did you mean --cookie?"
    case "-x": "; did you mean --proxy?"
    case "-e": "; did you mean --referer?"
    case "-P", "--directory-prefix": "; did you mean -d?"
    case "-Z", "--parallel": "; images are fetched in parallel by themselves, -j sets how many at once"
    case "--max-concurrent-downloads", "--parallel-max": "; did you mean -j (--jobs)?"
    case "--no-check-certificate": "; did you mean --insecure?"
    case "-f", "--fail": "; a status that is not accepted is always a failure"
    case "-t", "--tries": "; did you mean --retry?"
    case "-c", "--continue": "; an interrupted download is resumed by itself; --cookie-jar saves cookies"
    case "-C", "--continue-at": "; an interrupted download is resumed by itself"
    case "-N", "--timestamping": "; --cache refresh asks whether an image has changed, --remote-time sets file times"
    case "-nc": "; did you mean --no-clobber?"
    case "--wait": "; did you mean --rate? 30/m asks an origin every two seconds"
    case "--input-file": "; did you mean -i (--input)?"
    case "-U": "; did you mean -A (--user-agent)?"
    case "-m": "; did you mean --max-time?"
    case "-g", "--globoff": "; braces and brackets in URLs stand for themselves"
    default: ""
    }
  }

  /// The end of a message about another program's command: what to use here. Empty if nothing is known.
  static func foreignHint(command word: String) -> String {
    switch word {
    case "fetch", "download": "; did you mean get?"
    case "clean", "clear", "list", "size": "; did you mean cache \(word)?"
    default: ""
    }
  }
}
