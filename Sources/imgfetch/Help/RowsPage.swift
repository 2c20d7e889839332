/// imgfetch-rows(5): the rows and reports that `get`, `prefetch` and `pack` print.
enum RowsPage {
  static func text() -> String {
    Manual.head(.rows, "rows, JSON and messages that imgfetch prints")
      + Roff.paragraphs(prose)
      + Manual.examples([
        ("The URLs of the images that failed:", "imgfetch get --json -i list.txt | jq -r 'select(.error) | .url'"),
        (
          "The failures of a run, by kind:",
          """
          imgfetch get -q -i list.txt --report rows.jsonl
          jq -c 'select(.summary) | .summary.kinds' rows.jsonl
          """
        ),
        ("A table of one's own:", "imgfetch get -w '{cache} {width} {height} {url}\\n' -i list.txt"),
      ])
      + Manual.seeAlso([
        ("imgfetch-get", 1), ("imgfetch-pack", 1), ("imgfetch-report", 1), ("jq", 1), ("imgfetch-lists", 5),
      ])
  }

  private static let prose = """
    imgfetch get and imgfetch prefetch print one row for each image on standard output, as soon as it is done: a \
    line of seven columns, a JSON object (--json), or a template (--write-out). --ordered prints the rows in the \
    order of the input, --print new only those of new and changed images, and --report FILE writes all of them \
    to a file besides.

    Messages go to standard error. Programs may rely on the columns and fields below: a name keeps its meaning, \
    and new fields may be added (see COMPATIBILITY in imgfetch(1)).

    # THE RESULT LINE
    On a terminal the columns are aligned. Elsewhere one TAB separates them, - stands for a missing value, and a \
    TAB, newline or carriage return within a field is written as \\t, \\n or \\r. A backslash is written as it \
    is; --json tells such names apart. The columns are:
    \(ReportFields.items(ReportFields.line))

    With --dry-run, the row of a stored image that needs no request has an eighth column, such as fresh until \
    2026-12-04T02:16:13Z.

    To a pipe, lines are written in pieces of at most 4096 bytes that end with a line, so that several processes \
    can share a pipe. A longer row is written at once.

    # JSON
    With --json each row is an object on one line. It always has these fields, in this order, except those that \
    may be missing:
    \(ReportFields.items(ReportFields.object))

    On request it also has:
    \(ReportFields.items(ReportFields.extra))

    The field error is null, or an object of:
    \(ReportFields.items(ReportFields.error))

    The last object of a run has one field, summary, an object of:
    \(ReportFields.items(ReportFields.summary))

    # TEMPLATES
    --write-out TEMPLATE prints TEMPLATE for each image. The names of the JSON fields stand in braces, as in \
    {url}; \\n is a newline, \\t a TAB. {width:04} prints a number with at least four digits. {source}, \
    {fingerprints} and {exif} are JSON objects. A missing value is printed as -. Nothing is added at the end. \
    These fields exist for templates only:
    \(ReportFields.items(ReportFields.templates))

    # REPORTS
    --report FILE writes the rows and the summary to FILE as --json prints them, also if standard output shows \
    something else. The rows are written to FILE.part as they come, or to FILE.part.1 and so on while another \
    run writes that. At the end of the run, even of an interrupted one, it is renamed to FILE. After a kill, \
    FILE.part remains, and the next run replaces it.

    # THE END OF A RUN
    After a list, on a terminal or if something failed, standard error gets a digest of at most eight lines: the \
    number of images, the hosts with the most failures, and advice. Equal messages of a run are printed as one \
    line with a count.

    SIGINT, SIGTERM and SIGHUP end a run in order: downloads are broken off and their parts kept, the summary is \
    printed, and the report and the list of failures are written. A second signal ends the run at once, unless \
    it comes within a tenth of a second. A full disk ends the run in order, too, with exit code 7.

    If the reader of the rows goes away, which is checked each second, the run ends as after an interrupt, but \
    without a message and with exit code 141. If standard output was closed from the beginning, the images are \
    fetched, and the missing rows are an error at the end (7), unless -q leaves them out.
    """
}
