import ImgfetchCore

enum RequestFlags {
  /// The cache policy, the caches, the ages and the keys.
  static let cache: [Flag] = [
    Flag(
      .cache, "cache", .choice("POLICY", CachePolicy.self) { $0.fetch.policy = $1 }, default: "age",
      on: [.fetching, .cacheInfo], .cache,
      help: "age, http, refresh, reload, only, memory, off",
      details: """
        Which caches are read, and when the origin is asked. age: serves from memory or disk up to --max-age, then \
        revalidates with a conditional request. http: serves while RFC 9111 calls the answer fresh, as a private \
        cache. refresh: always revalidates. reload: always fetches, and stores. only: never asks the origin. memory: \
        uses this run's memory, nothing on disk. off: neither reads nor stores.
        """,
      example: "imgfetch get --cache refresh https://example.org/cat.jpg"),
    Flag(
      .offline, "offline", .shorthand(for: .cache, value: "only"), on: .fetching, .cache,
      help: "the same as --cache only",
      details:
        "Does not use the network: an image that is not in the cache fails with exit code 6. The same as --cache only."),
    Flag(
      .cacheDir, "cache-dir", .folder { $0.fetcher.cacheFolder = $1 }, unset: "$XDG_CACHE_HOME/imgfetch",
      on: [.fetching, .cache], .cache,
      help: "folder of the disk cache",
      details: """
        The folder of the disk cache. The default is $XDG_CACHE_HOME/imgfetch, or ~/.cache/imgfetch if that variable \
        is not set. If HOME is not set either, there is no disk cache, and a warning is printed.
        """),
    Flag(
      .namespace, "namespace", .value("NAME", Values.namespace) { $0.fetcher.namespace = $1 }, default: "default",
      on: [.fetching, .cache], .cache,
      help: "a separate cache in the same folder",
      details: """
        Images of different namespaces are kept apart: each namespace is measured, cleaned and cleared separately. A \
        name has 1 to 64 letters, digits, dots, dashes and underscores, and does not begin with a dot.
        """),
    Flag(
      .readOnlyCache, "read-only-cache", .folder { $0.fetcher.readOnlyCaches.append($1) }, unset: "none",
      repeatable: true, on: [.fetching, .cacheInfo], .cache,
      help: "also look in DIR, but never write there",
      details: """
        A further cache, which is looked in after the cache itself and never written. For a cache that was filled in \
        advance, on a shared disk or in a container image. Several are looked in in the given order.
        """),
    Flag(
      .memoryLimit, "memory-limit", .value("SIZE", Values.size) { $0.fetcher.memoryLimit = $1 }, default: "8M",
      on: .fetching, .cache,
      help: "size of the memory cache",
      details: """
        How much of what was asked for this run keeps in memory, for lines that name it again. The least recently used \
        images are dropped first, and an image that takes more than a quarter of this is not kept. Less is used while \
        the system is short of memory. 0 keeps nothing.
        """),
    Flag(
      .memoryCount, "memory-count", .value("N", Values.count(0...1_000_000_000)) { $0.fetcher.memoryCount = $1 },
      unset: "any number",
      on: .fetching, .cache,
      help: "number of images in memory",
      details: "How many images this run keeps in memory at most. The least recently used are dropped first."),
    Flag(
      .maxAge, "max-age", .value("TIME", Values.seconds) { $0.fetch.ageLimit = $1 }, default: "7d",
      on: [.fetching, .cacheClean, .cacheInfo], .cache,
      help: "maximum age of a cached image",
      details: """
        With --cache age, an image younger than this is served from the cache without asking the origin. Where this \
        option is not given, a server may say that it is right for less: no-cache and no-store (asked about in each \
        run), max-age, Expires. A time that is given holds whatever servers say. What a run has had itself stands for a \
        minute. cache clean \
        removes images that are older and were not used for as long.
        """,
      example: "imgfetch get --max-age 1h https://example.org/webcam.jpg"),
    Flag(
      .maxSize, "max-size", .value("SIZE", Values.size) { $0.cache.maxSize = $1 }, default: "5G",
      on: [.fetching, .cacheClean], .cache,
      help: "maximum size of the disk cache",
      details:
        """
        If the disk cache is larger, cleaning removes the least recently used images until it has half of this size. 0: \
        there is no limit.
        """),
    Flag(
      .keyIgnoreQuery, "key-ignore-query", .toggle { $0.cache.keys.ignoreQuery = $1 }, on: [.fetching, .keyed], .cache,
      help: "ignore the query in the cache key",
      details: """
        URLs that differ only in their queries share one cache entry. For signed URLs whose query changes with every \
        page.
        """),
    Flag(
      .keyIgnoreParam, "key-ignore-param", .value("NAME", Values.text) { $0.cache.keys.ignoredParameters.append($1) },
      unset: "none", repeatable: true, on: [.fetching, .keyed], .cache,
      help: "ignore this parameter in the cache key",
      details: "URLs that differ only in this query parameter share one cache entry.",
      example: "imgfetch get --key-ignore-param token --key-ignore-param expires -i list.txt"),
    Flag(
      .keyIgnoreHeader, "key-ignore-header",
      .value("NAME", Values.ignorableHeader) { $0.fetch.keyIgnoredHeaders.append($1) }, unset: "none",
      repeatable: true, on: .fetching, .cache,
      help: "ignore this request field in the cache key",
      details: """
        Requests that differ only in this field of -H share one cache entry. Without it each value of a field has entries \
        of its own, but for Accept, Accept-Language, User-Agent, Referer, Cache-Control, Pragma, From, DNT, Priority, \
        traceparent, tracestate, baggage, X-Request-ID and X-Correlation-ID. Authorization, Proxy-Authorization and \
        Cookie are never ignored. With --cache http credentials have entries of their own, and the Vary of the answer \
        decides about other fields.
        """,
      example: "imgfetch get --key-ignore-header X-Trace -H 'X-Trace: 17' -i list.txt"),
    Flag(
      .cacheKey, "cache-key", .value("KEY", Values.text) { $0.cache.keys.key = $1 }, unset: "the URL",
      on: [.answering, .keyed], from: .commandLine, .cache, excludes: [.input],
      help: "the cache key of the one URL",
      details: "The image is looked up and stored under KEY instead of its URL. For one URL."),
    Flag(
      .retryFailed, "retry-failed", .toggle { $0.fetch.retriesFailed = $1 }, on: .fetching, .cache,
      help: "retry URLs that failed earlier in this run",
      details: """
        By default, a URL that failed for good is not requested again in the same run, even if the list contains it \
        several times. With this option it is.
        """),
    Flag(
      .skipFailed, "skip-failed",
      .value("TIME", Values.timeLimit) { $0.fetch.skipsFailedFor = $1.map { .lasting($0) } }, unset: "off",
      on: .fetching, .cache,
      help: "for TIME, skip URLs that failed for good",
      details: """
        URLs that answered 404 or 410, or with something other than an image, are not requested again for TIME by any \
        run that uses this cache.
        """
    ),
    Flag(
      .stale, "stale", .toggle { $0.fetch.servesStale = $1 }, default: "true", on: .fetching, .cache,
      help: "fail if an old image cannot be revalidated",
      details: """
        If a cached image is past its age and the origin cannot be reached or answers 5xx, the cached image is served, \
        marked as stale, with a warning. With --no-stale that is a failure.
        """),
    Flag(
      .autoClean, "auto-clean", .toggle { $0.cache.autoClean = $1 }, default: "true", on: .fetching, .cache,
      help: "do not clean the cache after a run",
      details: """
        A run cleans the cache after its last result, if the cache is over --max-size or was not cleaned for a day. \
        That takes a tenth of a second at most, unless the cache has twice its size. With --no-auto-clean it does not.
        """),
    Flag(
      .cacheDerived, "cache-derived", .toggle { $0.fetch.cachesDerived = $1 }, on: .writing, .cache,
      help: "cache transformed images too",
      details: """
        The cache keeps the bytes that the origin sent. With this option it also keeps the results of transforms, so \
        that later runs need not read and decode the image again. A result is served only while the image itself would \
        be, with the same bytes, and is removed with it.
        """),
    Flag(
      .remoteCache, "remote-cache", .value("URL", Values.store) { $0.remoteCache.address = $1 }, unset: "none",
      on: .fetching, .cache, secret: .url,
      help: "a cache that several machines share",
      details: """
        An http or https URL of a web server that takes PUT, such as nginx with its dav module, or s3://BUCKET/PREFIX, with \
        the account by the variables and files of Amazon's tools. Images are looked for there after the cache on this \
        machine and before the origin, checked like any other download, and kept on disk. What the origin sent is put \
        there after it was delivered, if any user might have got it: nothing that was got with credentials, cookies, \
        --insecure or --resolve, and nothing that says private or no-store. A server that cannot be reached, is slow or \
        refuses requests costs one warning, and is left alone for the rest of the run. Used with --cache age and http. See imgfetch-remote(7).
        """,
      example: "imgfetch get --remote-cache https://cache.example.org/images -i list.txt"),
    Flag(
      .remoteCacheMode, "remote-cache-mode",
      .choice("MODE", RemoteCacheSettings.Mode.self) { $0.remoteCache.mode = $1 },
      default: "both", on: .fetching, .cache,
      help: "both, read or write",
      details: "Whether images are looked for in the remote cache, put there, or both."),
    Flag(
      .remoteCacheTimeout, "remote-cache-timeout", .value("TIME", Values.seconds) { $0.remoteCache.timeout = $1 },
      default: "2s", on: .fetching, .cache,
      help: "time for one answer of the remote cache",
      details: """
        If the remote cache has not sent an image within this time, the origin is asked, and the remote cache is left \
        alone for the rest of the run. A connection to it may take a quarter of that.
        """),
    Flag(
      .remoteCacheWait, "remote-cache-wait", .value("TIME", Values.seconds) { $0.remoteCache.wait = $1 }, default: "2s",
      on: .fetching, .cache,
      help: "time for uploads at the end of a run",
      details: "How long the end of a run waits for images that are still being put into the remote cache."),
  ]

