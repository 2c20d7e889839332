/// What one request asks for beyond its URL. All have defaults that suit a person at a terminal.
public struct FetchOptions: Hashable, Sendable {
  /// Which caches are read and written.
  public var policy: CachePolicy = .age
  /// Under ``CachePolicy/age``: how old (in seconds, since it was stored or last revalidated) an image may be without the
  /// origin being asked. A week: what apps' image libraries found right.
  public var maximumAge: Double = 7 * 24 * 3600
  /// Whether a stored image that is too old is served when the origin cannot be reached or answers 5xx.
  public var servesStale = true
  /// How closely bytes are looked at before they are believed.
  public var verification: Verification = .structure
  /// Pixels times frames at most; beyond it an image is refused before anything is allocated for it.
  public var maximumPixels: Int64 = 256 << 20
  /// Bytes of a body at most, counted as they come.
  public var maximumBytes: Int64 = 256 << 20
  /// Which statuses are answers; others are failures.
  public var acceptedStatuses = StatusSet.success
  /// How many redirects are followed.
  public var maximumRedirects = 10
  /// Further request fields, name and value, in order. One without a value is left away where it would be sent by itself.
  public var headers: [(name: String, value: String?)] {
    get { fields.all }
    _modify { yield &fields.all }
  }
  /// What must be true of the image besides being one.
  public var filter = ImageFilter()
  /// Whether a URL that failed for good is asked again in this run.
  public var retriesFailed = false
  /// For so many seconds after it was found gone (404, 410) or no image, a URL is not asked for again by any run that uses
  /// the same cache; nil: such failures are not noted.
  public var skipsFailedFor: Double?
  /// Which parts of a URL its cache key passes over.
  public var keyFilter = KeyFilter()
  /// Hosts that may be asked (glob patterns; none: all).
  public var allowedHosts: [String] = []
  /// Hosts that may not be asked, whatever else allows them. A pattern that can mean no host refuses all of them.
  public var deniedHosts: [String] = []
  /// Whether only addresses are connected to that can be reached from anywhere. It cannot be kept through a proxy, which
  /// makes the connections itself.
  public var publicAddressesOnly = false
  /// Whether the result tells the SHA-256 of what was delivered.
  public var reportsChecksum = false
  /// Whether what is made of images is kept on disk beside them.
  package var cachesDerived = false
  /// Under ``CachePolicy/http``: a stale answer was served, and the origin is asked now for the next time.
  package var isRefresh = false
  /// What is stored has turned out not to be what this request demands: the origin is asked whatever is there.
  package var distrustsCache = false
  private var fields = Fields()

  /// Pairs, which are not `Hashable` by themselves.
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

/// A set of HTTP statuses, as ranges.
public struct StatusSet: Hashable, Sendable {
  /// First and last of each range in turn: at the first use of an array of ranges the runtime looks for what makes their
  /// bounds comparable, which is a thirtieth of what an image from the cache costs.
  private var bounds: [Int]

  /// The ranges, in the order in which they were given.
  public var ranges: [ClosedRange<Int>] {
    stride(from: 0, to: bounds.count, by: 2).map { bounds[$0]...bounds[$0 + 1] }
  }

  /// A set of these ranges.
  public init(_ ranges: [ClosedRange<Int>]) { bounds = ranges.flatMap { [$0.lowerBound, $0.upperBound] } }

  /// The same of first and last of each range in turn, an even number of them.
  package init(bounds: [Int]) { self.bounds = bounds.count.isMultiple(of: 2) ? bounds : [] }

  /// 200 to 299.
  public static let success = StatusSet(bounds: [200, 299])

  /// Whether a status is in it.
  public func contains(_ status: Int) -> Bool {
    var at = 0
    while at < bounds.count {
      if status >= bounds[at], status <= bounds[at + 1] { return true }
      at += 2
    }
    return false
  }
}

/// What an image must be like to be taken.
public struct ImageFilter: Hashable, Sendable {
  /// Pixels that it must at least have each way.
  public var minimumWidth = 0
  /// Pixels that it must at least have from top to bottom.
  public var minimumHeight = 0
  /// The longer side over the shorter one, at most.
  public var maximumAspect: Double?
  /// The formats that are wanted; nil: all.
  public var formats: Set<ImageFormat>?

  /// Takes every image.
  public init() {}

  /// Why the image is not wanted; nil if it is.
  package func objection(to facts: ImageFacts) -> String? {
    if let formats, !formats.contains(facts.format) {
      let wanted = formats.map(\.rawValue).sorted().joined(separator: ", ")
      return "the image is \(facts.format.rawValue), and only \(wanted) is wanted"
    }
    if facts.width < minimumWidth || facts.height < minimumHeight {
      return "the image is \(facts.width)x\(facts.height), smaller than \(minimumWidth)x\(minimumHeight)"
    }
    if let maximumAspect, facts.width > 0, facts.height > 0 {
      let aspect = Double(max(facts.width, facts.height)) / Double(min(facts.width, facts.height))
      if aspect > maximumAspect {
        return "the image is \(facts.width)x\(facts.height), its sides in a ratio above \(maximumAspect)"
      }
    }
    return nil
  }
}
