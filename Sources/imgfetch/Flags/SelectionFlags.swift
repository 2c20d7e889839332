import ImgfetchCore

enum SelectionFlags {
  /// Lists of images, and the hosts that may be asked.
  static let all: [Flag] = [
    Flag(
      .input, "input", short: "i",
      .value("FILE|URL", Values.list, completing: .files) { $0.list.inputs.append($1) }, unset: "none",
      repeatable: true,
      on: [.fetching, .inspect], from: .commandLine, .selection, secret: .url,
      help: "read a list, one URL or file a line (-: stdin)",
      details: """
        Reads URLs from a list: a file, - for standard input, or an http, https or s3 URL. Each line is a URL, or a \
        URL, a TAB and the name of its file; fields such as priority=high, sha256=HEX and mirror=URL may follow. A \
        line is fetched when it arrives, so a script can keep one imgfetch running and feed it. Invalid lines fail \
        with exit code 8, and the others are fetched. URLs on the command line come before the list. See \
        imgfetch-lists(5). imgfetch show reads the list to its end first.

        For imgfetch inspect, a line is the name of a file or folder, and the list is a file or standard input.
        """,
      example: "imgfetch get -i list.txt -d pictures"),
    Flag(
      .recursive, "recursive", short: "r", .toggle { $0.inspection.isRecursive = $1 }, on: .inspect, .selection,
      help: "inspect the files in folders",
      details: """
        Inspects the files in folders and in the folders below, in the order of their names. Links are not followed. \
        Files that are no images and do not have an image's extension are passed over.
        """,
      example: "imgfetch inspect -r pictures"),
    Flag(
      .null, "null", short: "0", .toggle { $0.list.isNullEnded = $1 }, on: [.fetching, .inspect], .selection,
      help: "records of --input end with NUL",
      details: """
        Reads records of --input that end with a NUL byte, as find -print0 and imgfetch cache list --print0 write \
        them. --failed-list writes its lines in the same way.
        """,
      example: "imgfetch cache list --print0 | imgfetch prefetch -0 -i -"),
    Flag(
      .listFormat, "list-format", .choice("FORMAT", Choices.ListFormat.self) { $0.list.format = $1 }, default: "lines",
      on: .fetching, .selection,
      help: "format of --input: lines, tsv, csv or jsonl",
      details: """
        Sets the format of --input. lines: a URL and its fields on each line. csv, tsv: a table whose first line names \
        the columns. jsonl: one JSON object a line. See --url-column, and imgfetch-lists(5).
        """,
      example: "imgfetch get -i pictures.csv --list-format csv -d pictures"),
    Flag(
      .urlColumn, "url-column", .value("NAME", Values.text) { $0.list.columns.url = $1 },
      unset: "url, else the one that holds URLs", on: [.fetching, .find], .selection,
      help: "the column of a table that holds the URLs",
      details: """
        Names the column of a table, or the member of a JSON object, that holds the URLs; capitals make no difference. \
        By default it is url, or else the only column that holds a URL in the first record that has any.
        """,
      example: "imgfetch prefetch -i products.csv --list-format csv --url-column image"),
    Flag(
      .maxList, "max-list", .value("SIZE", Values.size) { $0.list.maximum = $1 > 0 ? Int64($1) : .max }, default: "1G",
      on: .fetching, .selection,
      help: "largest list that comes from a URL (0: any)",
      details: """
        Stops reading a list at a URL when it exceeds SIZE, compressed or decompressed. The run ends with exit code 5, \
        after the lines that came. 0 is no limit.
        """),
    Flag(
      .shard, "shard", .value("K/N", Values.listPart) { $0.list.part = $1 }, unset: "all", on: .fetching, .selection,
      help: "only part K of N of the list",
      details: """
        Fetches only part K of N of the list, counted from 1. If N machines run the same list with 1/N to N/N, every \
        image is fetched once: its URL decides which part it is in. Files have the names that they have in a run of \
        the whole list, so the folders of the machines can be put together. For imgfetch pack, see --shard-by.
        """,
      example: "imgfetch get -i list.txt --shard 3/8"),
    Flag(
      .allowHost, "allow-host", .value("PATTERN", Values.hostPattern) { $0.fetch.allowedHosts.append($1) },
      unset: "every host", repeatable: true, on: .asking, .selection,
      help: "ask only hosts that match (*.example.org)",
      details: """
        Requests images only from hosts that match one of the patterns. Any other host is refused with exit code 8. In \
        a pattern, * matches any characters and ? matches one; a pattern with a port matches that port only. The rule \
        is applied to each request, to each redirect, and to each host that a cached image came through.
        """,
      example: "imgfetch get --allow-host example.org --allow-host '*.example.org' -i list.txt"),
    Flag(
      .denyHost, "deny-host", .value("PATTERN", Values.hostPattern) { $0.fetch.deniedHosts.append($1) },
      unset: "no host", repeatable: true, on: .asking, .selection,
      help: "never ask hosts that match",
      details: """
        Refuses hosts that match one of the patterns with exit code 8, even if --allow-host allows them. It is applied \
        like that.
        """,
      example: "imgfetch get --deny-host '*.ads.example' -i list.txt"),
    Flag(
      .denyPrivate, "deny-private", .toggle { $0.fetch.publicAddressesOnly = $1 }, on: .asking, .selection,
      help: "refuse addresses that are not public",
      details: """
        Refuses every address that is not globally reachable according to IANA's special-purpose registries: \
        loopback, private and link-local networks, and IPv6 addresses that embed such an address. Use it for lists \
        from untrusted sources. Addresses are checked when a connection opens and when it is reused. Since a proxy \
        would prevent that, the two together are an error. A cached image that came from such an address is not \
        served; one whose address is unknown is revalidated. Even without this option, a redirect may not lead from a \
        public address to one that is not.
        """),
    Flag(
      .robots, "robots", .toggle { $0.fetch.obeysRobots = $1 }, on: .asking, .selection,
      help: "ask each site's robots.txt first, and obey it",
      details: """
        Asks each origin for its robots.txt (RFC 9309) before the first request, and obeys it. The groups for imgfetch \
        count, or else those for all robots. A URL that it does not allow fails with exit code 8, and the message \
        names the rule. If there is no such file (4xx), everything is allowed; if the server fails (5xx), \
        nothing is for now. A Crawl-delay of up to a minute is kept. A copy of the file is used for 24 hours. Cached \
        images are served without asking.
        """,
      example: "imgfetch get --robots --contact https://example.org/bot -i list.txt"),
    Flag(
      .refuseTag, "refuse-tag", .value("LIST", Values.words) { $0.fetch.refusedTags += $1 }, unset: "none",
      repeatable: true, on: .fetching, .selection,
      help: "refuse images with these words in X-Robots-Tag",
      details: """
        Refuses images whose answers have one of these words, separated by commas, in X-Robots-Tag, for all robots or \
        for imgfetch. They fail with exit code 8, cached ones too.
        """,
      example: "imgfetch get --refuse-tag noai,noimageai -i list.txt"),
  ]
}
