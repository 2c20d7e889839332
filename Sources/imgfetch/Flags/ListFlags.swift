import ImgfetchCore

enum ListFlags {
  /// Which images to fetch: the list, and which hosts may be asked.
  static let selection: [Flag] = [
    Flag(
      .input, "input", short: "i", .file { $0.list.inputs.append($1) }, unset: "none", repeatable: true,
      on: .fetching, from: .commandLine, .selection,
      help: "read URLs from FILE, one a line (-: stdin)",
      details: """
        Reads the images to fetch from FILE, one a line, after those on the command line; - is standard input. The list \
        is read as a stream: a line is fetched when it arrives, so a script can keep one imgfetch running and feed it. \
        A line is a URL, or a URL, a TAB and the name to write; further TAB-separated fields may follow: priority=high \
        or priority=low, sha256=HEX (checked), mirror=URL, id=TEXT (comes back in the row), stem=TEXT (the name without \
        its extension, which follows the bytes). Blank lines and lines that begin with # are passed over, and so is a \
        carriage return at the end of a line. A line that makes no sense fails like an image that cannot be had, as \
        refused, and the others are fetched.
        """,
      example: "imgfetch get -i list.txt -d pictures"),
    Flag(
      .null, "null", short: "0", .toggle { $0.list.isNullEnded = $1 }, on: .fetching, .selection,
      help: "records of --input end in NUL, not newline",
      details: """
        The records of --input end in a NUL byte, as find -print0 and imgfetch cache list --print0 write \
        them; those of --failed-list too.
        """),
    Flag(
      .shard, "shard", .value("K/N", Values.shard) { $0.list.shard = $1 }, unset: "all", on: .fetching, .selection,
      help: "only part K of N of the list",
      details: """
        Fetches only the images whose key falls into part K of N, counted from 1. The parts are decided by the key \
        alone: many machines that run one list with 1/N to N/N fetch every image once.
        """,
      example: "imgfetch get -i list.txt --shard 3/8"),
    Flag(
      .allowHost, "allow-host", .value("PATTERN", Values.hostPattern) { $0.fetch.allowedHosts.append($1) },
      unset: "every host", repeatable: true, on: .fetching, .selection,
      help: "ask only hosts that match (*.example.org)",
      details: """
        Only hosts that match one of the patterns are asked; any other is refused with exit code 8. In a pattern * \
        stands for any characters and ? for one. Asked before each request and before each redirect, and of each host \
        by way of which an image in the cache came.
        """,
      example: "imgfetch get --allow-host example.org --allow-host '*.example.org' -i list.txt"),
    Flag(
      .denyHost, "deny-host", .value("PATTERN", Values.hostPattern) { $0.fetch.deniedHosts.append($1) },
      unset: "no host", repeatable: true, on: .fetching, .selection,
      help: "never ask hosts that match",
      details: """
        Hosts that match one of the patterns are refused with exit code 8, also where --allow-host allows them. Asked \
        before each request and before each redirect, and of each host by way of which an image in the cache came.
        """),
    Flag(
      .denyPrivate, "deny-private", .toggle { $0.fetch.publicAddressesOnly = $1 }, on: .fetching, .selection,
      help: "refuse addresses that are not public",
      details: """
        Refuses every address that is not globally reachable by IANA's special-purpose registries (loopback, private \
        and link-local networks, and IPv6 addresses that wrap such a one), judged when the connection opens and again \
        when it is reused. For lists that come from strangers. It cannot be kept through a proxy, so the two together \
        are an error. What the cache holds from such an address is not delivered, and what it does not know the address \
        of (it came through a proxy, or an older version stored it) is asked about again. Without it, a redirect may \
        still not lead from a public address to one that is not.
        """),
  ]

