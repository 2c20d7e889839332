extension Flag {
  /// How much at once, how long, how often, and which way.
  static let network: [Flag] = [
    Flag(
      .jobs, "jobs", short: "j", .value(placeholder: "N", kind: .count(1...10_000)), standard: "100", on: .fetching,
      .network,
      help: "downloads at once",
      more: """
        The number of downloads at once in the whole run; never exceeded, -j 1 is one after another. Waiting for a \
        retry or for another process holds no place.
        """,
      example: "imgfetch get -j 8 -i list.txt"),
    Flag(
      .perHost, "per-host", .value(placeholder: "N", kind: .count(1...10_000)), unset: "6, over HTTP/2 100",
      on: .fetching, .network,
      help: "downloads at once from one origin",
      more: """
        The number of downloads at once from one origin. By default 6, and 100 from the moment it has answered over \
        HTTP/2 in this run; a number given here holds for both.
        """),
    Flag(
      .order, "order", .value(placeholder: "ORDER", kind: .choice(Choices.Order.self)), standard: "fifo",
      on: .fetching, .network,
      help: "what starts next: fifo or lifo",
      more: "What starts next among those that wait: fifo takes the oldest line, lifo the newest."),
    Flag(
      .limitRate, "limit-rate", .value(placeholder: "SIZE", kind: .size), unset: "no limit", on: .fetching, .network,
      help: "bytes a second, in all",
      more: "The bytes a second that the whole run may receive. 0 is no limit.",
      example: "imgfetch get --limit-rate 2M -i list.txt"),
    Flag(
      .rate, "rate", .value(placeholder: "N/s", kind: .rate), unset: "no limit", on: .fetching, .network,
      help: "requests a second to one origin",
      more: "How many requests one origin is sent: 5/s, or 30/m and 600/h for slower ones.",
      example: "imgfetch get --rate 2/s -i list.txt"),
    Flag(
      .timeout, "timeout", .value(placeholder: "TIME", kind: .duration), standard: "15s", on: .fetching, .network,
      help: "give up after this long without a byte",
      more: """
        A download that receives nothing for this long is given up (and retried). Each header and each byte of the \
        body begins it anew. Another process that is fetching the same image is waited for no longer than this after its file last \
        grew. 0 is no limit.
        """),
    Flag(
      .connectTimeout, "connect-timeout", .value(placeholder: "TIME", kind: .duration), standard: "10s",
      on: .fetching, .network,
      help: "time for name, connection and TLS",
      more: "The longest that looking up a name, connecting and the TLS handshake may take together. 0 is no limit."),
    Flag(
      .maxTime, "max-time", .value(placeholder: "TIME", kind: .duration), unset: "no limit", on: .fetching, .network,
      help: "time for one image, with its retries",
      more: "The longest that one image may take, retries and redirects counted. 0 is no limit."),
    Flag(
      .retry, "retry", .value(placeholder: "N", kind: .count(0...100)), standard: "2", on: .fetching, .network,
      help: "retries after a failure that may pass",
      more: """
        How often a failure that may pass is tried again: broken or refused connections, time-outs, truncated bodies \
        and the statuses 408, 425, 429, 500, 502, 503 and 504. The wait grows with each one and is spread at random; a \
        Retry-After of up to 60 seconds is obeyed, a longer one fails at once. 429 and 503 slow all downloads of that \
        origin: without a Retry-After half as many go on at once, after a pause that doubles each time, until it answers again.
        """),
    Flag(
      .maxRedirects, "max-redirects", .value(placeholder: "N", kind: .count(0...1_000)), standard: "10",
      on: .fetching, .network,
      help: "redirects to follow",
      more: """
        How many redirects are followed. Host rules, address rules and credentials are looked at anew at each. A \
        redirect from https to http, or to another scheme, is refused with exit code 8.
        """),
    Flag(
      .maxBytes, "max-bytes", .value(placeholder: "SIZE", kind: .size), standard: "256M", on: [.fetching, .inspect],
      .network,
      help: "refuse larger bodies",
      more: "A body that is larger is broken off, counted as it comes, whatever its Content-Length said."),
    Flag(
      .acceptStatus, "accept-status", .value(placeholder: "LIST", kind: .statuses), standard: "200-299",
      on: .fetching, .network,
      help: "statuses that count as an answer",
      more: """
        The statuses that count as an answer, as numbers and ranges. With 100-599 a 404, or a redirect that is not \
        followed, is delivered like any other, with its status.
        """,
      example: "imgfetch get --accept-status 200-299,404 https://example.org/cat.jpg"),
    Flag(
      .mirror, "mirror", .value(placeholder: "URL", kind: .url), unset: "none", repeatable: true, on: .fetching,
      from: .commandLine, .network, secret: true, excludes: [.input],
      help: "another place for the one URL's image",
      more: """
        Where the image can be had when the URL fails; for one URL, in a list it is the field mirror=URL. Mirrors are \
        asked in the order given; the cache entry is the URL's.
        """),
    Flag(
      .resolve, "resolve", .value(placeholder: "H:P:ADDR", kind: .address), unset: "none", repeatable: true,
      on: .fetching, .network,
      help: "use this address for HOST:PORT",
      more: """
        HOST:PORT:ADDR. Connections to HOST at PORT go to ADDR, without asking a name server. An IPv6 address may \
        stand in brackets. Images had in this way lie under cache keys of their own.
        """,
      example: "imgfetch get --resolve example.org:443:127.0.0.1 https://example.org/cat.jpg"),
    Flag(
      .proxy, "proxy", .value(placeholder: "URL", kind: .proxy), unset: "the proxy variables", on: .fetching,
      .network, secret: true,
      help: "go through this proxy",
      more: """
        The proxy that all requests go through: http, https, socks4, socks4a, socks5 or socks5h. Without it the usual \
        variables http_proxy, https_proxy, all_proxy and no_proxy are read. With --no-proxy neither is used.
        """),
    Flag(
      .http1, "http1.1", on: .fetching, .network,
      help: "do not use HTTP/2",
      more: "Speaks HTTP/1.1 only. By default HTTP/2 is used over TLS where the origin offers it."),
    Flag(
      .ipv4, "ipv4", short: "4", on: .fetching, .network, replaces: [.ipv6],
      help: "use IPv4 addresses only",
      more: "Names are resolved to IPv4 addresses only. Of -4 and -6 the last one counts."),
    Flag(
      .ipv6, "ipv6", short: "6", on: .fetching, .network, replaces: [.ipv4],
      help: "use IPv6 addresses only",
      more: "Names are resolved to IPv6 addresses only. Of -4 and -6 the last one counts."),
  ]
}
