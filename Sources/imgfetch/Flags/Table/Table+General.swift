extension Flag {
  /// What only a command of the cache takes. Not for the configuration: a forgotten line must not repair or spare.
  static let maintenance: [Flag] = [
    Flag(
      .exact, "exact", on: .cacheSize, from: .commandLine, .maintenance,
      help: "count by walking the cache",
      more: "Counts by walking the cache, and puts the ledger right. By default the ledger answers at once."),
    Flag(
      .dryRun, "dry-run", on: .cacheClean, from: .commandLine, .maintenance,
      help: "say what would go, remove nothing",
      more: "Says what would be removed, and removes nothing."),
    Flag(
      .repair, "repair", on: .cacheVerify, from: .commandLine, .maintenance,
      help: "remove what is damaged",
      more: "Removes the entries that are damaged."),
    Flag(
      .print0, "print0", on: .cacheList, from: .commandLine, .maintenance,
      help: "keys only, each ended by NUL",
      more: "Prints the keys alone, each ended by a NUL byte, for xargs -0 and imgfetch get -0 -i -.",
      example: "imgfetch cache list --print0 | imgfetch prefetch --cache refresh -0 -i -"),
  ]

  /// What every command takes.
  static let general: [Flag] = [
    Flag(
      .quiet, "quiet", short: "q", on: .everywhere, .general, replaces: [.verbose],
      help: "print errors only",
      more: """
        Prints errors only, and a line for each of what the owner of the cache must know: that old images were served, that there \
        is no cache where one was meant, that it cannot be written. Rows that --json or --write-out asks for are printed all the \
        same; with --json what a row tells is not said on standard error.
        """),
    Flag(
      .verbose, "verbose", short: "v", .counter, on: .everywhere, .general, replaces: [.quiet],
      help: "say why; twice: with header fields",
      more: "Says why each decision about a cache fell as it did; -vv adds the header fields. Secrets are masked."),
    Flag(
      .color, "color", .value(placeholder: "WHEN", kind: .choice(Choices.Color.self)), standard: "auto",
      on: .everywhere, .general,
      help: "auto, always or never",
      more: "Colour in what is printed. auto: on a terminal, unless NO_COLOR is set or TERM is dumb."),
    Flag(
      .config, "config", .value(placeholder: "FILE", kind: .file), unset: "$XDG_CONFIG_HOME/imgfetch/config",
      on: .everywhere, from: .environment, .general,
      help: "read this configuration file",
      more: """
        Reads the configuration from FILE, which must be there. By default it is $XDG_CONFIG_HOME/imgfetch/config, or \
        ~/.config/imgfetch/config where that variable is not set, if there is such a file. With --no-config none is \
        read.
        """),
    Flag(
      .help, "help", short: "h", on: .everywhere, from: .commandLine, .general,
      help: "-h: this summary; --help: everything",
      more: "-h prints a summary, --help explains every option."),
    Flag(
      .version, "version", short: "V", on: .everywhere, from: .commandLine, .general,
      help: "print the version",
      more: "Prints the version, the formats it reads and writes, and the libraries it was built with."),
  ]
}
