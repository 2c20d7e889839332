import ImgfetchCore

enum CacheFlags {
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
}
