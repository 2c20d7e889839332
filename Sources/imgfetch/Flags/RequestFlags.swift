import ImgfetchCore

enum RequestFlags {
  /// What is cached, where, for how long, and under which key.
  static let cache: [Flag] = [
    Flag(
      .cache, "cache", .choice("POLICY", CachePolicy.self) { $0.fetch.policy = $1 }, default: "age",
      on: .fetching, .cache,
      help: "age, http, refresh, reload, only, memory, off",
      details: """
        What may be answered from a cache, and when the origin is asked. age: from memory or disk while younger than \
        --max-age, afterwards with a conditional request. http: while RFC 9111 calls it fresh, as a private cache. \
        refresh: always ask, conditionally. reload: always fetch anew, and store. only: never ask. memory: this run's \
        memory, nothing on disk. off: neither read nor store.
        """,
      example: "imgfetch get --cache refresh https://example.org/cat.jpg"),
    Flag(
      .offline, "offline", .shorthand(for: .cache, value: "only"), on: .fetching, .cache,
      help: "the same as --cache only",
      details: "The network is not used: what is not in the cache fails with exit code 6. The same as --cache only."),
    Flag(
      .cacheDir, "cache-dir", .folder { $0.fetcher.cacheFolder = $1 }, unset: "$XDG_CACHE_HOME/imgfetch",
      on: [.fetching, .cache], .cache,
      help: "where the disk cache lies",
      details: """
        The folder of the disk cache. By default $XDG_CACHE_HOME/imgfetch, or ~/.cache/imgfetch where that variable is \
        not set. Without either there is no disk cache, and a warning.
        """),
    Flag(
      .namespace, "namespace", .value("NAME", Values.namespace) { $0.fetcher.namespace = $1 }, default: "default",
      on: [.fetching, .cache], .cache,
      help: "a cache within the cache",
      details: """
        Images of different namespaces never meet: each is measured, cleaned and cleared by itself. 1 to 64 letters, \
        digits, dots, dashes and underscores, not beginning with a dot.
        """),
    Flag(
      .readOnlyCache, "read-only-cache", .folder { $0.fetcher.readOnlyCaches.append($1) }, unset: "none",
      repeatable: true, on: .fetching, .cache,
      help: "look in DIR too, never write there",
      details: """
        A further cache that is looked in after the cache itself, in the order given, and never written: one that was \
        filled beforehand, on a shared disk or in a container's image.
        """),
    Flag(
      .memoryLimit, "memory-limit", .value("SIZE", Values.size) { $0.fetcher.memoryLimit = $1 }, default: "8M",
      on: .fetching, .cache,
      help: "size of the memory cache",
      details: "How much this run keeps in memory of what it fetched, least recently used out first. 0 keeps nothing."),
    Flag(
      .maxAge, "max-age", .value("TIME", Values.seconds) { $0.fetch.maximumAge = $1 }, default: "7d",
      on: [.fetching, .cacheClean], .cache,
      help: "how old a cached image may be",
      details: """
        Under the policy age an image younger than this is answered from the cache without asking the origin. cache \
        clean removes what is older and was not used for as long.
        """,
      example: "imgfetch get --max-age 1h https://example.org/webcam.jpg"),
    Flag(
      .maxSize, "max-size", .value("SIZE", Values.size) { $0.cache.maxSize = $1 }, default: "5G",
      on: [.fetching, .cacheClean], .cache,
      help: "how large the disk cache may grow",
      details:
        "When the disk cache is larger, cleaning removes the least recently used images until it is at half of this."),
    Flag(
      .keyIgnoreQuery, "key-ignore-query", .toggle { $0.cache.keys.ignoreQuery = $1 }, on: [.fetching, .keyed], .cache,
      help: "leave the query out of the cache key",
      details: """
        URLs that differ in nothing but their query share one cache entry. For signed URLs whose query changes with \
        every page.
        """),
    Flag(
      .keyIgnoreParam, "key-ignore-param", .value("NAME", Values.text) { $0.cache.keys.ignoredParameters.append($1) },
      unset: "none", repeatable: true, on: [.fetching, .keyed], .cache,
      help: "leave this parameter out of the key",
      details: "URLs that differ in nothing but this query parameter share one cache entry.",
      example: "imgfetch get --key-ignore-param token --key-ignore-param expires -i list.txt"),
    Flag(
      .cacheKey, "cache-key", .value("KEY", Values.text) { $0.cache.keys.key = $1 }, unset: "the URL",
      on: [.fetching, .keyed], from: .commandLine, .cache, excludes: [.input],
      help: "the key to use for the one URL",
      details: "The image is looked up and stored under KEY in place of its URL; for one URL."),
    Flag(
      .retryFailed, "retry-failed", .toggle { $0.fetch.retriesFailed = $1 }, on: .fetching, .cache,
      help: "ask again for what failed in this run",
      details: """
        A URL that failed for good is not asked a second time in one run, however often the list names it. With this \
        it is.
        """),
    Flag(
      .skipFailed, "skip-failed", .value("TIME", Values.timeLimit) { $0.fetch.skipsFailedFor = $1 }, unset: "off",
      on: .fetching, .cache,
      help: "do not ask for TIME what was gone or no image",
      details:
        "URLs that answered 404 or 410, or with no image, are not asked again for TIME, by any run that uses this cache."
    ),
    Flag(
      .stale, "stale", .toggle { $0.fetch.servesStale = $1 }, default: "true", on: .fetching, .cache,
      help: "fail when an old image cannot be revalidated",
      details: """
        Where the cached image is past its age and the origin cannot be reached or answers 5xx, the cached image is \
        served, marked as stale, with a warning. With --no-stale that is a failure.
        """),
    Flag(
      .autoClean, "auto-clean", .toggle { $0.cache.autoClean = $1 }, default: "true", on: .fetching, .cache,
      help: "do not clean the cache after a run",
      details: """
        A run cleans by itself after its last result is printed, when the cache is over --max-size or a day has passed \
        since the last time; it takes a tenth of a second at most unless the cache is over twice its size. With \
        --no-auto-clean it does not.
        """),
    Flag(
      .cacheDerived, "cache-derived", .toggle { $0.fetch.cachesDerived = $1 }, on: .get, .cache,
      help: "cache transformed images too",
      details:
        """
        The cache keeps the bytes that the origin sent. With this the result of the transforms is kept beside them, and \
        found by later runs without reading or decoding the image again. It answers only while the image itself would, \
        with the same bytes, and is removed with it.
        """),
  ]

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
