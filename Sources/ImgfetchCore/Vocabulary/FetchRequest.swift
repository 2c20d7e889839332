/// A request for one image.
public struct FetchRequest: Sendable {
  /// The order in which waiting requests are started.
  public enum Priority: Int, Comparable, Sendable {
    /// The request is started after all others.
    case low = -1
    /// The request is started in the order of submission.
    case normal = 0
    /// The request is started before all others.
    case high = 1

    /// Compares two priorities: a lower one is less.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
  }

  /// The URL of the image.
  public var url: WebURL
  /// A number of the caller's choice. It is returned with the answer.
  public var tag: Int
  /// The options for fetching it.
  public var options: FetchOptions {
    // Yielded and not copied: many callers look at one or two options.
    _read { yield shared.values }
    set { shared = SharedOptions(newValue, for: shared.purpose, distrustsCaches: shared.distrustsCaches) }
  }
  /// The purpose of the request: ``RequestPurpose/image`` by default.
  package var purpose: RequestPurpose {
    _read { yield shared.purpose }
    set { shared = SharedOptions(shared.values, for: newValue, distrustsCaches: shared.distrustsCaches) }
  }
  /// The rank among requests that wait to start: ``Priority/normal`` by default. A download has the highest
  /// priority among its waiters.
  public var priority: Priority = .normal
  /// The time that this request may take in all. The default, nil, means as long as the fetcher's limits allow. After
  /// that it fails with ``FetchError/Kind/timeout``, and a download that others wait for continues. An answer from a
  /// cache is given all the same.
  public var timeLimit: Duration?
  /// The SHA-256 that the bytes must have. The default, nil, means any.
  public var sha256: [UInt8]?
  /// The MD5 that the bytes must have, for tables that have no better checksum. The default, nil, means any.
  public var md5: [UInt8]?
  /// Other URLs of the same image, tried in order if this one fails. None, by default.
  public var mirrors: [WebURL] = []
  /// The receiver of the image. With the default, nil, the image is only cached, or returned to the caller.
  public var sink: (any ImageSink)?
  /// True if the sink is a ``DeferringSink``. It is stated here because the first check whether a type conforms to a
  /// protocol takes a tenth of a hit.
  package var defersDelivery = false
  /// Called for each event of the download that this request started or joined, on the fetcher's threads; must not
  /// block. Nil by default.
  public var onEvent: (@Sendable (FetchEvent) -> Void)?
  /// The change to the image before it is delivered. With nil it is delivered as it was fetched.
  package var derivation: (any Derivation)?
  /// Watches the image while it is downloaded.
  package var watcher: (any BodyWatcher)?
  /// The options and the purpose, shared by all copies of a request.
  package private(set) var shared: SharedOptions

  /// Creates a request for the image at `url`.
  public init(_ url: WebURL, tag: Int = 0, options: FetchOptions = FetchOptions(), sink: (any ImageSink)? = nil) {
    self.init(url, tag: tag, shared: SharedOptions(options), sink: sink)
  }

  /// Creates a request for something else than an image.
  package init(
    _ url: WebURL, options: FetchOptions, for purpose: RequestPurpose, sink: (any ImageSink)? = nil
  ) {
    self.init(url, tag: 0, shared: SharedOptions(options, for: purpose), sink: sink)
  }

  /// Creates one of many requests with the same options.
  package init(_ url: WebURL, tag: Int, shared: SharedOptions, sink: (any ImageSink)? = nil) {
    self.url = url
    self.tag = tag
    self.shared = shared
    self.sink = sink
  }
}

extension FetchRequest {
  @usableFromInline
  func delivered(to sink: any ImageSink) -> FetchRequest {
    var request = self
    request.sink = sink
    return request
  }

  /// Creates a request for the image at a URL that is given as text. Throws
  /// ``FetchError/Kind/refused`` if it is not one.
  public init(
    url text: String, tag: Int = 0, options: FetchOptions = FetchOptions(), sink: (any ImageSink)? = nil
  ) throws(FetchError) {
    let url: WebURL
    do { url = try WebURL(text) } catch { throw FetchError(.refused, WebURL.masked(text), error.description) }
    self.init(url, tag: tag, options: options, sink: sink)
  }

  /// The same request, for an answer from the origin, whatever is stored.
  var distrustingCaches: FetchRequest {
    var request = self
    request.shared = SharedOptions(shared.values, for: shared.purpose, distrustsCaches: true)
    return request
  }

  /// True if nothing in the request identifies the user.
  var isAnonymous: Bool { options.headers.isEmpty && !hasOwnCredentials }

  /// True if the answer is the same for every user.
  var isUsual: Bool { isAnonymous && options.acceptedFormats.isEmpty && !options.allowsDowngrade }

  /// True if one of the URLs contains credentials.
  var hasOwnCredentials: Bool {
    url.user != nil || url.account != nil || mirrors.contains { $0.user != nil || $0.account != nil }
  }
}
