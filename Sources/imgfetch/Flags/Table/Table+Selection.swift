extension Flag {
  /// Which images: the list, and what of it may be asked for.
  static let selection: [Flag] = [
    Flag(
      .input, "input", short: "i", .value(placeholder: "FILE", kind: .file), unset: "none", repeatable: true,
      on: .fetching, from: .commandLine, .selection,
      help: "read URLs from FILE, one a line (-: stdin)",
      more: """
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
      .null, "null", short: "0", on: .fetching, .selection,
      help: "records of --input end in NUL, not newline",
      more: """
        The records of --input end in a NUL byte, as find -print0 and imgfetch cache list --print0 write \
        them; those of --failed-list too.
        """),
    Flag(
      .shard, "shard", .value(placeholder: "K/N", kind: .shard), unset: "all", on: .fetching, .selection,
      help: "only part K of N of the list",
      more: """
        Fetches only the images whose key falls into part K of N, counted from 1. The parts are decided by the key \
        alone: many machines that run one list with 1/N to N/N fetch every image once.
        """,
      example: "imgfetch get -i list.txt --shard 3/8"),
    Flag(
      .allowHost, "allow-host", .value(placeholder: "PATTERN", kind: .hostPattern), unset: "every host",
      repeatable: true, on: .fetching, .selection,
      help: "ask only hosts that match (*.example.org)",
      more: """
        Only hosts that match one of the patterns are asked; any other is refused with exit code 8. In a pattern * \
        stands for any characters and ? for one. Asked before each request and before each redirect, and of each host \
        by way of which an image in the cache came.
        """,
      example: "imgfetch get --allow-host example.org --allow-host '*.example.org' -i list.txt"),
    Flag(
      .denyHost, "deny-host", .value(placeholder: "PATTERN", kind: .hostPattern), unset: "no host",
      repeatable: true, on: .fetching, .selection,
      help: "never ask hosts that match",
      more: """
        Hosts that match one of the patterns are refused with exit code 8, also where --allow-host allows them. Asked \
        before each request and before each redirect, and of each host by way of which an image in the cache came.
        """),
    Flag(
      .denyPrivate, "deny-private", on: .fetching, .selection,
      help: "refuse addresses that are not public",
      more: """
        Refuses every address that is not globally reachable by IANA's special-purpose registries (loopback, private \
        and link-local networks, and IPv6 addresses that wrap such a one), judged when the connection opens and again \
        when it is reused. For lists that come from strangers. It cannot be kept through a proxy, so the two together \
        are an error. What the cache holds from such an address is not delivered, and what it does not know the address \
        of (it came through a proxy, or an older version stored it) is asked about again. Without it, a redirect may \
        still not lead from a public address to one that is not.
        """),
  ]
}
