import ImgfetchCore

enum CacheFlags {
  /// The cache policy, the caches, the ages and the keys.
  static let all: [Flag] = [
    Flag(
      .cache, "cache", .choice("POLICY", CachePolicy.self) { $0.fetch.policy = $1 }, default: "age",
      on: [.asking, .cacheInfo], .cache,
      help: "age, http, refresh, reload, only, memory, off",
      details: """
        Sets which caches are read, and when the origin is asked. age: an image is served from memory or disk up to \
        --max-age; then its origin is asked, and sends it only if it has changed. http: as HTTP's rules have it (RFC \
        9111), for a private cache. refresh: the origin is always asked, and sends only what has changed. reload: \
        everything is downloaded again, and stored. only: the origin is never asked. memory: nothing is read from disk \
        or stored there. off: nothing is cached. See imgfetch-caching(7).
        """,
      example: "imgfetch get --cache refresh https://example.org/cat.jpg"),
    Flag(
      .offline, "offline", .shorthand(for: .cache, value: "only"), on: .asking, .cache,
      help: "the same as --cache only",
      details: """
        Serves from the cache only: an image that is not there fails with exit code 6. The same as --cache only.
        """,
      example: "imgfetch get --offline https://example.org/cat.jpg"),
    Flag(
      .cacheDir, "cache-dir", .folder { $0.fetcher.cacheFolder = $1 }, unset: "$XDG_CACHE_HOME/imgfetch",
      on: [.asking, .cache], .cache,
      help: "folder of the disk cache",
      details: """
        Keeps the disk cache in DIR. By default it is $XDG_CACHE_HOME/imgfetch, or ~/.cache/imgfetch if that variable \
        is not set. If HOME is not set either, there is no disk cache, and a warning is printed.
        """),
    Flag(
      .namespace, "namespace", .value("NAME", Values.namespace) { $0.fetcher.namespace = $1 }, default: "default",
      on: [.asking, .cache], .cache,
      help: "a separate cache in the same folder",
      details: """
        Uses a cache of its own in the same folder: each namespace is measured, cleaned and cleared separately. A name \
        has 1 to 64 letters, digits, dots, dashes and underscores, and does not begin with a dot.
        """),
    Flag(
      .readOnlyCache, "read-only-cache", .folder { $0.fetcher.readOnlyCaches.append($1) }, unset: "none",
      repeatable: true, on: [.fetching, .cacheInfo], .cache,
      help: "also look in DIR, but never write there",
      details: """
        Looks for images in DIR, too, after the cache itself, and never writes there. Use it for a cache that was \
        filled in advance, on a shared disk or in a container image. Several are used in the given order.
        """),
    Flag(
      .memoryLimit, "memory-limit", .value("SIZE", Values.size) { $0.fetcher.memoryLimit = $1 }, default: "8M",
      on: .fetching, .cache,
      help: "size of the memory cache",
      details: """
        Sets how much this run keeps in memory, for lines that name an image again. The least recently used images are \
        dropped first, and one that takes more than a quarter of this is not kept. Less is used while the system is \
        short of memory. 0 keeps nothing.
        """),
    Flag(
      .memoryCount, "memory-count", .value("N", Values.count(0...1_000_000_000)) { $0.fetcher.memoryCount = $1 },
      unset: "any number",
      on: .fetching, .cache,
      help: "number of images in memory",
      details: "Sets how many images this run keeps in memory at most. The least recently used are dropped first."),
    Flag(
      .maxAge, "max-age", .value("TIME", Values.seconds) { $0.fetch.ageLimit = $1 }, default: "7d",
      on: [.fetching, .cacheClean, .cacheInfo], .cache,
      help: "maximum age of a cached image",
      details: """
        Serves a cached image up to this age without asking the origin (with --cache age). By default a server may \
        shorten the age, by no-cache, no-store, max-age or Expires. A time that is given holds even against servers. \
        cache clean removes images that are older and were not used for as long.
        """,
      example: "imgfetch get --max-age 1h https://example.org/webcam.jpg"),
    Flag(
      .maxSize, "max-size", .value("SIZE", Values.size) { $0.cache.maxSize = $1 }, default: "5G",
      on: [.fetching, .cacheClean], .cache,
      help: "maximum size of the disk cache",
      details: """
        Limits the size of the disk cache. If it is larger at the end of a run, the least recently used images are \
        removed until it has half of this size. 0 is no limit.
        """),
    Flag(
      .keyIgnoreQuery, "key-ignore-query", .toggle { $0.cache.keys.ignoreQuery = $1 }, on: [.asking, .keyed], .cache,
      help: "ignore the query in the cache key",
      details: """
        Leaves the query out of the cache key, so that URLs that differ only there share one entry. Use it for signed \
        URLs whose query changes with every page.
        """),
    Flag(
      .keyIgnoreParam, "key-ignore-param", .value("NAME", Values.text) { $0.cache.keys.ignoredParameters.append($1) },
      unset: "none", repeatable: true, on: [.asking, .keyed], .cache,
      help: "ignore this parameter in the cache key",
      details: """
        Leaves this parameter of the query out of the cache key, so that URLs that differ only there share one entry.
        """,
      example: "imgfetch get --key-ignore-param token --key-ignore-param expires -i list.txt"),
    Flag(
      .keyIgnoreHeader, "key-ignore-header",
      .value("NAME", Values.ignorableHeader) { $0.fetch.keyIgnoredHeaders.append($1) }, unset: "none",
      repeatable: true, on: .fetching, .cache,
      help: "ignore this request field in the cache key",
      details: """
        Leaves this field of -H out of the cache key, so that requests that differ only there share one entry. By \
        default each value has entries of its own, except for harmless fields such as Accept and User-Agent; \
        imgfetch-caching(7) lists them. Authorization, Proxy-Authorization and Cookie are never left out.
        """,
      example: "imgfetch get --key-ignore-header X-Trace -H 'X-Trace: 17' -i list.txt"),
    Flag(
      .cacheKey, "cache-key", .value("KEY", Values.text) { $0.cache.keys.key = $1 }, unset: "the URL",
      on: [.answering, .keyed], from: .commandLine, .cache, excludes: [.input],
      help: "the cache key of the one URL",
      details: """
        Caches the image of a single URL under KEY instead of that URL. imgfetch cache list prints the key behind a \
        bar; imgfetch cache info, path, list and remove take it with or without that.
        """),
    Flag(
      .retryFailed, "retry-failed", .toggle { $0.fetch.retriesFailed = $1 }, on: .fetching, .cache,
      help: "retry URLs that failed earlier in this run",
      details: """
        Requests a URL again even if it failed for good earlier in this run, or in an earlier one under --skip-failed. \
        By default it fails again without a request.
        """),
    Flag(
      .skipFailed, "skip-failed",
      .value("TIME", Values.timeLimit) { $0.fetch.skipsFailedFor = $1.map { .lasting($0) } }, unset: "off",
      on: .fetching, .cache,
      help: "for TIME, skip URLs that failed for good",
      details: """
        Does not request URLs again for TIME, in any run that uses this cache, after they answered 404 or 410, or with \
        something other than an image.
        """,
      example: "imgfetch get --skip-failed 1d -i list.txt"),
    Flag(
      .stale, "stale", .toggle { $0.fetch.servesStale = $1 }, default: "true", on: .fetching, .cache,
      help: "fail if an old image cannot be revalidated",
      details: """
        Makes it a failure if a cached image cannot be revalidated, because its origin cannot be reached or answers \
        5xx. By default the cached image is served, marked as stale, with a warning.
        """),
    Flag(
      .autoClean, "auto-clean", .toggle { $0.cache.autoClean = $1 }, default: "true", on: .fetching, .cache,
      help: "do not clean the cache after a run",
      details: """
        Does not clean the cache after the run. By default a run does so after its last result, if the cache is over \
        --max-size or was not cleaned for a day. That takes a tenth of a second at most, unless the cache has twice \
        its size.
        """),
    Flag(
      .cacheDerived, "cache-derived", .toggle { $0.fetch.cachesDerived = $1 }, on: .writing, .cache,
      help: "cache transformed images, too",
      details: """
        Caches the results of transforms, too, so that later runs need not decode the image again. A result is served \
        only while the image itself would be, with the same bytes, and is removed with it. By default the cache keeps \
        only what the origin sent.
        """),
    Flag(
      .remoteCache, "remote-cache", .value("URL", Values.store) { $0.remoteCache.address = $1 }, unset: "none",
      on: .fetching, .cache, secret: .url,
      help: "a cache that several machines share",
      details: """
        Looks for images in a cache that several machines share, before asking their origins, and puts there what the \
        origins sent. URL is that of a web server that takes PUT, such as nginx with its dav module, or \
        s3://BUCKET/PREFIX. Images that were requested with credentials, and answers that say private or no-store, are \
        not shared. A remote cache that fails costs one warning, and is left alone for the rest of the run. With \
        --cache reload images are only put there, and with only it is not used. See imgfetch-remote(7).
        """,
      example: "imgfetch get --remote-cache https://cache.example.org/images -i list.txt"),
    Flag(
      .remoteCacheMode, "remote-cache-mode",
      .choice("MODE", RemoteCacheSettings.Mode.self) { $0.remoteCache.mode = $1 },
      default: "both", on: .fetching, .cache,
      help: "both, read or write",
      details: """
        Sets how the remote cache is used. both: images are looked for there, and put there. read: they are only \
        looked for. write: they are only put there.
        """),
    Flag(
      .remoteCacheTimeout, "remote-cache-timeout", .value("TIME", Values.seconds) { $0.remoteCache.timeout = $1 },
      default: "2s", on: .fetching, .cache,
      help: "time for one answer of the remote cache",
      details: """
        Sets the time within which the remote cache has to send an image. After that the origin is asked, and the \
        remote cache is left alone for the rest of the run. A connection to it may take a quarter of the time.
        """),
    Flag(
      .remoteCacheWait, "remote-cache-wait", .value("TIME", Values.seconds) { $0.remoteCache.wait = $1 }, default: "2s",
      on: .fetching, .cache,
      help: "time for uploads at the end of a run",
      details: "Sets how long the end of a run waits for images that are still being put into the remote cache."),
  ]
}
