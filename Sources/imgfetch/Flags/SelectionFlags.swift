import ImgfetchCore

enum SelectionFlags {
  /// Lists of images, and the hosts that may be asked.
  static let all: [Flag] = [
    Flag(
      .input, "input", short: "i",
      .value("FILE|URL", Values.list, completing: .files) { $0.list.inputs.append($1) }, unset: "none",
      repeatable: true,
      on: [.listing, .inspect], from: .commandLine, .selection, secret: .url,
      help: "read URLs from there, one a line (-: stdin)",
      details: """
        Reads the images to fetch from FILE, one a line, after those on the command line; - is standard input, and an \
        http, https or s3 URL is downloaded. The \
        list is read as a stream: a line is fetched when it arrives, so a script can keep one imgfetch running and \
        feed it. A list that is compressed with gzip is known by its bytes. \
        A line is a URL, or a URL, a TAB and the name to write. Further TAB-separated fields may follow: \
        priority=high or priority=low, sha256=HEX (checked), mirror=URL, referer=URL (sent as the page that the image is \
        of), id=TEXT (repeated in the row), stem=TEXT (the name without its extension, which depends on the bytes). Blank \
        lines, lines that begin with # and a carriage return at the end of a line are ignored.

        <URL>, a URL in quotation marks, and a comma or semicolon at the end are taken for what they mean. A URL without \
        :// begins with its host, and https is used. Words, prose, HTML, JSON, tables, Markdown and names of files are told as \
        what they look like, and no name in them is looked up. An invalid line fails as refused, and the other lines are \
        fetched. A list that \
        breaks off is no whole list: the run ends with the exit code of that failure, after the lines that came.

        What waits of a list at a URL stands in an unnamed file of at most 64 MB in TMPDIR (/tmp), and --max-list bounds the \
        whole. It is asked for with the \
        proxy, certificates and credentials of the run. If no URL comes before it, it is the run's first URL, to whose \
        origin --user, --bearer-file, --cookie and secret fields are sent; unless it has user info or an account of its own.

        For imgfetch inspect, a line is the name of a file or folder.
        """,
      example: "imgfetch get -i list.txt -d pictures"),
    Flag(
      .recursive, "recursive", short: "r", .toggle { $0.inspection.isRecursive = $1 }, on: .inspect, .selection,
      help: "inspect what is in folders",
      details: """
        Inspects the files in folders and in the folders below, in the order of their names. Links are not followed. Files \
        that are no images and do not have an image's extension are passed over.
        """,
      example: "imgfetch inspect -r pictures"),
    Flag(
      .null, "null", short: "0", .toggle { $0.list.isNullEnded = $1 }, on: [.listing, .inspect], .selection,
      help: "records of --input end with NUL",
      details: """
        The records of --input end with a NUL byte, as written by find -print0 and imgfetch cache list --print0. So do \
        those of --failed-list.
        """),
    Flag(
      .listFormat, "list-format", .choice("FORMAT", Choices.ListFormat.self) { $0.list.format = $1 }, default: "lines",
      on: .listing, .selection,
      help: "what --input holds: lines, tsv, csv or jsonl",
      details: """
        lines: as --input explains them. csv, tsv: a table whose first line names its columns, and whose fields may stand \
        in quotation marks, which are doubled inside, and may then hold line breaks (RFC 4180). Fields of csv are \
        separated by commas, semicolons or TABs, as the first line shows, those of tsv by TABs. jsonl: one JSON object a \
        line. --url-column says what is fetched; the column id is repeated in the row. For imgfetch pack, caption is, too, \
        and becomes KEY.txt beside the image, and all other columns go along unchanged. A record has at most 16 MiB. A \
        byte order mark and carriage returns before line feeds are ignored. A table that ends inside quotation marks is an \
        error.
        """,
      example: "imgfetch get -i pictures.csv --list-format csv -d pictures"),
    Flag(
      .urlColumn, "url-column", .value("NAME", Values.text) { $0.list.columns.url = $1 },
      unset: "url, else the one that holds URLs", on: .listing, .selection,
      help: "the column of a table that is fetched",
      details: """
        The column (or member of a JSON object) that holds the URLs. Its name may be in any case. By default it is url, or \
        else the one column that holds a URL in the first record that has any; if there are several, that is an error.
        """,
      example: "imgfetch prefetch -i products.csv --list-format csv --url-column image"),
    Flag(
      .maxList, "max-list", .value("SIZE", Values.size) { $0.list.maximum = $1 > 0 ? Int64($1) : .max }, default: "1G",
      on: .listing,
      .selection,
      help: "the longest list that comes from a URL (0: any)",
      details: """
        A list at a URL that is longer, as it comes or unpacked, is broken off: the run ends with exit code 5, after the \
        lines that came. 0 is no limit.
        """),
    Flag(
      .shard, "shard", .value("K/N", Values.shard) { $0.list.shard = $1 }, unset: "all", on: .listing, .selection,
      help: "only part K of N of the list",
      details: """
        Fetches only the images whose keys fall into part K of N, counted from 1. The key alone decides: if N machines \
        run the same list with 1/N to N/N, every image is fetched once.
        """,
      example: "imgfetch get -i list.txt --shard 3/8"),
    Flag(
      .allowHost, "allow-host", .value("PATTERN", Values.hostPattern) { $0.fetch.allowedHosts.append($1) },
      unset: "every host", repeatable: true, on: .fetching, .selection,
      help: "ask only hosts that match (*.example.org)",
      details: """
        Only hosts that match one of the patterns are asked. Any other host is refused with exit code 8. In a pattern, \
        * matches any characters and ? matches one. The rule is applied before each request and each redirect, and to \
        each host that a cached image came through.
        """,
      example: "imgfetch get --allow-host example.org --allow-host '*.example.org' -i list.txt"),
    Flag(
      .denyHost, "deny-host", .value("PATTERN", Values.hostPattern) { $0.fetch.deniedHosts.append($1) },
      unset: "no host", repeatable: true, on: .fetching, .selection,
      help: "never ask hosts that match",
      details: """
        Hosts that match one of the patterns are refused with exit code 8, even if --allow-host allows them. The rule \
        is applied before each request and each redirect, and to each host that a cached image came through.
        """),
    Flag(
      .denyPrivate, "deny-private", .toggle { $0.fetch.publicAddressesOnly = $1 }, on: .fetching, .selection,
      help: "refuse addresses that are not public",
      details: """
        Refuses every address that is not globally reachable according to IANA's special-purpose registries: loopback, \
        private and link-local networks, and IPv6 addresses that embed such an address. Addresses are checked when a \
        connection opens and when it is reused. For lists from untrusted sources. This cannot be enforced through a \
        proxy, so the two together are an error. A cached image that came from such an address is not served. One \
        whose address is unknown (it came through a proxy, or an older version stored it) is revalidated. Even without \
        this option, a redirect may not lead from a public address to one that is not.
        """),
    Flag(
      .robots, "robots", .toggle { $0.fetch.obeysRobots = $1 }, on: .fetching, .selection,
      help: "ask each site's robots.txt first, and obey it",
      details: """
        Before the first request to an origin, asks for its robots.txt (RFC 9309), once in a run; a copy in the cache \
        is used for 24 hours. The groups for imgfetch count, or else those for all robots. What it does not allow fails \
        with exit code 8, and the message has the line of the rule. Where there is none (4xx), everything is allowed; \
        where the server fails (5xx), nothing is. A Crawl-delay is kept between two requests to that origin. What is in \
        the cache is served without asking.
        """,
      example: "imgfetch get --robots --contact https://example.org/bot -i list.txt"),
    Flag(
      .refuseTag, "refuse-tag", .value("LIST", Values.words) { $0.fetch.refusedTags += $1 }, unset: "none",
      repeatable: true, on: .fetching, .selection,
      help: "refuse images with these words in X-Robots-Tag",
      details: """
        Refuses images whose answers have one of these words, separated by commas, in X-Robots-Tag, for all robots or for \
        imgfetch. They fail with exit code 8, those in the cache too.
        """,
      example: "imgfetch get --refuse-tag noai,noimageai -i list.txt"),
  ]
}