  /// Where images go, and what is done when one fails.
  static let output: [Flag] = [
    Flag(
      .outputDir, "output-dir", short: "d", .folder { $0.output.folder = $1 },
      unset: "the working directory", on: .get, .output,
      help: "write into DIR, made if missing",
      details:
        "Images are written into DIR, which is made if it is missing. Without it they go to the working directory.",
      example: "imgfetch get -d pictures https://example.org/cat.jpg"),
    Flag(
      .output, "output", short: "o", .file { $0.output.single = OutputSettings.Destination($1) },
      unset: "named after the URL", on: .get, .output, excludes: [.outputDir, .name, .input],
      help: "write the one image to FILE (-: stdout)",
      details: """
        Writes the image to FILE; for one URL. The name is taken as it is, whatever the format. With - the bytes go to \
        standard output; there is then no result line, and errors go to standard error. A device, pipe or socket is \
        written straight; anything else appears whole or not at all.
        """,
      example: "imgfetch get -o - https://example.org/cat.jpg | identify -"),
    Flag(
      .name, "name", .value("TEMPLATE", Templates.name) { $0.output.nameTemplate = $1 },
      unset: "the URL's last segment", on: .get, .output,
      help: "name files by fields in braces ({host}/{name})",
      details: """
        Names the files: {name} and {ext} are the name's stem and the extension that fits the bytes, {host} and {path} \
        come from the URL, {key} is the hash of the cache key in hex, {index} counts from 1 ({index:04} with at \
        least four digits), {width}, {height} and {format} are the image's. The result may hold / and never climbs out of the output folder.
        """,
      example: "imgfetch get --name '{host}/{key}.{ext}' -i list.txt"),
    Flag(
      .clobber, "clobber", .toggle { $0.output.clobber = $1 }, default: "true", on: .get, .output,
      help: "keep files that are there, make no request",
      details: """
        By default a file that is there is replaced, unless it holds the same bytes already: then it is left untouched, \
        so that make and rsync see nothing new. With --no-clobber a file of that stem with any accepted extension is \
        kept and no request is made. In either case another URL's image, written by an earlier run under a name that was \
        made of its URL, is left to it: this image gets a name with digits.
        """),
    Flag(
      .overwrite, "overwrite", .toggle { $0.output.overwrite = $1 }, on: .get, .output,
      help: "replace other URLs' files of earlier runs",
      details: """
        A written file carries the key of its image, in an extended attribute. Where a file that an earlier run or \
        another process wrote for another URL has the name that a URL's image would get, the image gets a name with \
        digits, and keeps it in later runs. With --overwrite it replaces that file. Files that were named by -o, by a \
        line of the list, or by a --name without {name}, {path} and {key} are replaced anyhow.
        """,
      example: "imgfetch get --overwrite -d today -i list.txt"),
    Flag(
      .placeholder, "placeholder", .file { $0.output.placeholder = $1 }, unset: "none", on: .get, .output,
      help: "write FILE where an image cannot be had",
      details: """
        FILE is written in the place of an image that could not be had, unless a file of that stem with any accepted \
        extension is there already. The exit code still tells of the failure.
        """),
    Flag(
      .remoteTime, "remote-time", .toggle { $0.output.remoteTime = $1 }, on: .get, .output,
      help: "set file times from Last-Modified",
      details: "Sets the time of a written file to the Last-Modified of the response, where it has one."),
    Flag(
      .failedList, "failed-list", .file { $0.output.failedList = $1 }, unset: "none", on: .fetching, .output,
      help: "write lines that failed or were not tried",
      details: """
        The lines that failed are written to FILE as they were given, and after an interrupt or --fail-fast those that \
        were not tried: of a file all that is left, of a pipe what still comes within a second. FILE is meant to be the \
        next run's --input. It is readable by its owner alone and begins with a comment, by which a later run knows it: \
        a run that has had every line removes such a FILE, and leaves any other alone, with a warning. FILE takes its \
        name at the end of the run, so it may be the list that is read, though not together with --shard.
        """,
      example: "imgfetch get -i list.txt --failed-list again.txt"),
    Flag(
      .failFast, "fail-fast", .toggle { $0.output.failFast = $1 }, on: .fetching, .output,
      help: "stop at the first failure",
      details: "Stops at the first image that cannot be had; running downloads are broken off and keep what they have."),
  ]
}
