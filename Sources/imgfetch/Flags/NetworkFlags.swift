import ImgfetchCore

enum NetworkFlags {
  /// Concurrency, time limits, retries, and the connection.
  static let network: [Flag] = [
    Flag(
      .jobs, "jobs", short: "j", .value("N", Values.count(1...10_000)) { $0.fetcher.jobs = $1 }, default: "100",
      on: .fetching, .network,
      help: "downloads at once",
      details: """
        The number of downloads at once in the whole run; never exceeded, -j 1 is one after another. Waiting for a \
        retry or for another process holds no place.
        """,
      example: "imgfetch get -j 8 -i list.txt"),
    Flag(
      .perHost, "per-host", .value("N", Values.count(1...10_000)) { $0.fetcher.perHost = $1 },
      unset: "6, over HTTP/2 100", on: .fetching, .network,
      help: "downloads at once from one origin",
      details: """
        The number of downloads at once from one origin. By default 6, and 100 from the moment it has answered over \
        HTTP/2 in this run; a number given here holds for both.
        """),
    Flag(
      .order, "order", .choice("ORDER", Choices.Order.self) { $0.fetcher.isNewestFirst = $1 == .lifo }, default: "fifo",
      on: .fetching, .network,
      help: "what starts next: fifo or lifo",
      details: "What starts next among those that wait: fifo takes the oldest line, lifo the newest."),
    Flag(
      .limitRate, "limit-rate", .value("SIZE", Values.size) { $0.fetcher.bytesPerSecond = $1 > 0 ? Int64($1) : nil },
      unset: "no limit", on: .fetching, .network,
      help: "bytes a second, in all",
      details: "The bytes a second that the whole run may receive. 0 is no limit.",
      example: "imgfetch get --limit-rate 2M -i list.txt"),
    Flag(
      .rate, "rate", .value("N/s", Values.rate) { $0.fetcher.requestsPerSecond = $1.perSecond }, unset: "no limit",
      on: .fetching, .network,
      help: "requests a second to one origin",
      details: "How many requests one origin is sent: 5/s, or 30/m and 600/h for slower ones.",
      example: "imgfetch get --rate 2/s -i list.txt"),
    Flag(
      .timeout, "timeout", .value("TIME", Values.timeLimit) { $0.fetcher.stallTimeout = $1 ?? Settings.forever },
      default: "15s", on: .fetching, .network,
      help: "give up after this long without a byte",
      details: """
        A download that receives nothing for this long is given up (and retried). Each header and each byte of the \
        body begins it anew. Another process that is fetching the same image is waited for no longer than this after its file last \
        grew. 0 is no limit.
        """),
    Flag(
      .connectTimeout, "connect-timeout",
      .value("TIME", Values.timeLimit) { $0.fetcher.connectTimeout = $1 ?? Settings.forever }, default: "10s",
      on: .fetching, .network,
      help: "time for name, connection and TLS",
      details: "The longest that looking up a name, connecting and the TLS handshake may take together. 0 is no limit."),
    Flag(
      .maxTime, "max-time", .value("TIME", Values.timeLimit) { $0.fetcher.maximumTime = $1 }, unset: "no limit",
      on: .fetching, .network,
      help: "time for one image, with its retries",
      details: "The longest that one image may take, retries and redirects counted. 0 is no limit."),
    Flag(
      .retry, "retry", .value("N", Values.count(0...100)) { $0.fetcher.retries = $1 }, default: "2", on: .fetching,
      .network,
      help: "retries after a failure that may pass",
      details: """
        How often a failure that may pass is tried again: broken or refused connections, time-outs, truncated bodies \
        and the statuses 408, 425, 429, 500, 502, 503 and 504. The wait grows with each one and is spread at random; a \
        Retry-After of up to 60 seconds is obeyed, a longer one fails at once. 429 and 503 slow all downloads of that \
        origin: without a Retry-After half as many go on at once, after a pause that doubles each time, until it answers again.
        """),
    Flag(
      .maxRedirects, "max-redirects", .value("N", Values.count(0...1_000)) { $0.fetch.maximumRedirects = $1 },
      default: "10", on: .fetching, .network,
      help: "redirects to follow",
      details: """
        How many redirects are followed. Host rules, address rules and credentials are looked at anew at each. A \
        redirect from https to http, or to another scheme, is refused with exit code 8.
        """),
    Flag(
      .maxBytes, "max-bytes", .value("SIZE", Values.size) { $0.fetch.maximumBytes = Int64($1) }, default: "256M",
      on: [.fetching, .inspect], .network,
      help: "refuse larger bodies",
      details: "A body that is larger is broken off, counted as it comes, whatever its Content-Length said."),
    Flag(
      .acceptStatus, "accept-status", .value("LIST", Values.statuses) { $0.fetch.acceptedStatuses = $1 },
      default: "200-299", on: .fetching, .network,
      help: "statuses that count as an answer",
      details: """
        The statuses that count as an answer, as numbers and ranges. With 100-599 a 404, or a redirect that is not \
        followed, is delivered like any other, with its status.
        """,
      example: "imgfetch get --accept-status 200-299,404 https://example.org/cat.jpg"),
    Flag(
      .mirror, "mirror", .value("URL", Values.fetchable) { $0.mirrors.append($1) }, unset: "none", repeatable: true,
      on: .fetching, from: .commandLine, .network, secret: .url, excludes: [.input],
      help: "another place for the one URL's image",
      details: """
        Where the image can be had when the URL fails; for one URL, in a list it is the field mirror=URL. Mirrors are \
        asked in the order given; the cache entry is the URL's.
        """),
    Flag(
      .resolve, "resolve", .value("H:P:ADDR", Values.address) { $0.fetcher.resolve.append($1.description) },
      unset: "none", repeatable: true, on: .fetching, .network,
      help: "use this address for HOST:PORT",
      details: """
        HOST:PORT:ADDR. Connections to HOST at PORT go to ADDR, without asking a name server. An IPv6 address may \
        stand in brackets. Images had in this way lie under cache keys of their own.
        """,
      example: "imgfetch get --resolve example.org:443:127.0.0.1 https://example.org/cat.jpg"),
    Flag(
      .proxy, "proxy", .value("URL", Values.proxy) { $0.proxy = .url($1) }, unset: "the proxy variables", on: .fetching,
      .network, secret: .url,
      help: "go through this proxy",
      details: """
        The proxy that all requests go through: http, https, socks4, socks4a, socks5 or socks5h. Without it the usual \
        variables http_proxy, https_proxy, all_proxy and no_proxy are read. With --no-proxy neither is used.
        """),
    Flag(
      .http1, "http1.1", .toggle { $0.fetcher.usesHTTP1Only = $1 }, on: .fetching, .network,
      help: "do not use HTTP/2",
      details: "Speaks HTTP/1.1 only. By default HTTP/2 is used over TLS where the origin offers it."),
    Flag(
      .ipv4, "ipv4", short: "4", .toggle { if $1 { $0.fetcher.addressFamily = 4 } }, on: .fetching, .network,
      replaces: [.ipv6],
      help: "use IPv4 addresses only",
      details: "Names are resolved to IPv4 addresses only. Of -4 and -6 the last one counts."),
    Flag(
      .ipv6, "ipv6", short: "6", .toggle { if $1 { $0.fetcher.addressFamily = 6 } }, on: .fetching, .network,
      replaces: [.ipv4],
      help: "use IPv6 addresses only",
      details: "Names are resolved to IPv6 addresses only. Of -4 and -6 the last one counts."),
  ]

