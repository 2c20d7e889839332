/// Completion scripts, made from the table. They hold nothing but fixed words: no script evaluates what stands on the
/// command line or in a folder, files are completed by the shell itself.
enum Completions {
  static func text(_ shell: Choices.Shell) -> String {
    switch shell {
    case .bash: bash()
    case .zsh: zsh()
    case .fish: fish()
    }
  }

  /// What to offer for a value.
  enum Offer {
    case words([String])
    /// Words that may be joined by commas.
    case list([String])
    case files
    case folders
    /// Nothing of which a shell could know.
    case nothing
  }

  static func offer(for flag: Flag) -> Offer {
    switch flag.kind {
    case .choice(let choice)?: .words(Help.words(of: choice))
    case .choices(let choice)?: .list(Help.words(of: choice))
    case .file?: .files
    case .folder?: .folders
    default: .nothing
    }
  }

  /// All spellings under which an option may be typed, the one that help shows first.
  static func spellings(_ flag: Flag) -> [String] {
    var words = flag.short.map { ["-\($0)"] } ?? []
    words.append(flag.spelling)
    if flag.isNegatable { words.append("--no-" + flag.long) }
    return words
  }

  /// Whether the operands of a command are files.
  static func operands(of command: Command) -> Offer {
    switch command {
    case .inspect, .cacheAdd: .files
    case .completions: .words(Choices.Shell.words)
    case .help: .words(Typed.topWords + ["options", "exit-codes"])
    default: .nothing
    }
  }
}
