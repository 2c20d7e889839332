extension Completions {
  /// The completions for zsh's own completion system. `_arguments` takes its specifications as fixed, quoted words.
  static func zsh() -> String {
    var text = """
      #compdef imgfetch
      # Completion of imgfetch for zsh, made by: imgfetch completions zsh


      """
    for command in Command.allCases {
      text += "\(zshName(command))() {\n    _arguments -s -S \\\n"
      for flag in Flag.taken(by: command) { text += zshSpecifications(flag) }
      text += "        \(zshOperands(command))\n}\n\n"
    }
    text += zshChooser(
      "_imgfetch_cache", Command.allCases.filter { $0.cacheWord != nil }.map { ($0.cacheWord ?? "", $0) })
    text += zshMain()
    return text
  }

  /// `_imgfetch_cache_clean`
  private static func zshName(_ command: Command) -> String {
    "_imgfetch_" + command.words.split(separator: " ").joined(separator: "_")
  }

  /// One line for each spelling: `'(-j --jobs)-j+[downloads at once]:N:( )'`.
  private static func zshSpecifications(_ flag: Flag) -> String {
    let isRepeatable = flag.isRepeatable || flag.isCounter
    let positive = spellings(flag).filter { !$0.hasPrefix("--no-") }
    let exclusions = isRepeatable ? "*" : "(\(spellings(flag).joined(separator: " ")))"
    // Help describes a switch that is on by default by what its negation does.
    let description = zshEscaped(flag.help)
    var text = ""
    for spelling in positive {
      let suffix = flag.takesValue ? (spelling.hasPrefix("--") ? "=" : "+") : ""
      let colon = flag.implied == nil ? ":" : "::"
      let value = flag.takesValue ? colon + zshEscaped(flag.placeholder ?? "") + ":" + zshAction(flag.completion) : ""
      let shown = flag.isOnByDefault ? "undo --no-\(flag.long)" : description
      text += "        '\(exclusions)\(spelling)\(suffix)[\(shown)]\(value)' \\\n"
    }
    if flag.isNegatable {
      let shown = flag.isOnByDefault ? description : "undo \(flag.spelling)"
      text += "        '(\(spellings(flag).joined(separator: " ")))--no-\(flag.long)[\(shown)]' \\\n"
    }
    return text
  }

  private static func zshAction(_ offer: Flag.Completion) -> String {
    switch offer {
    case .words(let words): "(\(words().map(zshEscaped).joined(separator: " ")))"
    case .list(let words): "_sequence compadd - \(words().joined(separator: " "))"
    case .files: "_files"
    case .folders: "_files -/"
    case .nothing: " "
    }
  }

  private static func zshOperands(_ command: Command) -> String {
    switch command.operandKind {
    case .none: "&& return"
    case .url: "'1:URL: '"
    case .urls: "'*:URL: '"
    case .patterns: "'*:pattern: '"
    case .files: "'*:file:_files'"
    case .urlAndFile: "'1:URL: ' '2:file:_files'"
    case .shell: "'1:shell:(\(Choices.Shell.words.joined(separator: " ")))'"
    case .topic:
      "'1:topic:(\((Arguments.topWords + HelpPage.words + ["options"]).joined(separator: " ")))' "
        + "'2: :{ [[ $words[2] == cache ]] && compadd \(Arguments.cacheWords.joined(separator: " ")) }'"
    }
  }

  /// A function that completes a word and leaves the rest to that word's function.
  private static func zshChooser(_ name: String, _ commands: [(word: String, command: Command)]) -> String {
    var text = "\(name)() {\n    local line state\n    _arguments -C '1:command:->command' '*::argument:->argument'\n"
    text += "    case $state in\n    command)\n        local -a commands=(\n"
    for (word, command) in commands { text += "            '\(word):\(zshEscaped(command.summary))'\n" }
    text += "        )\n        _describe command commands ;;\n    argument)\n        case $line[1] in\n"
    for (word, command) in commands { text += "        \(word)) \(zshName(command)) ;;\n" }
    return text + "        esac ;;\n    esac\n}\n\n"
  }

  private static func zshMain() -> String {
    let commands = Command.allCases.filter { $0.cacheWord == nil }
    var text = "_imgfetch() {\n    local line state\n    _arguments -C -s -S \\\n"
    for flag in Flag.general { text += zshSpecifications(flag) }
    text += "        '1:command:->command' '*::argument:->argument'\n"
    text += "    case $state in\n    command)\n        local -a commands=(\n"
    for command in commands { text += "            '\(command.words):\(zshEscaped(command.summary))'\n" }
    text += "            'cache:look after the cache'\n        )\n        _describe command commands ;;\n"
    text += "    argument)\n        case $line[1] in\n        cache) _imgfetch_cache ;;\n"
    for command in commands { text += "        \(command.words)) \(zshName(command)) ;;\n" }
    text += "        esac ;;\n    esac\n}\n\n"
    // When sourced, the script registers itself; when autoloaded from $fpath, it is the completion function.
    text += "if [[ $funcstack[1] == _imgfetch ]]; then _imgfetch \"$@\"; else compdef _imgfetch imgfetch; fi\n"
    return text
  }

  /// Escapes text for single quotes, and for the brackets and colons of a specification.
  private static func zshEscaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "'": "'\\''"
      case "[", "]", ":", "\\": "\\\(character)"
      default: String(character)
      }
    }.joined()
  }
}
