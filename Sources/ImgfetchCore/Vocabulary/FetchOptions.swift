/// The options of one request. The defaults suit a person at a terminal.
public struct FetchOptions: Hashable, Sendable {
  /// The use of the caches: ``CachePolicy/age`` by default.
  public var policy: CachePolicy = .age
  /// The age, since it was stored or last revalidated, up to which an image is served without asking the origin, under
  /// ``CachePolicy/age``. The default is a week, as in the image libraries of apps.
  ///
  /// The server's own limit counts if it is shorter (``believesServers``).
  public var maximumAge: Duration {
    get { .lasting(ageLimit) }
    set { ageLimit = newValue.inSeconds }
  }
  /// The same in seconds, the form that look-ups need.
  package var ageLimit: Double = 7 * 24 * 3600
  /// True, the default, if the server may shorten ``maximumAge``: `no-cache` and `no-store` to nothing, `max-age` and
  /// `Expires` to their time. An answer that this fetcher has received itself stays fresh for a minute at least. With
  /// false, ``maximumAge`` holds whatever the server says.
  public var believesServers = true
  /// The seconds for which an answer that this fetcher has received itself stays fresh, whatever ``maximumAge`` is.
  package var leastAge: Double = 0
  /// True, the default, if a stored image that is too old is served when the origin cannot be reached or answers 5xx.
  public var servesStale = true
  /// The thoroughness of verification: ``Verification/structure`` by default.
  public var verification: Verification = .structure
  /// The limit on the pixels of each frame, or of all frames together if they are decoded: 256 Mi by default. A larger
  /// image is refused before memory is allocated for it.
  public var maximumPixels: Int64 = InspectionLimits.usualPixels
  /// The limit on bytes of a body, counted as they arrive: 256 MiB by default.
  public var maximumBytes: Int64 = 256 << 20
  /// The statuses that count as answers: 200 to 299 by default. Others are failures.
  public var acceptedStatuses = StatusSet.success
  /// The limit on redirects: 10 by default.
  public var maximumRedirects = 10
  /// True if a redirect from https to http is followed. The default is false. Answers are cached apart from
  /// those to other requests.
  public var allowsDowngrade = false
  /// The formats that servers are asked for by `Accept`, the best first. The default, none, means no preference, which
  /// gives the original. Any format that comes is accepted. Answers are cached apart from those to other requests.
  public var acceptedFormats: [ImageFormat] = []
  /// Further request fields, name and value, in order. A nil value removes a field that would be sent by
  /// default. None, by default.
  ///
  /// An image is kept apart for each value of a field, since the answer may depend on it, or be for one user alone. The
  /// fields that change nothing are Accept, Accept-Language, User-Agent, Referer, Cache-Control, Pragma, From, DNT,
  /// Priority, `traceparent`, `tracestate`, `baggage`, `X-Request-ID` and `X-Correlation-ID`; others can be named in
  /// ``keyIgnoredHeaders``. Under ``CachePolicy/http`` credentials keep images apart, and Vary decides about the rest.
  /// The same holds for fields that ``FetchHooks/prepare`` adds.
  public var headers: [(name: String, value: String?)] {
    get { fields.all }
    _modify { yield &fields.all }
  }
  /// The details of the image to report that need a decoder: fingerprints of its pixels, and its Exif. They are kept in
  /// the cache, and computed once. By default there are none.
  public var details = ImageDetailSet()
  /// The images that are accepted. By default, any image is.
  public var filter = ImageFilter()
  /// True if a URL that failed for good is requested again within
  /// ``Fetcher/Configuration/failureAge``. The default is false.
  public var retriesFailed = false
  /// The time after a 404, a 410 or a body that is not an image for which a URL is not requested again by any process
  /// that uses the same cache. The default, nil, means that such failures are not noted.
  public var skipsFailedFor: Duration?
  /// The parts of a URL that its cache key ignores. None, by default.
  public var keyFilter = KeyFilter()
  /// Names of request fields, in any case, whose values do not keep images apart: see ``headers``. Authorization,
  /// Proxy-Authorization and Cookie always do. The default is none.
  public var keyIgnoredHeaders: [String] = []
  /// Glob patterns of the hosts that may be asked. If there are none, as by default, all may be.
  public var allowedHosts: [String] = []
  /// Glob patterns of the hosts that may not be asked, none by default. They override ``allowedHosts``. An invalid
  /// pattern refuses all hosts.
  public var deniedHosts: [String] = []
  /// True if connections are made to globally reachable addresses only. The default is false. This cannot be enforced
  /// through a proxy, which makes the connections itself.
  public var publicAddressesOnly = false
  /// True if an origin's robots.txt is requested first, and obeyed (RFC 9309). The file counts for as long as it says
  /// itself, a minute at least and a day at most. The default is false.
  public var obeysRobots = false
  /// Directives of `X-Robots-Tag`, in lower case, with which an answer is refused, from a cache too: `noai`,
  /// `noindex`. None, by default.
  public var refusedTags: [String] = []
  /// True if the result contains the SHA-256 of the delivered bytes. The default is false.
  public var reportsChecksum = false
  /// True if the result of ``FetchRequest/transform`` is kept on disk, too. The default is false: it is kept in memory.
  public var cachesDerived = false
  /// The use of the caches for the origin's rules, such as robots.txt, if not that for the answer itself: a page is not
  /// kept as an image, but the rules that it is requested under are.
  package var rulesPolicy: CachePolicy?
  /// True if the URL is in a page that came from a public address: it is followed like a redirect of that page.
  package var isNamedByPublicPage = false
  private var fields = Fields()

