import ImgfetchCore

/// The pages of the manual as mdoc source: options come from the table, the prose is written here. `man/` holds the
/// result; a test fails when the two differ.
enum Manual {
  static func text(_ page: ManualPage) -> String {
    switch page {
    case .imgfetch: ProgramPages.program()
    case .get: CommandPages.get()
    case .show: ShowPage.text()
    case .pack: PackPage.text()
    case .find: FindPage.text()
    case .recipes: RecipesPage.text()
    case .report: ReportManual.text()
    case .cache: CommandPages.cache()
    case .inspect: CommandPages.inspect()
    case .config: ProgramPages.config()
    case .lists: ListsPage.text()
    case .rows: RowsPage.text()
    case .caching: CachingPage.text()
    case .files: FilesPage.text()
    case .network: NetworkPage.text()
    case .transforms: TransformsPage.text()
    case .remote: RemotePage.text()
    case .fleet: FleetPage.text()
    case .upgrading: UpgradingPage.text()
    case .python: PythonPage.text()
    }
  }

  /// The beginning of a page, up to its description: its name and purpose, and for commands how they are given.
  static func head(_ page: ManualPage, and other: String? = nil, _ purpose: String, synopsis: String = "") -> String {
    let (name, section) = page.reference
    // The date of the last change of the prose, so that the same source always makes the same pages.
    return ".\\\" Made from the program's table of options by imgfetch help man; changes belong there.\n"
      + ".Dd November 26, 2026\n.Dt \(name.uppercased()) \(section)\n.Os\n.Sh NAME\n.Nm \(name)"
      + (other.map { " ,\n.Nm \($0)" } ?? "") + "\n.Nd \(purpose)\n"
      + (synopsis.isEmpty ? "" : ".Sh SYNOPSIS\n" + synopsis) + ".Sh DESCRIPTION\n"
  }

  /// The synopsis of a command, with its operands as macro lines.
  static func usage(_ words: String, _ operands: String) -> String {
    ".Nm \"imgfetch \(words)\"\n.Op Ar options\n" + (operands.isEmpty ? "" : operands + "\n")
  }

  /// A command's operands on a macro line, after `lead`; empty if it has none.
  static func operands(of command: Command, after lead: String) -> String {
    command.operands.isEmpty ? "" : "\(lead)Ar \(Roff.argument(command.operands))"
  }
}

extension Manual {
  /// OPTIONS: the options of a page's commands, with a heading for each group. Groups with options that the page
  /// explains come first; the others have a line each. On a page about several commands, an option that only some of
  /// them take names those.
  static func options(_ flags: [Flag], on page: ManualPage, of commands: CommandSet = []) -> String {
    let groups = Flag.Category.allCases.map { category in (category, flags.filter { $0.category == category }) }
    let explained = groups.filter { $0.1.contains(where: page.explains) }
    let listed = groups.filter { !$0.1.isEmpty && !$0.1.contains(where: page.explains) }
    return ".Sh OPTIONS\n" + Roff.text(optionRules)
      + (explained + listed).map { category, group in
        ".Ss \(category.rawValue)\n" + options(in: group, on: page, of: commands)
      }.joined()
  }

  /// The options of a group: those that the page explains, then the others by the page that explains them.
  private static func options(in group: [Flag], on page: ManualPage, of commands: CommandSet) -> String {
    let own = group.filter(page.explains)
    var parts = own.isEmpty ? [] : [list(own, of: commands, on: page)]
    let others = group.filter { !page.explains($0) }
    for home in ManualPage.allCases {
      let flags = others.filter { ManualPage.explaining($0) == home }
      guard !flags.isEmpty else { continue }
      parts.append(".Xr \(home.reference.name) \(home.reference.section)\nexplains:\n" + overview(flags))
    }
    return parts.joined(separator: ".Pp\n")
  }

  /// OPTIONS of a page about a subject: all that it explains, of any command.
  static func optionsExplained(on page: ManualPage) -> String {
    let flags = Flag.all.filter { ManualPage.explaining($0) == page }
    var text = ".Sh OPTIONS\n"
    if !flags.allSatisfy({ $0.sources == .commandLine }) { text += Roff.text(optionRules) }
    for category in Flag.Category.allCases {
      let group = flags.filter { $0.category == category }
      guard !group.isEmpty else { continue }
      text += (group.count < flags.count ? ".Ss \(category.rawValue)\n" : "") + list(group, on: page)
    }
    return text
  }

  private static let optionRules = """
    The variable of an option is IMGFETCH_ and its name in capitals, with _ for each dash, and its line in the \
    configuration file is name = value: see imgfetch-config(5). --no-name undoes a switch, empties an option that \
    may be given several times, and unsets one that has no default.
    """

  static func list(_ flags: [Flag], of commands: CommandSet = [], on page: ManualPage) -> String {
    Roff.list(flags.map { (tag($0), explanation($0, of: commands, on: page)) })
  }

  /// A line for each option.
  private static func overview(_ flags: [Flag]) -> String {
    ".Bl -tag -width 30n -compact\n"
      + flags.map { flag in
        let standard = flag.takesValue ? flag.defaultValue.map { " [\($0)]" } ?? "" : ""
        return ".It \(tag(flag))\n" + Roff.line(flag.help + standard)
      }.joined() + ".El\n"
  }

  private static func explanation(_ flag: Flag, of commands: CommandSet, on page: ManualPage) -> String {
    let note = note(on: flag, of: commands)
    let example = flag.example.map { ".Dl \(Roff.argument($0))\n" } ?? ""
    return Roff.paragraphs(details(of: flag, on: page) + (note.isEmpty ? "" : " " + note)) + example
  }