  /// Credentials, request headers and trusted certificates.
  static let credentials: [Flag] = [
    Flag(
      .header, "header", short: "H",
      .value("FIELD", Values.header) { $0.fetch.headers.append((name: $1.name, value: $1.value)) }, unset: "none",
      repeatable: true, on: .fetching, .credentials, secret: .headerValue,
      help: "send a header field, 'Name: value'",
      details: """
        Sends a header field with every request. 'Name:' takes a field away that imgfetch sends by itself, 'Name;' \
        sends it empty. Authorization and Cookie go to the origin of the run's first URL only; to another origin \
        after a redirect follow only Accept, Accept-Language and User-Agent. Range and the If- fields are for the \
        cache policies http and off.
        """,
      example: "imgfetch get -H 'Accept: image/png' https://example.org/cat"),
    Flag(
      .userAgent, "user-agent", short: "A", .value("TEXT", Values.line) { $0.fetcher.userAgent = $1 },
      unset: "imgfetch/VERSION", on: .fetching, .credentials,
      help: "the User-Agent to send",
      details: "The User-Agent to send. By default an honest imgfetch with its version."),
    Flag(
      .referer, "referer", .value("URL", Values.line) { $0.fetch.headers.append((name: "Referer", value: $1)) },
      unset: "none", on: .fetching, .credentials, secret: .url,
      help: "the Referer to send",
      details: "The Referer to send; it stays with the first origin."),
    Flag(
      .user, "user", short: "u", .value("NAME[:PW]", Values.user) { $0.credentials.user = $1 }, unset: "none",
      on: .fetching, .credentials, secret: .password, excludes: [.bearerFile],
      help: "name and password (asked for if missing)",
      details: """
        NAME[:PASSWORD]. Sent as Basic at once, as Digest when the origin asks for that, to the origin of the run's first URL and to no \
        other. A missing password is asked for on the terminal, which keeps it out of the process list.
        """),
    Flag(
      .netrc, "netrc", .toggle { $0.credentials.usesNetrc = $1 }, on: .fetching, .credentials,
      help: "take names and passwords from ~/.netrc",
      details: "Takes names and passwords from ~/.netrc, for each host the one that is written there."),
    Flag(
      .bearerFile, "bearer-file", .file { $0.credentials.bearerFile = $1 }, unset: "none", on: .fetching, .credentials,
      help: "send the token in FILE",
      details: """
        Sends Authorization: Bearer with the first line of FILE, to the origin of the run's first URL and to no other. \
        A file, because arguments can be read by everyone on the machine.
        """),
    Flag(
      .cookie, "cookie", .value("NAME=VALUE", Values.cookie) { $0.fetcher.identity.cookies.append($1) }, unset: "none",
      repeatable: true, on: .fetching, .credentials, secret: .cookieValue,
      help: "send a cookie",
      details:
        "Sends this cookie to the origin of the run's first URL and to no other. May hold several, as 'a=1; b=2'."),
    Flag(
      .cookieJar, "cookie-jar", .file { $0.credentials.cookieJar = $1 }, unset: "none", on: .fetching, .credentials,
      help: "read and keep cookies in FILE",
      details: "Reads cookies from FILE, in the format of Netscape and curl, and writes them back when the run ends."),
    Flag(
      .cacert, "cacert", .file { $0.fetcher.certificates = $1 }, unset: "the system's", on: .fetching, .credentials,
      help: "trust the certificates in FILE",
      details: "Trusts the certificate authorities in FILE (PEM) in place of the system's."),
    Flag(
      .insecure, "insecure", short: "k", .toggle { $0.fetcher.isInsecure = $1 }, on: .fetching, .credentials,
      excludes: [.cacert],
      help: "do not check certificates",
      details: """
        Does not check whom a TLS connection leads to. Images had in this way lie under cache keys of their own, so \
        that no other run is answered with them.
        """),
  ]
}
