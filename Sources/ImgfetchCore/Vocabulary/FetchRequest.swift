/// One image that somebody asks for.
public struct FetchRequest: Sendable {
  /// When it is begun, compared with others that wait.
  public enum Priority: Int, Comparable, Sendable {
    /// After all others.
    case low = -1
    /// In its turn.
    case normal = 0
    /// Before all others.
    case high = 1

    /// Later before sooner.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
  }

  /// Which image.
  public var url: WebURL
  /// A number of the asker's own, which comes back with the answer.
  public var tag: Int
  /// How it is to be had.
  public var options: FetchOptions {
    get { shared.values }
    set { shared = SharedOptions(newValue) }
  }
  /// Its turn.
  public var priority: Priority = .normal
  /// The SHA-256 that its bytes must have, if that is known.
  public var sha256: [UInt8]?
  /// Other URLs that have the same image, asked in order when this one fails.
  public var mirrors: [WebURL] = []
  /// Where the image goes; nil: into the caches only.
  public var sink: (any ImageSink)?
  /// What is made of the image before it goes there; nil: it goes as it came.
  package var derivation: (any Derivation)?
  /// The options, one for all requests that are copies of one.
  package private(set) var shared: SharedOptions

  /// A request for the image at `url`.
  public init(_ url: WebURL, tag: Int = 0, options: FetchOptions = FetchOptions(), sink: (any ImageSink)? = nil) {
    self.init(url, tag: tag, shared: SharedOptions(options), sink: sink)
  }

  /// One of many requests with the same options.
  package init(_ url: WebURL, tag: Int, shared: SharedOptions, sink: (any ImageSink)? = nil) {
    self.url = url
    self.tag = tag
    self.shared = shared
    self.sink = sink
  }
}
