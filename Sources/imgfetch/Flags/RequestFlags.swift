import ImgfetchCore

enum RequestFlags {
  /// Concurrency, time limits, retries, and the connection.
  static let network: [Flag] = [
    Flag(
      .jobs, "jobs", short: "j", .value("N", Values.count(1...10_000)) { $0.fetcher.jobs = $1 }, default: "100",
      on: .asking, .network,
      help: "maximum number of concurrent downloads",
      details: """
        Sets the maximum number of concurrent downloads in the whole run. With -j 1, images are downloaded one after \
        another. A download that waits for a retry or for another process does not count. Origins that have not \
        answered yet get at most half of them together, so that dead ones do not hold up the others.
        """,
      example: "imgfetch get -j 8 -i list.txt"),
    Flag(
      .perHost, "per-host", .value("N", Values.count(1...10_000)) { $0.fetcher.perHost = $1 },
      unset: "6, over HTTP/2 100", on: .asking, .network,
      help: "concurrent downloads from one origin",
      details: """
        Sets the maximum number of concurrent downloads from one origin. By default it is 6, and 100 once the origin \
        has answered over HTTP/2 in this run, over at most 6 connections. A given number applies to both.
        """),
    Flag(
      .order, "order",
      .choice("ORDER", Choices.Order.self) {
        $0.fetcher.isNewestFirst = $1 == .lifo
        $0.fetcher.keepsOrder = true
      }, unset: "fewest connections",
      on: .asking, .network,
      help: "which image starts next: fifo or lifo",
      details: """
        Sets which of the waiting images starts next, among those of one priority: fifo takes the oldest line, lifo \
        the newest. By default those start first that can use an open connection, then those of hosts that have none, \
        in the order of the lines, so that a list of many hosts takes one TLS handshake a host. -j 1 keeps the order \
        of the lines.
        """),
    Flag(
      .limitRate, "limit-rate", .value("SIZE", Values.size) { $0.fetcher.bytesPerSecond = $1 > 0 ? Int64($1) : nil },
      unset: "no limit", on: .asking, .network,
      help: "bytes a second for the whole run",
      details: "Limits the bytes a second that the whole run receives. 0 is no limit.",
      example: "imgfetch get --limit-rate 2M -i list.txt"),
    Flag(
      .rate, "rate", .value("N/s", Values.rate) { $0.fetcher.requestsPerSecond = $1.perSecond }, unset: "no limit",
      on: .asking, .network,
      help: "requests a second to one origin",
      details: "Limits the requests that are sent to one origin: 5/s, or 30/m and 600/h for slower rates.",
      example: "imgfetch get --rate 2/s -i list.txt"),
    Flag(
      .timeout, "timeout",
      .value("TIME", Values.timeLimit) { $0.fetcher.stallTimeout = .lasting($1 ?? Settings.forever) },
      default: "15s", on: .reaching, .network,
      help: "give up after this long without a byte",
      details: """
        Breaks off a download that receives nothing for this long, and retries it. Each header and each byte of the \
        body restarts the time. A run waits no longer than this for another process that downloads the same image, \
        after its part last grew. 0 is no limit.
        """),
    Flag(
      .leastSpeed, "least-speed", .value("SIZE", Values.size) { $0.fetcher.leastSpeed = Int64($1) }, default: "1K",
      on: .asking, .network,
      help: "least bytes a second of a download",
      details: """
        Sets the speed, in bytes a second, that a download must have, measured over ten seconds. A slower one gives \
        its place to another and continues beside the --jobs. After 30 further seconds it is broken off as a timeout, \
        and retried where it stopped. imgfetch-network(7) has the exceptions. 0 is no limit.
        """),
    Flag(
      .connectTimeout, "connect-timeout",
      .value("TIME", Values.timeLimit) { $0.fetcher.connectTimeout = .lasting($1 ?? Settings.forever) }, default: "10s",
      on: .reaching, .network,
      help: "time for name lookup, connection and TLS",
      details: """
        Sets the maximum time for the lookup of the host's name, the connection and its TLS handshake together. 0 is \
        no limit.
        """),
    Flag(
      .maxTime, "max-time", .value("TIME", Values.timeLimit) { $0.fetcher.maximumTime = $1.map { .lasting($0) } },
      unset: "no limit",
      on: .reaching, .network,
      help: "time for one image with all its retries",
      details: """
        Sets the maximum time for one image, including retries and redirects. It begins with the image's first \
        request, and not while it waits for its turn. 0 is no limit.
        """,
      example: "imgfetch get --max-time 1m -i list.txt"),
    Flag(
      .retry, "retry", .value("N", Values.count(0...100)) { $0.fetcher.retries = $1 }, default: "2", on: .reaching,
      .network,
      help: "retries after a transient failure",
      details: """
        Sets how often a failure that may pass is retried: a name that cannot be looked up for now, a refused or \
        broken connection, a timeout, a truncated body, and the statuses 408, 425, 429, 500, 502, 503 and 504. The \
        pauses grow from half a second to eight. A Retry-After of up to 60 seconds is obeyed; with a longer one the \
        image fails at once. imgfetch-network(7) says what happens to hosts that are down.
        """,
      example: "imgfetch get --retry 5 -i list.txt"),
    Flag(
      .outage, "outage", .value("TIME", Values.seconds) { $0.fetcher.outage = .lasting($1) }, default: "30s",
      on: .asking,
      .network,
      help: "time that a host which answered may be away",
      details: """
        Gives an origin that has answered in this run this time to come back, after three attempts in a row without an \
        answer. Attempts made meanwhile do not count against --retry, nor do its answers 502, 503 and 504. So a server \
        that restarts, or a laptop that changes networks, costs no image. With 0 such an origin gets three further \
        attempts, like one that has never answered.
        """,
      example: "imgfetch get --outage 5m -i list.txt"),
    Flag(
      .maxRedirects, "max-redirects", .value("N", Values.count(0...1_000)) { $0.fetch.maximumRedirects = $1 },
      default: "10", on: .asking, .network,
      help: "maximum number of redirects",
      details: """
        Sets how many redirects are followed. Rules about hosts and addresses, and credentials, are checked again at \
        each. A redirect from https to http (unless --allow-downgrade is given), or to another scheme, is refused with \
        exit code 8.
        """),
    Flag(
      .allowDowngrade, "allow-downgrade", .toggle { $0.fetch.allowsDowngrade = $1 }, on: .asking, .network,
      help: "follow redirects from https to http",
      details: """
        Follows redirects from https to http, after which anyone on the way can read and change what comes. Such \
        images are cached under separate keys, so that they are not served to other runs.
        """),
    Flag(
      .maxBytes, "max-bytes", .value("SIZE", Values.limit) { $0.fetch.maximumBytes = $1 }, default: "256M",
      on: [.fetching, .inspect], .network,
      help: "refuse images of more bytes (0: any)",
      details: """
        Refuses a larger body with exit code 5. Its bytes are counted as they arrive, whatever its Content-Length \
        says. 0 is no limit.
        """),
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
        Asks servers for these formats, the best first. Many servers convert an image to the best format that a \
        program accepts. By default the Accept field is image/*,*/*;q=0.8, which gives the original. Other formats are \
        still taken if they come; --only-format refuses them. An Accept field given with -H takes precedence. Such \
        images are cached under separate keys, except with --cache http.
        """,
      example: "imgfetch get --accept-formats avif,webp https://example.org/cat"),
    Flag(
      .acceptStatus, "accept-status", .value("LIST", Values.statuses) { $0.fetch.acceptedStatuses = $1 },
      default: "200-299", on: .fetching, .network,
      help: "statuses that are accepted",
      details: """
        Sets the statuses that are accepted, as numbers and ranges; any other is a failure. With 100-599, a 404 or a \
        redirect that is not followed is delivered like any other answer, if its body is an image.
        """,
      example: "imgfetch get --accept-status 200-299,404 https://example.org/cat.jpg"),
    Flag(
      .mirror, "mirror", .value("URL", Values.fetchable) { $0.mirrors.append($1) }, unset: "none", repeatable: true,
      on: [.answering, .show], from: .commandLine, .network, secret: .url, excludes: [.input],
      help: "another URL of the same image",
      details: """
        Names another URL of the same image, which is tried if the first one has no answer, an error status, no \
        image, a damaged one, or one with another checksum. It is for a single URL; in a list, use the field \
        mirror=URL. Mirrors are tried in the given order. The cache entry is that of the URL; with --cache http, each \
        mirror has its own.
        """),
    Flag(
      .resolve, "resolve", .value("H:P:ADDR", Values.address) { $0.fetcher.resolve.append($1.description) },
      unset: "none", repeatable: true, on: .reaching, .network,
      help: "use this address for HOST:PORT",
      details: """
        Connects to ADDR for HOST at PORT, without asking a name server: HOST:PORT:ADDR. An IPv6 address may be in \
        brackets. Such images are cached under separate keys.
        """,
      example: "imgfetch get --resolve example.org:443:127.0.0.1 https://example.org/cat.jpg"),
    Flag(
      .proxy, "proxy", .value("URL", Values.proxy) { $0.proxy = .url($1) }, unset: "the proxy variables", on: .reaching,
      .network, secret: .url,
      help: "use this proxy",
      details: """
        Sends all requests through this proxy: http, https, socks4, socks4a, socks5 or socks5h. By default the usual \
        variables http_proxy, https_proxy, all_proxy and no_proxy are used. --no-proxy ignores these, too.
        """),
    Flag(
      .http1, "http1.1", .toggle { $0.fetcher.usesHTTP1Only = $1 }, on: .asking, .network,
      help: "do not use HTTP/2",
      details: "Uses HTTP/1.1 only. By default, HTTP/2 is used over TLS if the origin offers it."),
    Flag(
      .ipv4, "ipv4", short: "4", .toggle { if $1 { $0.fetcher.addressFamily = 4 } }, on: .reaching, .network,
      replaces: [.ipv6],
      help: "use IPv4 addresses only",
      details: "Connects to IPv4 addresses only. Of -4 and -6 the last one counts."),
    Flag(
      .ipv6, "ipv6", short: "6", .toggle { if $1 { $0.fetcher.addressFamily = 6 } }, on: .reaching, .network,
      replaces: [.ipv4],
      help: "use IPv6 addresses only",
      details: "Connects to IPv6 addresses only. Of -4 and -6 the last one counts."),
  ]

  /// Credentials, request headers and trusted certificates.
  static let credentials: [Flag] = [
    Flag(
      .header, "header", short: "H",
      .value("FIELD", Values.header) { $0.fetch.headers.append((name: $1.name, value: $1.value)) }, unset: "none",
      repeatable: true, on: .asking, .credentials, secret: .headerValue,
      help: "send a header field, 'Name: value'",
      details: """
        Sends a header field with every request. 'Name:' removes a field that imgfetch sends by default, 'Name;' sends \
        it empty. Authorization and Cookie are sent to the origin of the run's first URL only. After a redirect to \
        another origin, only Accept, Accept-Language and User-Agent are sent there. Range and the If- fields require \
        --cache http or off.
        """,
      example: "imgfetch get -H 'Accept: image/png' https://example.org/cat"),
    Flag(
      .userAgent, "user-agent", short: "A", .value("TEXT", Values.line) { $0.fetcher.userAgent = $1 },
      unset: "imgfetch/VERSION", on: .asking, .credentials,
      help: "the User-Agent to send",
      details: """
        Sends TEXT as the User-Agent. By default it is imgfetch with its version, and --contact if that is given.
        """),
    Flag(
      .contact, "contact", .value("ADDRESS", Values.line) { $0.fetcher.contact = $1 }, unset: "none", on: .asking,
      .credentials,
      help: "tell sites who asks: an address or URL",
      details: """
        Tells the owners of sites how to reach you: an e-mail address or a URL. The User-Agent becomes \
        imgfetch/VERSION (ADDRESS). Many sites expect that of robots, and block those without it. A --user-agent replaces \
        it.
        """,
      example: "imgfetch get --contact photos@example.org -i list.txt"),
    Flag(
      .referer, "referer",
      .value("URL", Values.referer) { settings, url in
        // Two of them would be no field at all. As with --user-agent, the one of -H counts.
        if settings.fetch.headers.contains(where: { $0.name.lowercased() == "referer" }) { return }
        settings.fetch.headers.append((name: "Referer", value: url))
      },
      unset: "none", on: .asking, .credentials, secret: .url,
      help: "the Referer to send",
      details: """
        Sends URL as the Referer, without the name, password and fragment in it, as browsers do. It is not sent to \
        other origins after a redirect.
        """),
    Flag(
      .user, "user", short: "u", .value("NAME[:PW]", Values.user) { $0.credentials.user = $1 }, unset: "none",
      on: .asking, .credentials, secret: .password, excludes: [.bearerFile],
      help: "name and password (asked for if missing)",
      details: """
        Sends a name and password to the origin of the run's first URL and no other: as Basic with the first request, \
        and as Digest if the origin demands that. A missing password is asked for at the terminal, which keeps it out \
        of the process list.
        """),
    Flag(
      .netrc, "netrc", .toggle { $0.credentials.usesNetrc = $1 }, on: .reaching, .credentials,
      help: "read names and passwords from ~/.netrc",
      details: "Reads names and passwords from ~/.netrc. Each is sent to its host only."),
    Flag(
      .bearerFile, "bearer-file", .file { $0.credentials.bearerFile = $1 }, unset: "none", on: .asking, .credentials,
      help: "send the token in FILE",
      details: """
        Sends Authorization: Bearer with the first line of FILE, to the origin of the run's first URL and no other. \
        The token is read from a file because every user of the machine can see the arguments of a process.
        """),
    Flag(
      .cookie, "cookie", .value("NAME=VALUE", Values.cookie) { $0.fetcher.identity.cookies.append($1) }, unset: "none",
      repeatable: true, on: .asking, .credentials, secret: .cookieValue,
      help: "send a cookie",
      details: """
        Sends this cookie to the origin of the run's first URL and no other. The value may contain several cookies, as \
        in 'a=1; b=2'.
        """),
    Flag(
      .cookieJar, "cookie-jar", .file { $0.credentials.cookieJar = $1 }, unset: "none", on: .asking, .credentials,
      help: "read cookies from FILE and save them there",
      details: """
        Reads cookies from FILE, in the format of Netscape and curl, and saves them there at the end of the run. A \
        host can set cookies for itself and the hosts below it. One that it sets for a domain above it is kept for the \
        host alone, unless FILE has such a cookie of that domain.
        """),
    Flag(
      .cacert, "cacert", .file { $0.fetcher.certificates = $1 }, unset: "the system's", on: .reaching, .credentials,
      help: "trust the certificates in FILE",
      details: """
        Trusts the certificate authorities in FILE (PEM) instead of the system's, for servers and for a proxy that is \
        reached over https.
        """),
    Flag(
      .cert, "cert", .file { $0.credentials.certificate = $1 }, unset: "none", on: .asking, .credentials,
      help: "show the client certificate in FILE",
      details: """
        Presents the client certificate in FILE (PEM) to the origin of the run's first URL and no other, over https. \
        Such images are cached under separate keys. --store-cert is for stores.
        """,
      example: "imgfetch get --cert me.pem --key me.key https://example.org/cat.jpg"),
    Flag(
      .key, "key", .file { $0.credentials.certificateKey = $1 }, unset: "in the file of --cert", on: .asking,
      .credentials,
      help: "the key of that certificate",
      details: """
        Reads the private key of --cert from FILE (PEM), if it is not in the same file. It must not be encrypted.
        """),
    Flag(
      .insecure, "insecure", short: "k", .toggle { $0.fetcher.isInsecure = $1 }, on: .asking, .credentials,
      excludes: [.cacert],
      help: "do not check certificates",
      details: """
        Does not check the certificates of servers; that of a proxy is checked. Such images are cached under separate \
        keys, so that they are not served to other runs.
        """),
    Flag(
      .storeBearerFile, "store-bearer-file", .file { $0.credentials.storeBearerFile = $1 }, unset: "none",
      on: .storing,
      .credentials,
      help: "send the token in FILE to stores",
      details: """
        Sends Authorization: Bearer with the first line of FILE to the user's own stores, and to no origin of images: \
        the web server of --remote-cache, that of an --output-dir that is a URL, and a list of --input on the same \
        origin. User info in their URLs, and the account of a bucket, take precedence.
        """),
    Flag(
      .storeCert, "store-cert", .file { $0.credentials.storeCertificate = $1 }, unset: "none", on: .storing,
      .credentials,
      help: "show the certificate in FILE to stores",
      details: """
        Presents the client certificate in FILE (PEM) to the stores of --store-bearer-file, over https. Origins of \
        images do not get it.
        """),
    Flag(
      .storeKey, "store-key", .file { $0.credentials.storeKey = $1 }, unset: "in the file of --store-cert",
      on: .storing, .credentials,
      help: "the key of that certificate",
      details: """
        Reads the private key of --store-cert from FILE (PEM), if it is not in the same file. It must not be \
        encrypted.
        """),
  ]
}