  /// The text of an option, which refers a reader to no page that is being read.
  private static func details(of flag: Flag, on page: ManualPage) -> String {
    let own = "\(page.reference.name)(\(page.reference.section))"
    let end = " See \(own)."
    let text = flag.details.hasSuffix(end) ? flag.details.dropLast(end.count) : flag.details[...]
    return text.split(separator: " ", omittingEmptySubsequences: false)
      .map { $0 == own ? "this page" : $0 }.joined(separator: " ")
  }

  /// The facts that the table adds to an option's text, but for those that hold for all options.
  private static func note(on flag: Flag, of commands: CommandSet) -> String {
    var parts: [String] = []
    if !flag.commands.isSuperset(of: commands) {
      parts.append("Only for \(flag.commands.intersection(commands).commands.map(\.words).joined(separator: ", ")).")
    }
    if !flag.unexplainedWords.isEmpty { parts.append("One of: \(flag.unexplainedWords.joined(separator: ", ")).") }
    if let standard = flag.defaultValue, flag.takesValue {
      parts.append("Default: \(standard).")
    } else if flag.takesValue, flag.unset != "none", !flag.details.holds("By default") {
      parts.append("Default: \(flag.unset).")
    }
    if flag.isRepeatable { parts.append("May be given several times.") }
    switch flag.sources {
    case .anywhere: break
    case .environment: parts.append("Variable: \(flag.variable); not in the file itself.")
    // That of transforms is told once, on their page.
    case .commandLine where flag.category != .general && flag.category != .transform: parts.append("Command line only.")
    case .commandLine: break
    }
    return parts.joined(separator: " ")
  }

  /// `Fl j , Fl -jobs Ar N`
  private static func tag(_ flag: Flag) -> String {
    let long = "Fl " + Roff.argument((flag.isOnByDefault ? "-no-" : "-") + flag.long)
    let lead = flag.implied == nil ? " Ar " : " Ns Op = Ns Ar "
    let value = flag.placeholder.map { lead + Roff.argument($0) } ?? ""
    guard let short = flag.short else { return long + value }
    return "Fl \(short) , " + long + value
  }

  /// - Parameter own: The codes that mean something of their own for the page's command; else all are listed.
  static func exitStatus(_ own: [ExitCodes.Meaning] = []) -> String {
    let codes = own.isEmpty ? ExitCodes.meanings : own
    return ".Sh EXIT STATUS\n"
      + Roff.list(codes.map { (tag: Roff.argument($0.code), body: Roff.text($0.meaning)) }, compact: true)
      + (own.isEmpty ? "" : ".Pp\n" + Roff.text("Any other code is one of imgfetch(1)."))
  }

  static func examples(_ examples: [(text: String, lines: String)]) -> String {
    ".Sh EXAMPLES\n"
      + examples.map { Roff.text($0.text) + Roff.display($0.lines) }.joined(separator: ".Pp\n")
  }

  static func seeAlso(_ pages: [(name: String, section: Int)]) -> String {
    ".Sh SEE ALSO\n" + pages.map { ".Xr \($0.name) \($0.section)" }.joined(separator: " ,\n") + "\n"
  }

  /// Variables other than those of options.
  static func environment(_ variables: [Variable]) -> String {
    ".Sh ENVIRONMENT\n"
      + Roff.list(variables.map { (tag: "Ev " + $0.names, body: Roff.text($0.meaning)) })
  }

  struct Variable: Sendable {
    /// The names as they stand on a macro line.
    let names: String
    let meaning: String

    static let cacheHome = Variable(
      names: "XDG_CACHE_HOME", meaning: "The folder in which imgfetch keeps its cache; without it ~/.cache.")
    static let configHome = Variable(
      names: "XDG_CONFIG_HOME", meaning: "The folder in which imgfetch/config is looked for; without it ~/.config.")
    static let proxies = Variable(
      names: "http_proxy , https_proxy , all_proxy , no_proxy",
      meaning:
        "The proxies to go through, and the hosts that are asked directly, unless --proxy or --no-proxy is given.")
    static let certificates = Variable(
      names: "CURL_CA_BUNDLE , SSL_CERT_FILE , SSL_CERT_DIR",
      meaning: "The system's certificates: a file, and a folder of files with hashed names. With CURL_CA_BUNDLE, a "
        + "file as well, the other two are ignored, and with --cacert all are.")
    static let libcurl = Variable(
      names: "IMGFETCH_LIBCURL",
      meaning: """
        The libcurl that makes the downloads: system, own (the one that the tarball and the wheel bring along), or a \
        path. If it cannot be loaded, that is an error, and no other is tried. By default it is the system's, which \
        gets security updates, or the package's own if that is missing or older than 7.74. The package's own needs \
        no library but the C library, so that a single image takes half the time with it. --version says which one \
        is used.
        """)
    /// On pages that refer to that of `get`.
    static let libcurlInShort = Variable(
      names: "IMGFETCH_LIBCURL", meaning: "The libcurl that makes the downloads; see imgfetch-get(1).")
    static let terminal = Variable(
      names: "NO_COLOR , TERM , COLUMNS",
      meaning: "With NO_COLOR, or TERM=dumb, there is no colour and, for the latter, no bars. COLUMNS overrides the "
        + "window's width.")
  }

  static func files(_ files: [(path: String, meaning: String)]) -> String {
    ".Sh FILES\n" + Roff.list(files.map { (tag: "Pa " + $0.path, body: Roff.text($0.meaning)) })
  }

  static let cacheFolder = (path: "~/.cache/imgfetch", meaning: "The cache. It can be removed at any time.")
  static let configFile = (
    path: "~/.config/imgfetch/config", meaning: "The configuration, if there is one; see imgfetch-config(5)."
  )
}
