/// imgfetch-caching(7): the caches, the moments at which an origin is asked, and the keys.
enum CachingPage {
  static func text() -> String {
    Manual.head(.caching, "how imgfetch caches images")
      + Roff.paragraphs(prose)
      + Manual.optionsExplained(on: .caching)
      + Manual.examples([
        ("Revalidate every image of a list, from cron:", "imgfetch get -q --cache refresh -d pictures -i list.txt"),
        ("The reason for each decision about the cache:", "imgfetch get -v https://example.org/cat.jpg 2>&1"),
        ("All that is known of a cached image:", "imgfetch cache info https://example.org/cat.jpg"),
      ])
      + Manual.seeAlso([
        ("imgfetch-cache", 1), ("imgfetch-get", 1), ("imgfetch-network", 7), ("imgfetch-remote", 7),
      ])
  }

  private static let prose = """
    An image is looked for in memory, in the cache on disk, in read-only caches (--read-only-cache), in the \
    remote cache (--remote-cache), and then at its origin. The word in the first column of a row says which of \
    them answered: memory, disk, remote, or none for the origin.

    The cache on disk is a folder that any number of runs use at the same time, without a daemon. If two of them \
    want one image, one downloads it, and the other waits and gets the same answer, marked +. A download that is \
    interrupted leaves its part, and the next run that wants the image requests the rest.

    # POLICIES
    --cache POLICY decides which caches are read, and when the origin is asked:
    * Cm "age" | The default. An image younger than its age limit is served from memory or disk. An older one is \
    revalidated by a conditional request: the origin answers 304 if it has not changed.
    * Cm "http" | HTTP's own rules (RFC 9111), as a private cache: an image is served while it is fresh, and only what \
    may be stored is stored.
    * Cm "refresh" | Each image is revalidated, once in a run.
    * Cm "reload" | Each image is downloaded anew, once in a run, and stored.
    * Cm "only" | The origin is never asked. The same as --offline.
    * Cm "memory" | Only this run's memory is used. Nothing is read from disk or stored there.
    * Cm "off" | No cache is read or written.

    The demands of a run hold for cached images, too: --verify, limits, filters, checksums and --accept-status \
    are checked on each.

    # AGE
    With --cache age the limit is --max-age (7d), or less if the server says so: no-cache and no-store are \
    revalidated in each run, max-age and Expires shorten the limit. If --max-age is given, on the command line, \
    in the environment or in the configuration file, it holds even against the server. An image that this run \
    has received itself is not asked about again for at least a minute.

    If an old image cannot be revalidated, because the origin cannot be reached or answers 5xx, it is served all \
    the same, marked ! for stale, with a warning. --no-stale makes that a failure.

    # FAILURES
    A 404 or 410, or a body that is no image, marks the cached image as gone. Until the origin has the image \
    again, each run asks and reports the failure, nothing stale is served, and --offline serves the image marked \
    as stale.

    A URL that failed for good is requested once in a run, even if the list names it several times: see \
    --retry-failed and --skip-failed.

    # KEYS
    The key of an image is its canonical URL: scheme and host in lower case, without default port, fragment and \
    user info, with dot segments resolved and percent escapes normalised. --key-ignore-query and \
    --key-ignore-param leave out parts of the query, for signed URLs. --cache-key replaces the key of one URL.

    The requester is part of the key as a keyed hash. Images that were requested with different credentials, \
    cookies, client certificates, --insecure, --resolve, --accept-formats or --allow-downgrade are kept apart. \
    So are those with different values of a header field (-H), except Accept, Accept-Language, User-Agent, \
    Referer, Cache-Control, Pragma, From, DNT, Priority, traceparent, tracestate, baggage, X-Request-ID, \
    X-Correlation-ID and those of --key-ignore-header. With --cache http only credentials have keys of their \
    own, and Vary decides about all other fields.

    # SIZE
    --max-size (5G) limits the cache on disk. A run that ends with a larger cache, or one that was not cleaned \
    for a day, cleans it: first images that are older than --max-age and were not used for as long, then the \
    least recently used until half of --max-size is left. That takes at most a tenth of a second, unless the \
    cache has twice its size. imgfetch cache clean does the same at once.
    """
}
