import ImgfetchCore

enum ReportFlags {
  /// What is printed about each image, and the progress display.
  static let report: [Flag] = [
    Flag(
      .ordered, "ordered", .toggle { $0.report.ordered = $1 }, on: .fetching, .report,
      help: "results in the order of the input",
      details: "Prints results in the order of the input. By default each is printed as soon as it is done."),
    Flag(
      .json, "json", .toggle { $0.report.isJSON = $1 }, on: [.fetching, .inspect, .cache], .report,
      help: "print JSON, one object a line",
      details: "Prints one JSON object a line, and as a last one, for get and prefetch, the summary of the run.",
      example: "imgfetch get --json -i list.txt | jq -r 'select(.error) | .url'"),
    Flag(
      .jsonHeaders, "json-headers",
      .toggle { ($0.report.jsonHeaders, $0.report.isJSON) = ($1, $1 || $0.report.isJSON) }, on: .fetching, .report,
      help: "with the response's header fields",
      details:
        "Adds to each --json object the header fields of the response, as pairs of name and value. Implies --json."),
    Flag(
      .checksum, "checksum", .toggle { $0.report.checksum = $1 }, on: .fetching, .report,
      help: "with the SHA-256 of what was delivered",
      details: "Adds the SHA-256 of the delivered bytes to each --json object, and as {sha256} to --write-out."),
    Flag(
      .writeOut, "write-out", short: "w", .value("TEMPLATE", Templates.report) { $0.report.writeOut = $1 },
      unset: "the result line", on: .fetching, .report, excludes: [.json, .jsonHeaders],
      help: "print fields in braces for each image",
      details: """
        Prints TEMPLATE for each image, in place of the result line: the field names of --json in braces, \\n for a \
        newline and \\t for a TAB. {width:04} is a number with at least four digits. Nothing is added at the end.
        """,
      example: "imgfetch get -w '{cache} {url}\\n' -i list.txt"),
    Flag(
      .report, "report", .file { $0.report.file = $1 }, unset: "none", on: .fetching, .report,
      help: "write all rows to FILE too, as JSON",
      details: """
        Writes the rows and the summary to FILE, as --json prints them, whatever standard output shows. The file takes \
        its name at the end of the run, also of one that is interrupted: then its summary has complete as false. A FILE \
        that cannot be written is exit code 7, before anything is fetched where that can be seen.
        """,
      example: "imgfetch get -q -d pictures -i list.txt --report rows.jsonl"),
    Flag(
      .print, "print", .choice("WHICH", Choices.Printing.self) { $0.report.printing = $1 }, default: "all",
      on: .fetching, .report,
      help: "all, or new: only what changed",
      details: "new prints only what was downloaded or changed, and failures: cron then mails only when there is news."),
    Flag(
      .exitZero, "exit-zero", .toggle { $0.report.exitsZero = $1 }, on: .fetching, .report,
      help: "images that fail are rows, not the exit code",
      details: """
        Images that fail do not change the exit code, for programs that read the rows. What kept the list from being \
        done still does: a list that cannot be read, an interrupt, results that cannot be written, and with --fail-fast \
        the failure that ended the run.
        """,
      example: "imgfetch prefetch --json --exit-zero -i list.txt"),
    Flag(
      .progress, "progress", .choice("HOW", Choices.Progress.self) { $0.report.progress = $1 }, default: "auto",
      on: .fetching, .report,
      help: "auto, bar, plain, json or none",
      details: """
        Progress on standard error. auto: bars on a terminal, else none. bar: one for each download and one for all. \
        plain: a line every few seconds. json: for a program, an object a line: each second and at the end progress, an object \
        of done, failed, total, bytes, bytes_per_second, seconds_left and flights; between them each message as error, warning \
        or note, which is a text.
        """),
  ]

  /// Options of single `cache` commands. They cannot be configured: a forgotten line must neither repair a cache nor spare one.
  static let maintenance: [Flag] = [
    Flag(
      .exact, "exact", .toggle { $0.cache.isExact = $1 }, on: .cacheSize, from: .commandLine, .maintenance,
      help: "count by walking the cache",
      details: "Counts by walking the cache, and puts the ledger right. By default the ledger answers at once."),
    Flag(
      .dryRun, "dry-run", .toggle { $0.cache.isDryRun = $1 }, on: .cacheClean, from: .commandLine, .maintenance,
      help: "say what would go, remove nothing",
      details: "Says what would be removed, and removes nothing."),
    Flag(
      .repair, "repair", .toggle { $0.cache.repairs = $1 }, on: .cacheVerify, from: .commandLine, .maintenance,
      help: "remove what is damaged",
      details: "Removes the entries that are damaged."),
    Flag(
      .print0, "print0", .toggle { $0.cache.printsKeysOnly = $1 }, on: .cacheList, from: .commandLine, .maintenance,
      help: "keys only, each ended by NUL",
      details: "Prints the keys alone, each ended by a NUL byte, for xargs -0 and imgfetch get -0 -i -.",
      example: "imgfetch cache list --print0 | imgfetch prefetch --cache refresh -0 -i -"),
  ]

  /// The options of every command.
  static let general: [Flag] = [
    Flag(
      .quiet, "quiet", short: "q", .toggle { $0.messages.quiet = $1 }, on: .everywhere, .general, replaces: [.verbose],
      help: "print errors only",
      details: """
        Prints errors only, and a line for each of what the owner of the cache must know: that old images were served, that there \
        is no cache where one was meant, that it cannot be written. Rows that --json or --write-out asks for are printed all the \
        same; with --json what a row tells is not said on standard error.
        """),
    Flag(
      .verbose, "verbose", short: "v", .counter { $0.messages.verbosity = $1 }, on: .everywhere, .general,
      replaces: [.quiet],
      help: "say why; twice: with header fields",
      details: "Says why each decision about a cache fell as it did; -vv adds the header fields. Secrets are masked."),
    Flag(
      .color, "color", .choice("WHEN", Choices.Color.self) { $0.messages.color = $1 }, default: "auto",
      on: .everywhere, .general,
      help: "auto, always or never",
      details: "Colour in what is printed. auto: on a terminal, unless NO_COLOR is set or TERM is dumb."),
    Flag(
      .config, "config", .file { _, _ in }, unset: "$XDG_CONFIG_HOME/imgfetch/config",
      on: .everywhere, from: .environment, .general,
      help: "read this configuration file",
      details: """
        Reads the configuration from FILE, which must be there. By default it is $XDG_CONFIG_HOME/imgfetch/config, or \
        ~/.config/imgfetch/config where that variable is not set, if there is such a file. With --no-config none is \
        read.
        """),
    Flag(
      .help, "help", short: "h", .toggle { _, _ in }, on: .everywhere, from: .commandLine, .general,
      help: "-h: this summary; --help: everything",
      details: "-h prints a summary, --help explains every option."),
    Flag(
      .version, "version", short: "V", .toggle { _, _ in }, on: .everywhere, from: .commandLine, .general,
      help: "print the version",
      details: "Prints the version, the formats it reads and writes, and the libraries it was built with."),
  ]
}
