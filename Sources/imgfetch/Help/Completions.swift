/// Completion scripts, made from the table. They contain fixed words only: no script evaluates the command line or file
/// names, and the shell itself completes files.
enum Completions {
  static func text(_ shell: Choices.Shell) -> String {
    switch shell {
    case .bash: bash()
    case .zsh: zsh()
    case .fish: fish()
    }
  }

  /// All spellings of an option, beginning with the one that help shows.
  static func spellings(_ flag: Flag) -> [String] {
    var words = flag.short.map { ["-\($0)"] } ?? []
    words.append(flag.spelling)
    if flag.isNegatable { words.append("--no-" + flag.long) }
    return words
  }

  /// The spellings of the options behind which a word is always a value.
  static var valued: [String] {
    Flag.all.filter { $0.takesValue && $0.implied == nil }.flatMap(values)
  }

  /// The spellings of an option behind which a value may stand.
  static func values(_ flag: Flag) -> [String] { spellings(flag).filter { !$0.hasPrefix("--no-") } }

  /// The completion of a command's operands.
  static func operands(of command: Command) -> Flag.Completion {
    switch command.operandKind {
    case .files, .urlAndFile: .files
    case .shell: .words { Choices.Shell.words }
    case .topic: .words { Arguments.topWords + HelpPage.words + ["options"] }
    case .none, .url, .urls, .patterns: .nothing
    }
  }
}

extension Completions {
  /// The script for fish, which expands its `-a` lists. They contain fixed words only.
  static func fish() -> String {
    var text = fishFunctions
    for command in Command.allCases where command.cacheWord == nil {
      text += "complete -c imgfetch -n __imgfetch_ends -a \(command.words) -d \(fishQuoted(command.summary))\n"
    }
    text += "complete -c imgfetch -n __imgfetch_ends -a cache -d 'look after the cache'\n"
    for command in Command.allCases {
      guard let word = command.cacheWord else { continue }
      text += "complete -c imgfetch -n '__imgfetch_ends cache' -a \(word) -d \(fishQuoted(command.summary))\n"
    }
    for command in Command.allCases {
      let condition = "complete -c imgfetch -n '__imgfetch_is \(command.words)'"
      text += "\n# \(command.words)\n"
      switch operands(of: command) {
      case .words(let words), .list(let words):
        let condition = "complete -c imgfetch -n '__imgfetch_ends \(command.words)'"
        text += "\(condition) -a '\(words().joined(separator: " "))'\n"
      case .files, .folders: text += "\(condition) -F\n"
      case .nothing: break
      }
      for flag in Flag.taken(by: command) where flag.category != .general { text += fishLines(flag, condition) }
    }
    let cache = Arguments.cacheWords.joined(separator: " ")
    text += "complete -c imgfetch -n '__imgfetch_ends help cache' -a '\(cache)'\n\n# everywhere\n"
    for flag in Flag.general { text += fishLines(flag, "complete -c imgfetch") }
    return text
  }

  /// Functions that the lines for fish call.
  private static var fishFunctions: String {
    """
    # Completion of imgfetch for fish, made by: imgfetch completions fish

    # The words so far that are neither options nor their values.
    function __imgfetch_words
        set -l is_value 0
        for word in (commandline -opc)[2..]
            if test $is_value = 1
                set is_value 0
                continue
            end
            switch $word
                case \(valued.joined(separator: " "))
                    set is_value 1
                case '-*'
                case '*'
                    echo $word
            end
        end
    end

    # Whether the command line so far is for these words, such as: cache clean
    function __imgfetch_is
        set -l words (__imgfetch_words)
        test (count $words) -ge (count $argv); or return 1
        test (count $argv) -eq 0; and return 0
        test "$words[1..$(count $argv)]" = "$argv"
    end

    # The same, and nothing behind them.
    function __imgfetch_ends
        set -l words (__imgfetch_words)
        test (count $words) -eq (count $argv); or return 1
        test "$words" = "$argv"
    end

    # Whether the word before the one that is typed is this option.
    function __imgfetch_follows
        test (commandline -opc)[-1] = $argv[1]
    end

    # Each of these words behind those that are typed already, which commas join.
    function __imgfetch_list
        set -l before (commandline -ct | string replace -r -- '^--[^=]*=' '' | string match -r -- '.*,')
        for word in $argv
            echo "$before$word"
        end
    end

    complete -c imgfetch -f

    """
  }

  private static func fishLines(_ flag: Flag, _ condition: String) -> String {
    let short = flag.short.map { " -s \($0)" } ?? ""
    let value =
      switch flag.completion {
      case .words(let words): (flag.implied == nil ? " -x" : "") + " -a '\(words().joined(separator: " "))'"
      case .list(let words): " -x -a '(__imgfetch_list \(words().joined(separator: " ")))'"
      case .files: " -r -F"
      case .folders: " -x -a '(__fish_complete_directories)'"
      case .nothing: flag.takesValue ? " -x" : ""
      }
    let shown = flag.isOnByDefault ? "undo --no-\(flag.long)" : flag.help
    var text = "\(condition)\(short) -l \(flag.long)\(value) -d \(fishQuoted(shown))\n"
    if flag.implied != nil, case .words(let words) = flag.completion {
      let condition = "\(condition.dropLast()); and __imgfetch_follows \(flag.spelling)'"
      text += "\(condition) -a '\(words().joined(separator: " "))' -d \(fishQuoted(shown))\n"
    }
    if flag.isNegatable {
      let shown = flag.isOnByDefault ? flag.help : "undo \(flag.spelling)"
      text += "\(condition) -l no-\(flag.long) -d \(fishQuoted(shown))\n"
    }
    return text
  }

  private static func fishQuoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'") + "'"
  }
}
