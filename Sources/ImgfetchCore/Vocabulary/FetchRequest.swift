/// A request for one image.
public struct FetchRequest: Sendable {
  /// The order in which waiting requests are started.
  public enum Priority: Int, Comparable, Sendable {
    /// After all others.
    case low = -1
    /// In the order of submission.
    case normal = 0
    /// Before all others.
    case high = 1

    /// A lower priority is less.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
  }

  /// Which image.
  public var url: WebURL
  /// A number of the caller's choice. It is returned with the answer.
  public var tag: Int
  /// How it is fetched.
  public var options: FetchOptions {
    get { shared.values }
    set { shared = SharedOptions(newValue) }
  }
  /// When it is started, compared with others.
  public var priority: Priority = .normal
  /// The SHA-256 that the bytes must have; nil: any.
  public var sha256: [UInt8]?
  /// Other URLs of the same image. They are tried in order if this one fails.
  public var mirrors: [WebURL] = []
  /// Where the image is delivered; nil: it is only cached.
  public var sink: (any ImageSink)?
  /// Whether the sink is a ``DeferringSink``. Told here, since the first look whether a type conforms to a protocol takes a tenth of a hit.
  package var defersDelivery = false
  /// Called for each event of the download that this request started or joined, on the fetcher's threads; must not block.
  public var onEvent: (@Sendable (FetchEvent) -> Void)?
  /// What is made from the image before it is delivered; nil: it is delivered as it was fetched.
  package var derivation: (any Derivation)?
  /// Watches the body while it is downloaded, if this request starts the download.
  package var watcher: (any BodyWatcher)?
  /// The options, shared by all copies of a request.
  package private(set) var shared: SharedOptions

  /// Creates a request for the image at `url`.
  public init(_ url: WebURL, tag: Int = 0, options: FetchOptions = FetchOptions(), sink: (any ImageSink)? = nil) {
    self.init(url, tag: tag, shared: SharedOptions(options), sink: sink)
  }

  /// Creates one of many requests with the same options.
  package init(_ url: WebURL, tag: Int, shared: SharedOptions, sink: (any ImageSink)? = nil) {
    self.url = url
    self.tag = tag
    self.shared = shared
    self.sink = sink
  }
}
