/// imgfetch-lists(5): the lists that `--input` reads.
enum ListsPage {
  static func text() -> String {
    Manual.head(.lists, "lists of images that imgfetch reads")
      + Roff.paragraphs(prose)
      + Manual.examples([
        (
          "A list of two images; the first has a name, and the text of the second one's id= is in its row:",
          """
          printf '%s\\t%s\\n' https://example.org/a.jpg first > list.txt
          printf '%s\\tid=17\\n' https://example.org/dog.jpg >> list.txt
          imgfetch get -i list.txt -d pictures --json
          """
        ),
        (
          "A table, whose column image has the URLs:",
          "imgfetch prefetch -i products.csv --list-format csv --url-column image"
        ),
      ])
      + Manual.seeAlso([("imgfetch-get", 1), ("imgfetch-pack", 1), ("imgfetch-rows", 5), ("imgfetch-remote", 7)])
  }

  private static let prose = """
    --input FILE reads a list of images: a file, - for standard input, or an http, https or s3 URL. Operands \
    come before the lists, and several lists are read one after another. A list is read as a stream, and a line \
    is fetched when it arrives, so a script can keep one imgfetch running and feed it.

    A list that begins like gzip is decompressed. A byte order mark at the beginning, and a carriage return at \
    the end of a line, are ignored. With --null, records end with NUL instead of a line break.

    # LINES
    By default (--list-format lines) each line is an image: a URL, or a URL, a TAB and the name of its file. \
    Further fields may follow, separated by TABs, in any order:
    * Cm "priority=high|low" | Fetches the image before or after those without this field.
    * Cm "sha256=HEX" | Accepts the image only with this checksum; any other is a failure (exit code 5).
    * Cm "mirror=URL" | Another URL of the same image, as with --mirror. May be given several times.
    * Cm "referer=URL" | Sends URL as the Referer, as if the image had been found on that page.
    * Cm "id=TEXT" | Repeats TEXT in the image's row.
    * Cm "stem=TEXT" | Names the file TEXT, with the extension of its format.
    * Cm "reach=public" | Refuses addresses that are not public. A list of failures has it for images that a page \
    named.
    * Cm "was=KIND:STATUS" | Is ignored. A list of failures has it, see below.

    Blank lines, and lines that begin with #, are ignored. A URL may stand in <> or in quotation marks, and a \
    comma or semicolon behind it is dropped. A URL without :// begins with its host, and https is used. \
    s3://BUCKET/KEY is an object in a bucket; see imgfetch-remote(7).

    A line that can be no URL fails as refused (exit code 8), and the others are fetched. Its message says what \
    it looks like: a word, prose, HTML, JSON, a table, Markdown or the name of a file. No name in it is looked \
    up. A second URL in a line, or in place of a name, is an error, too: write mirror=URL.

    # TABLES
    --list-format csv and tsv read a table whose first line names its columns. Fields may stand in quotation \
    marks, which are doubled inside, and may then contain line breaks (RFC 4180). The fields of csv are \
    separated by commas, semicolons or TABs, whichever fits the first line; those of tsv by TABs. --list-format \
    jsonl reads one JSON object a line, whose members are its columns.

    --url-column names the column of the URLs, in any case. By default it is url, else the only column that \
    holds a URL in the first record that has any. Several such columns are an error. The column id, in any \
    case, is repeated in the row. All other columns are ignored, except by imgfetch pack.

    A record has at most 16 MiB, and a value of JSON 100 levels. A table that ends inside quotation marks, or \
    lacks its column, is an error (exit code 7).

    # LISTS AT URLS
    A list at a URL is downloaded with the proxy, certificates, credentials and retries of the run, while its \
    images are fetched. At most 64 MB of it wait in an unnamed file in TMPDIR (/tmp); then the server has to \
    wait. --max-list (default: 1G) bounds the whole list.

    If no URL comes before it, it counts as the run's first URL, and its origin gets --user, --bearer-file, \
    --cookie and secret header fields, unless the URL has user info or an account of its own. Rules about images \
    and hosts do not apply to it.

    If a list cannot be read to its end, the run ends with the exit code of that failure, after the lines that \
    came.

    # LISTS OF FAILURES
    --failed-list FILE writes the lines that failed, as they were given and in their order, with a field \
    was=KIND:STATUS (was=http:404, was=timeout). After an interrupt or --fail-fast it also has the lines that \
    were not tried: the rest of a file, or everything that arrives from a pipe within a second. FILE is meant as \
    the --input of the next run, which may write its own failures to the same file.

    FILE appears at the end of the run, and only its owner can read it. Its first line is a comment that \
    identifies it: a run in which every line succeeded removes such a FILE. Any other file is neither replaced \
    nor removed, and nor is a list that another run has written in the meantime; the list is then written to \
    FILE.1, or the next free number, with a warning. Devices and pipes get the lines as they come.

    A line whose file got a name with digits has the field stem=, so that the next run uses the same name. So has \
    a line that the template of --name names by its place ({index}, {line}), which it has not in the next run. The \
    failures of a table are records of that table, with a comment "# imgfetch was=KIND:STATUS" before each, and \
    are read with the same --list-format. Those of a csv or tsv table begin with its header. Operands, images of \
    --from and records of other tables are records of the first table there, with their URL, id and referer.
    """
}