  /// Concurrency, time limits, retries, and the connection.
  static let network: [Flag] = [
    Flag(
      .jobs, "jobs", short: "j", .value("N", Values.count(1...10_000)) { $0.fetcher.jobs = $1 }, default: "100",
      on: .fetching, .network,
      help: "maximum number of concurrent downloads",
      details: """
        The maximum number of concurrent downloads of the whole run. With -j 1, images are downloaded one after \
        another. A download that waits for a retry or for another process does not count. Origins that have not \
        answered yet get at most half of them together, so that dead ones do not hold up the others.
        """,
      example: "imgfetch get -j 8 -i list.txt"),
    Flag(
      .perHost, "per-host", .value("N", Values.count(1...10_000)) { $0.fetcher.perHost = $1 },
      unset: "6, over HTTP/2 100", on: .fetching, .network,
      help: "concurrent downloads from one origin",
      details: """
        The maximum number of concurrent downloads from one origin. The default is 6, and 100 once the origin has \
        answered over HTTP/2 in this run. A given number applies to both.
        """),
    Flag(
      .order, "order", .choice("ORDER", Choices.Order.self) { $0.fetcher.isNewestFirst = $1 == .lifo }, default: "fifo",
      on: .fetching, .network,
      help: "what starts next: fifo or lifo",
      details: "Which of the waiting images starts next: fifo takes the oldest line, lifo the newest."),
    Flag(
      .limitRate, "limit-rate", .value("SIZE", Values.size) { $0.fetcher.bytesPerSecond = $1 > 0 ? Int64($1) : nil },
      unset: "no limit", on: .fetching, .network,
      help: "bytes a second for the whole run",
      details: "How many bytes a second the whole run may receive. 0 is no limit.",
      example: "imgfetch get --limit-rate 2M -i list.txt"),
    Flag(
      .rate, "rate", .value("N/s", Values.rate) { $0.fetcher.requestsPerSecond = $1.perSecond }, unset: "no limit",
      on: .fetching, .network,
      help: "requests a second to one origin",
      details: "How many requests are sent to one origin: 5/s, or 30/m and 600/h for slower rates.",
      example: "imgfetch get --rate 2/s -i list.txt"),
    Flag(
      .timeout, "timeout",
      .value("TIME", Values.timeLimit) { $0.fetcher.stallTimeout = .lasting($1 ?? Settings.forever) },
      default: "15s", on: .fetching, .network,
      help: "give up after this long without a byte",
      details: """
        A download that receives nothing for this long fails (and is retried). Each header and each byte of the body \
        restarts the time. If another process is fetching the same image, this run waits for it no longer than this \
        after its file last grew. 0 is no limit.
        """),
    Flag(
      .leastSpeed, "least-speed", .value("SIZE", Values.size) { $0.fetcher.leastSpeed = Int64($1) }, default: "1K",
      on: .fetching, .network,
      help: "bytes a second that a body must have",
      details: """
        A download whose body comes slower than this, measured over ten seconds, gives its place to another one and goes on \
        beside the --jobs (at most as many again). After further 30 seconds it is broken off, as a timeout, and retried \
        where it stopped, unless no other origin has been faster in this run. Of the downloads that take longer than a \
        minute, at most half of --jobs hold a place while others wait. Time in which imgfetch itself does not read, as with --limit-rate, does \
        not count. With -j 1 nothing of this is done. 0 is no least speed.
        """),
    Flag(
      .connectTimeout, "connect-timeout",
      .value("TIME", Values.timeLimit) { $0.fetcher.connectTimeout = .lasting($1 ?? Settings.forever) }, default: "10s",
      on: .fetching, .network,
      help: "time for name lookup, connection and TLS",
      details: """
        The maximum time for the connection and its TLS handshake, and for the lookup of the host's name before them. A \
        name is looked up once for all images of the host: addresses are used for a minute, and a name that does not \
        exist is not asked about again in this run. 0 is no limit.
        """),
    Flag(
      .maxTime, "max-time", .value("TIME", Values.timeLimit) { $0.fetcher.maximumTime = $1.map { .lasting($0) } },
      unset: "no limit",
      on: .fetching, .network,
      help: "time for one image with all its retries",
      details: "The maximum time for one image, including retries and redirects. 0 is no limit."),
    Flag(
      .retry, "retry", .value("N", Values.count(0...100)) { $0.fetcher.retries = $1 }, default: "2", on: .fetching,
      .network,
      help: "retries after a transient failure",
      details: """
        How often a transient failure is retried: names that could not be looked up for now, broken or refused \
        connections, timeouts, truncated bodies and the statuses 408, 425, 429, 500, 502, 503 and 504. The wait doubles \
        with each retry from half a second to eight, of which up to a half is left out at random. A Retry-After of up to 60 seconds is obeyed; with a longer one the image \
        fails at once. 429 and 503 slow down all downloads from that origin: without a Retry-After, half as many \
        continue, after a pause that doubles each time, until the origin answers again. After three attempts in a row \
        without an answer an origin counts as down: one request at a time tries it again, and when three of these \
        have failed too, all its images fail with one message (later, if it has answered before: see --outage). Images with a mirror, or with a stored copy, do not \
        wait for that. It is tried again now and then, and one answer brings it back.
        """),
    Flag(
      .outage, "outage", .value("TIME", Values.seconds) { $0.fetcher.outage = .lasting($1) }, default: "30s",
      on: .fetching,
      .network,
      help: "how long a host that has answered may be away",
      details: """
        An origin that has answered in this run and then does not answer three times in a row is given this time, from the \
        first of these on, to come back: a server that restarts, or a laptop that changes networks, costs no image. Attempts \
        made meanwhile do not count against --retry, nor do its answers of 502, 503 and 504. With 0 it is given three further attempts, as is \
        an origin that has never answered.
        """,
      example: "imgfetch get --outage 5m -i list.txt"),
    Flag(
      .maxRedirects, "max-redirects", .value("N", Values.count(0...1_000)) { $0.fetch.maximumRedirects = $1 },
      default: "10", on: .fetching, .network,
      help: "maximum number of redirects",
      details: """
        How many redirects are followed. Host rules, address rules and credentials are checked again at each. A \
        redirect from https to http (unless --allow-downgrade is given), or to another scheme, is refused with exit code 8.
        """),
    Flag(
      .allowDowngrade, "allow-downgrade", .toggle { $0.fetch.allowsDowngrade = $1 }, on: .fetching, .network,
      help: "follow redirects from https to http",
      details: """
        Follows redirects from https to http, after which anyone on the way can read and change what comes. Such runs' \
        images are cached under separate keys, so that they are not served to other runs.
        """),
    Flag(
      .maxBytes, "max-bytes", .value("SIZE", Values.size) { $0.fetch.maximumBytes = Int64($1) }, default: "256M",
      on: [.fetching, .inspect], .network,
      help: "refuse larger bodies",
      details: "A larger body is refused. Its bytes are counted as they arrive, whatever its Content-Length says."),
    Flag(
      .acceptFormats, "accept-formats",
      .choices("LIST", Choices.Format.self) { settings, formats in
        settings.fetch.acceptedFormats = []
        for name in formats where !settings.fetch.acceptedFormats.contains(name.format) {
          settings.fetch.acceptedFormats.append(name.format)
        }
      }, unset: "any", on: .fetching, .network,
      help: "ask servers for these formats (avif,webp)",
      details: """
        Asks servers for these formats, the best first. Many servers convert an image to the best format that a program \
        says it can take; by default none is asked for before another ('image/*,*/*;q=0.8'), which gives the original. \
        Other formats are still taken if they come (--only-format refuses them). A field given with -H counts instead. \
        Such images are cached under separate keys, but for --cache http.
        """,
      example: "imgfetch get --accept-formats avif,webp https://example.org/cat"),
    Flag(
      .acceptStatus, "accept-status", .value("LIST", Values.statuses) { $0.fetch.acceptedStatuses = $1 },
      default: "200-299", on: .fetching, .network,
      help: "statuses that count as an answer",
      details: """
        The statuses that count as an answer, as numbers and ranges. With 100-599, a 404 or an unfollowed redirect is \
        delivered like any other answer, with its status.
        """,
      example: "imgfetch get --accept-status 200-299,404 https://example.org/cat.jpg"),
    Flag(
      .mirror, "mirror", .value("URL", Values.fetchable) { $0.mirrors.append($1) }, unset: "none", repeatable: true,
      on: [.answering, .show], from: .commandLine, .network, secret: .url, excludes: [.input],
      help: "another URL of the same image",
      details: """
        Another URL of the image, which is tried if the URL has no answer, an error status, no image, a damaged one, \
        or one with another checksum. For one URL; in a list, use the field mirror=URL. Mirrors are tried in the \
        given order. The cache entry is that of the URL; with --cache http, each of them has its own.
        """),
    Flag(
      .resolve, "resolve", .value("H:P:ADDR", Values.address) { $0.fetcher.resolve.append($1.description) },
      unset: "none", repeatable: true, on: .fetching, .network,
      help: "use this address for HOST:PORT",
      details: """
        HOST:PORT:ADDR. Connections to HOST at PORT go to ADDR, without asking a name server. An IPv6 address may be \
        in brackets. Such images are cached under separate keys.
        """,
      example: "imgfetch get --resolve example.org:443:127.0.0.1 https://example.org/cat.jpg"),
    Flag(
      .proxy, "proxy", .value("URL", Values.proxy) { $0.proxy = .url($1) }, unset: "the proxy variables", on: .fetching,
      .network, secret: .url,
      help: "use this proxy",
      details: """
        The proxy for all requests: http, https, socks4, socks4a, socks5 or socks5h. By default the usual variables \
        http_proxy, https_proxy, all_proxy and no_proxy are used. --no-proxy ignores these, too.
        """),
    Flag(
      .http1, "http1.1", .toggle { $0.fetcher.usesHTTP1Only = $1 }, on: .fetching, .network,
      help: "do not use HTTP/2",
      details: "Uses HTTP/1.1 only. By default, HTTP/2 is used over TLS if the origin offers it."),
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
        Sends a header field with every request. 'Name:' removes a field that imgfetch sends by default, 'Name;' sends \
        it empty. Authorization and Cookie are sent to the origin of the run's first URL only. After a redirect to \
        another origin, only Accept, Accept-Language and User-Agent are sent there. Range and the If- fields are for \
        the cache policies http and off.
        """,
      example: "imgfetch get -H 'Accept: image/png' https://example.org/cat"),
    Flag(
      .userAgent, "user-agent", short: "A", .value("TEXT", Values.line) { $0.fetcher.userAgent = $1 },
      unset: "imgfetch/VERSION", on: .fetching, .credentials,
      help: "the User-Agent to send",
      details: "The User-Agent to send. The default is imgfetch with its version, and --contact if that is given."),
    Flag(
      .contact, "contact", .value("TEXT", Values.line) { $0.fetcher.contact = $1 }, unset: "none", on: .fetching,
      .credentials,
      help: "tell sites who asks: an address or URL",
      details: """
        An e-mail address or a URL by which the owner of a site can reach you. The User-Agent becomes \
        imgfetch/VERSION (TEXT). Many sites ask that of robots, and block those that do not say it. A User-Agent of \
        your own replaces it.
        """,
      example: "imgfetch get --contact photos@example.org -i list.txt"),
    Flag(
      .referer, "referer", .value("URL", Values.line) { $0.fetch.headers.append((name: "Referer", value: $1)) },
      unset: "none", on: .fetching, .credentials, secret: .url,
      help: "the Referer to send",
      details: "The Referer to send. It is not sent to other origins."),
    Flag(
      .user, "user", short: "u", .value("NAME[:PW]", Values.user) { $0.credentials.user = $1 }, unset: "none",
      on: .fetching, .credentials, secret: .password, excludes: [.bearerFile],
      help: "name and password (asked for if missing)",
      details: """
        NAME[:PASSWORD]. Sent as Basic with the first request, and as Digest if the origin demands that, to the origin \
        of the run's first URL and no other. A missing password is asked for at the terminal, which keeps it out of \
        the process list.
        """),
    Flag(
      .netrc, "netrc", .toggle { $0.credentials.usesNetrc = $1 }, on: .fetching, .credentials,
      help: "read names and passwords from ~/.netrc",
      details: "Reads names and passwords from ~/.netrc. Each is sent to its host only."),
    Flag(
      .bearerFile, "bearer-file", .file { $0.credentials.bearerFile = $1 }, unset: "none", on: .fetching, .credentials,
      help: "send the token in FILE",
      details: """
        Sends Authorization: Bearer with the first line of FILE, to the origin of the run's first URL and no other. It \
        is read from a file because every user of the machine can see the arguments of a process.
        """),
    Flag(
      .cookie, "cookie", .value("NAME=VALUE", Values.cookie) { $0.fetcher.identity.cookies.append($1) }, unset: "none",
      repeatable: true, on: .fetching, .credentials, secret: .cookieValue,
      help: "send a cookie",
      details: """
        Sends this cookie to the origin of the run's first URL and no other. The value may contain several cookies, as \
        in 'a=1; b=2'.
        """),
    Flag(
      .cookieJar, "cookie-jar", .file { $0.credentials.cookieJar = $1 }, unset: "none", on: .fetching, .credentials,
      help: "read cookies from FILE and save them there",
      details:
        "Reads cookies from FILE, in the format of Netscape and curl, and saves them there at the end of the run."),
    Flag(
      .cacert, "cacert", .file { $0.fetcher.certificates = $1 }, unset: "the system's", on: .fetching, .credentials,
      help: "trust the certificates in FILE",
      details: "Trusts the certificate authorities in FILE (PEM) instead of the system's."),
    Flag(
      .cert, "cert", .file { $0.credentials.certificate = $1 }, unset: "none", on: .fetching, .credentials,
      help: "show the client certificate in FILE",
      details: """
        The client's certificate (PEM), for a server that wants one over https. It is shown to the origin of the run's first \
        URL and no other. Such images are cached under separate keys. --store-cert is for stores.
        """,
      example: "imgfetch get --cert me.pem --key me.key https://example.org/cat.jpg"),
    Flag(
      .key, "key", .file { $0.credentials.certificateKey = $1 }, unset: "in the file of --cert", on: .fetching,
      .credentials,
      help: "the key of that certificate",
      details: "The private key of --cert (PEM), if it is not in the same file. It must not be encrypted."),
    Flag(
      .insecure, "insecure", short: "k", .toggle { $0.fetcher.isInsecure = $1 }, on: .fetching, .credentials,
      excludes: [.cacert],
      help: "do not check certificates",
      details: """
        Does not check the certificates of servers. Such images are cached under separate keys, so that they are not \
        served to other runs.
        """),
    Flag(
      .storeBearerFile, "store-bearer-file", .file { $0.credentials.storeBearerFile = $1 }, unset: "none",
      on: .fetching,
      .credentials,
      help: "send the token in FILE to stores",
      details: """
        Sends Authorization: Bearer with the first line of FILE to the stores that are the user's own, and to no origin of images: \
        the web server of --remote-cache, that of an --output-dir that is a URL, and a list of --input on the same \
        origin. User info in their URLs, and the account of a bucket, come first.
        """),
    Flag(
      .storeCert, "store-cert", .file { $0.credentials.storeCertificate = $1 }, unset: "none", on: .fetching,
      .credentials,
      help: "show the certificate in FILE to stores",
      details: """
        The client's certificate (PEM), for stores that want one over https: those of --store-bearer-file. Origins of images do \
        not get it.
        """),
    Flag(
      .storeKey, "store-key", .file { $0.credentials.storeKey = $1 }, unset: "in the file of --store-cert",
      on: .fetching, .credentials,
      help: "the key of that certificate",
      details: "The private key of --store-cert (PEM), if it is not in the same file. It must not be encrypted."),
  ]
}

enum PictureFlags {
  /// Pictures in the terminal.
  static let all: [Flag] = [
    Flag(
      .picture, "picture", .choice("HOW", Choices.Picture.self) { $0.show.picture = $1 }, default: "auto", on: .show,
      .picture,
      help: "auto, kitty, iterm, sixel or blocks",
      details: """
        How pictures are drawn. kitty: by kitty's graphics protocol. iterm: as iTerm2 takes images. sixel: as sixels, in 240 \
        colours. blocks: as half blocks of text, in 24 bits of colour where COLORTERM or TERM says so, else in 256 colours. \
        auto: if standard output is a terminal, it is asked what it can show, for 200 ms at most; what does not answer, and tmux \
        and screen, get half blocks. If standard output is no terminal, auto is exit code 2.
        """,
      example: "imgfetch show --picture blocks https://example.org/cat.jpg | less -R"),
    Flag(
      .size, "size", .value("COLSxROWS", Values.cells) { $0.show.size = $1 },
      unset: "the window's width and two thirds of its height", on: .show, .picture,
      help: "the most room of a picture, in cells",
      details:
        "The most columns and rows that a picture takes. It keeps its shape, and small images are not enlarged."),
    Flag(
      .still, "still", .toggle { $0.show.isStill = $1 }, on: .show, .picture,
      help: "show only the first picture of an animation",
      details: """
        Shows the first picture of an animation. Otherwise it plays once at a terminal, and stays at its last picture. \
        What is no terminal always gets the first.
        """),
    Flag(
      .preview, "preview", .toggle { $0.report.showsPreview = $1 }, on: .get, .picture,
      help: "show what is coming above the progress bars",
      details: """
        Shows the picture that has been coming longest above the progress bars, as far as it has come, in half blocks and at \
        most eight lines. It is gone at the end. Only where there are bars.
        """),
  ]
}
