extension Help {
  /// Where the explanations of a summary begin: behind the longest spelling, `    --key-ignore-param NAME`.
  private static let column = 32

  /// One line for each option.
  static func summaries(_ flags: [Flag]) -> String {
    flags.map { flag in
      let start = TextLayout.padded("  " + spelling(of: flag), to: column)
      // A default is shown where it is one: for switches it says nothing, and a choice repeats it.
      let standard = flag.takesValue ? flag.standard.map { " [\($0)]" } ?? "" : ""
      let line = start + flag.help
      return (line.count + standard.count <= width ? line + standard : line) + "\n"
    }.joined()
  }

  /// A paragraph for each option.
  static func explanations(_ flags: [Flag]) -> String {
    flags.map(explanation).joined(separator: "\n")
  }

  private static func explanation(_ flag: Flag) -> String {
    let indent = String(repeating: " ", count: 8)
    var text = "  " + spelling(of: flag) + "\n"
    text += TextLayout.wrapped(flag.more, width: width, indent: indent)
    text += TextLayout.wrapped(footnote(of: flag), width: width, indent: indent)
    if let example = flag.example { text += indent + "Example: " + example + "\n" }
    return text
  }

  /// `-j, --jobs N`; a switch that is on by default by its negation, which is what one types.
  static func spelling(of flag: Flag) -> String {
    let long = flag.isOnByDefault ? "--no-" + flag.long : flag.spelling
    let value = flag.placeholder.map { " " + $0 } ?? ""
    guard let short = flag.short else { return "    " + long + value }
    return "-\(short), " + long + value
  }

  /// What the table knows of an option beside its text: default, repetition, words, negation, variable.
  static func footnote(of flag: Flag) -> String {
    var parts: [String] = []
    switch flag.kind {
    case .choice(let choice)?, .choices(let choice)?:
      parts.append("One of: \(words(of: choice).joined(separator: ", ")).")
    default: break
    }
    if flag.takesValue { parts.append("Default: \(flag.standard ?? flag.unsetMeaning).") }
    if flag.isRepeatable {
      parts.append("May be given several times; --no-\(flag.long) forgets those before it.")
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

  static func words(of choice: any Choice.Type) -> [String] { choice.words }
}