  /// Makes pairs hashable.
  private struct Fields: Hashable {
    var all: [(name: String, value: String?)] = []

    static func == (left: Fields, right: Fields) -> Bool { left.all.elementsEqual(right.all) { $0 == $1 } }

    func hash(into hasher: inout Hasher) {
      for field in all {
        hasher.combine(field.name)
        hasher.combine(field.value)
      }
    }
  }

  /// The defaults.
  public init() {}
}

extension FetchOptions {
  /// The names of ``keyIgnoredHeaders`` in lower case.
  var ignoredFields: Set<String> { keyIgnoredHeaders.isEmpty ? [] : Set(keyIgnoredHeaders.map { $0.lowercased() }) }

  /// A hash of everything that decides which answers are accepted. Valid within one process.
  ///
  /// The compiler includes every option in the hash, except for those that are reset here. So a new option cannot be
  /// forgotten, which would let unlike requests share a download.
  var signature: Int {
    var options = self
    // The key already contains its effect.
    options.keyFilter = .none
    options.keyIgnoredHeaders = []
    if policy != .http, !headers.isEmpty {
      // A field that distinguishes requests but not images: the first request's value is sent.
      let ignored = ignoredFields
      options.headers.removeAll { field in
        let nature = FieldNature.of(field.name)
        return nature.contains(.tracing)
          || (ignored.contains(field.name.lowercased()) && !nature.contains(.credential))
      }
    }
    // These only concern the use of the answer.
    options.reportsChecksum = false
    options.cachesDerived = false
    return options.hashValue
  }

  /// The signature of the same options without those that only decide whether an earlier failure counts.
  var failureSignature: Int {
    var options = self
    options.retriesFailed = false
    return options.signature
  }

  /// True if the request's own fields ask for a part of the body.
  var asksForPart: Bool { headers.contains { $0.value != nil && $0.name.lowercased() == "range" } }

  /// True if an incomplete body may be resumed. It may not if the request's own fields name a range, or a condition.
  var mayResume: Bool {
    !headers.contains { $0.value != nil && Self.isAboutBody($0.name) }
  }

  /// True if a request field names a part of one body, or a condition on it.
  private static func isAboutBody(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == "range" || name.hasPrefix("if-")
  }

  /// The options for a file in which an origin states its rules, such as robots.txt, on behalf of a request with these:
  /// those about the network and the requester, without all that is demanded of images.
  package var forOriginRules: FetchOptions {
    var options = self
    options.policy = Self.rulesPolicy(rulesPolicy ?? policy)
    options.rulesPolicy = nil
    options.obeysRobots = false
    options.verification = .none
    options.filter = ImageFilter()
    options.details = ImageDetailSet()
    options.refusedTags = []
    options.acceptedFormats = []
    options.acceptedStatuses = .success
    options.maximumBytes = Self.largestRules
    options.maximumRedirects = max(maximumRedirects, 5)
    options.reportsChecksum = false
    options.skipsFailedFor = nil
    // A key that is given is that of the image.
    options.keyFilter = .none
    options.headers.removeAll { Self.isAboutBody($0.name) }
    return options
  }

  private static func rulesPolicy(_ policy: CachePolicy) -> CachePolicy {
    switch policy {
    case .off, .memory: .memory
    case .only: .only
    case .age, .http, .refresh, .reload: .age
    }
  }

  /// The most bytes of such a file that are received as a whole, and kept.
  private static let largestRules: Int64 = 16 << 20
}
