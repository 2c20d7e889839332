extension Fetcher {
  /// What holds for all requests of a fetcher.
  public struct Configuration: Sendable {
    /// The cache's folder; nil: nothing is kept on disk.
    public var cacheFolder: String?
    /// Which of the caches in that folder.
    public var namespace = "default"
    /// Further caches, which are looked in and never written.
    public var readOnlyCaches: [String] = []
    /// Bytes of images kept in memory.
    public var memoryLimit = 8 << 20
    /// Downloads at once.
    public var jobs = 100
    /// Downloads at once from one origin; nil: 6, and 100 once it has answered over HTTP/2.
    public var perHost: Int?
    /// Whether what was asked for last is begun first.
    public var isNewestFirst = false
    /// Requests a second to one origin, at most.
    public var requestsPerSecond: Double?
    /// Bytes a second of all downloads together, at most.
    public var bytesPerSecond: Int64?
    /// How many times a download that failed for a passing reason is tried again.
    public var retries = 2
    /// Seconds until a connection must stand.
    public var connectTimeout: Double = 10
    /// Seconds without a byte after which a download has failed.
    public var stallTimeout: Double = 15
    /// Seconds that one image may take, retries and all.
    public var maximumTime: Double?
    /// What the fetcher calls itself.
    public var userAgent = "imgfetch/\(ImgfetchVersion.number)"
    /// A file of certificates to trust instead of the system's.
    public var certificates: String?
    /// A file in which the system's certificates are, where it is another one than usual. A usual folder counts as well.
    public var systemCertificates: String?
    /// The folder in which the system's certificates are, by hashed names, where it is another one than usual. A usual file counts as
    /// well.
    public var systemCertificateFolder: String?
    /// Whether certificates are not looked at. Answers had so are kept apart from others.
    public var isInsecure = false
    /// Whether HTTP/2 is not spoken.
    public var usesHTTP1Only = false
    /// 4 or 6 to use addresses of that kind only.
    public var addressFamily: Int?
    /// The proxy for http URLs, as a URL.
    public var httpProxy: String?
    /// The proxy for https URLs, as a URL.
    public var httpsProxy: String?
    /// Hosts that are asked without it, separated by commas.
    public var proxyExceptions: String?
    /// Addresses given by hand, as `HOST:PORT:ADDRESS`.
    public var resolve: [String] = []
    /// Who asks.
    public var identity = FetchIdentity()
    /// Where large images lie while they come, when they are not cached.
    public var temporaryFolder = "/tmp"

    /// Where pixels are decoded: by the fetcher's own threads, unless the program has something safer.
    package var pixelExecutor: any PixelExecutor = InProcessExecutor()

    /// The defaults, without a disk cache.
    public init() {}

    var pipeline: PipelineConfiguration {
      var pipeline = PipelineConfiguration()
      pipeline.admission = Admission.Limits(
        jobs: max(1, jobs), perHost: perHost.map { max(1, $0) }, isNewestFirst: isNewestFirst,
        requestsPerSecond: requestsPerSecond)
      pipeline.retry = RetryRule(limit: max(0, retries))
      pipeline.connectTimeout = .seconds(connectTimeout)
      pipeline.stallTimeout = .seconds(stallTimeout)
      pipeline.maximumTime = maximumTime.map { .seconds($0) }
      pipeline.userAgent = userAgent
      pipeline.spoolFolder = temporaryFolder
      pipeline.identity = identity
      pipeline.pixelExecutor = pixelExecutor
      pipeline.memoryLimit = memoryLimit
      pipeline.network.limitRate = bytesPerSecond ?? 0
      pipeline.network.caFile = certificates
      pipeline.network.systemCAFile = systemCertificates
      pipeline.network.systemCAFolder = systemCertificateFolder
      pipeline.network.isInsecure = isInsecure
      pipeline.network.httpProxy = httpProxy
      pipeline.network.httpsProxy = httpsProxy
      pipeline.network.httpVersion = usesHTTP1Only ? .http1 : .automatic
      pipeline.network.ipVersion = addressFamily == 4 ? .v4 : addressFamily == 6 ? .v6 : .any
      pipeline.network.noProxy = proxyExceptions
      pipeline.network.resolve = resolve
      return pipeline
    }
  }
}

/// The version of the program and the library.
public enum ImgfetchVersion {
  /// As `imgfetch --version` prints it.
  public static let number = "0.1.0"
}
