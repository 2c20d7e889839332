extension Flag {
  /// The fields of `--write-out`: those of a `--json` object that are one value.
  static let reportFields = [
    "url", "final_url", "key", "cache", "revalidated", "shared", "stale", "status", "mime", "format", "width", "height",
    "frames", "bytes", "downloaded", "elapsed_ms", "attempts", "line", "id", "started_ms", "queued_ms", "output",
    "error", "sha256",
  ]

  /// Those that are whole numbers, and may have zeros in front.
  static let reportNumbers = ["status", "width", "height", "frames", "bytes", "downloaded", "attempts", "line"]

  /// What is printed about each image, and while they come.
  static let report: [Flag] = [
    Flag(
      .ordered, "ordered", on: .fetching, .report,
      help: "results in the order of the input",
      more: "Prints results in the order of the input. By default each is printed as soon as it is done."),
    Flag(
      .json, "json", on: [.fetching, .inspect, .cache], .report,
      help: "print JSON, one object a line",
      more: "Prints one JSON object a line, and as a last one, for get and prefetch, the summary of the run.",
      example: "imgfetch get --json -i list.txt | jq -r 'select(.error) | .url'"),
    Flag(
      .jsonHeaders, "json-headers", on: .fetching, .report,
      help: "with the response's header fields",
      more: "Adds to each --json object the header fields of the response, as pairs of name and value. Implies --json."),
    Flag(
      .checksum, "checksum", on: .fetching, .report,
      help: "with the SHA-256 of what was delivered",
      more: "Adds the SHA-256 of the delivered bytes to each --json object, and as {sha256} to --write-out."),
    Flag(
      .writeOut, "write-out", short: "w", .value(placeholder: "TEMPLATE", kind: .template(fields: reportFields)),
      unset: "the result line", on: .fetching, .report, excludes: [.json, .jsonHeaders],
      help: "print fields in braces for each image",
      more: """
        Prints TEMPLATE for each image, in place of the result line: the field names of --json in braces, \\n for a \
        newline and \\t for a TAB. {width:04} is a number with at least four digits. Nothing is added at the end.
        """,
      example: "imgfetch get -w '{cache} {url}\\n' -i list.txt"),
    Flag(
      .report, "report", .value(placeholder: "FILE", kind: .file), unset: "none", on: .fetching, .report,
      help: "write all rows to FILE too, as JSON",
      more: """
        Writes the rows and the summary to FILE, as --json prints them, whatever standard output shows. The file takes \
        its name at the end of the run, also of one that is interrupted: then its summary has complete as false. A FILE \
        that cannot be written is exit code 7, before anything is fetched where that can be seen.
        """,
      example: "imgfetch get -q -d pictures -i list.txt --report rows.jsonl"),
    Flag(
      .print, "print", .value(placeholder: "WHICH", kind: .choice(Choices.Printing.self)), standard: "all",
      on: .fetching, .report,
      help: "all, or new: only what changed",
      more: "new prints only what was downloaded or changed, and failures: cron then mails only when there is news."),
    Flag(
      .exitZero, "exit-zero", on: .fetching, .report,
      help: "images that fail are rows, not the exit code",
      more: """
        Images that fail do not change the exit code, for programs that read the rows. What kept the list from being \
        done still does: a list that cannot be read, an interrupt, results that cannot be written, and with --fail-fast \
        the failure that ended the run.
        """,
      example: "imgfetch prefetch --json --exit-zero -i list.txt"),
    Flag(
      .progress, "progress", .value(placeholder: "HOW", kind: .choice(Choices.Progress.self)), standard: "auto",
      on: .fetching, .report,
      help: "auto, bar, plain, json or none",
      more: """
        Progress on standard error. auto: bars on a terminal, else none. bar: one for each download and one for all. \
        plain: a line every few seconds. json: for a program, an object a line: each second and at the end progress, an object \
        of done, failed, total, bytes, bytes_per_second, seconds_left and flights; between them each message as error, warning \
        or note, which is a text.
        """),
  ]
}
