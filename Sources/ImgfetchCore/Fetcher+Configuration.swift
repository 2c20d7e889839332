extension Fetcher {
  /// The options that apply to all requests of a fetcher.
  public struct Configuration: Sendable {
    /// The cache's folder; nil: no disk cache.
    public var cacheFolder: String?
    /// The name of the cache within that folder.
    public var namespace = "default"
    /// Folders of further caches, which are read and never written.
    public var readOnlyCaches: [String] = []
    /// A cache that several machines share. It needs ``cacheFolder``.
    public var remoteCache: RemoteCacheSettings?
    /// Who asks ``remoteCache``, and the places of a program.
    public var stores = StoreIdentity()
    /// The place that is written, whose origin gets ``stores``.
    package var place: WebURL?
    /// Caches of one's own, looked in after memory and disk, in this order, and before the origin. What they have is served while its
    /// policy allows that without asking the origin. What is stored on disk is kept in them, too, unless the disk is not to be used.
    public var tiers: [any CacheTier] = []
    /// The limit on bytes of images in memory.
    public var memoryLimit = 8 << 20
    /// The limit on concurrent downloads.
    public var jobs = 100
    /// The limit on concurrent downloads from one origin; nil: 6, and 100 once it has answered over HTTP/2.
    public var perHost: Int?
    /// Whether the newest request is started first.
    public var isNewestFirst = false
    /// The limit on requests a second to one origin.
    public var requestsPerSecond: Double?
    /// Origins, as glob patterns of their hosts, that ``sharingProcesses`` ask at the same time. Each has one download at once here, and
    /// an equal part of ``requestsPerSecond``.
    public var sharedHosts: [String] = []
    /// How many processes ask each of ``sharedHosts``.
    public var sharingProcesses = 1
    /// The limit on bytes a second of all downloads together.
    public var bytesPerSecond: Int64?
    /// How often a download is retried after a transient failure.
    public var retries = 2
    /// The time limit for a connection, in seconds.
    public var connectTimeout: Double = 10
    /// The time limit for a download without a byte, in seconds.
    public var stallTimeout: Double = 15
    /// The time limit for one image with all retries, in seconds.
    public var maximumTime: Double?
    /// The User-Agent; nil: `imgfetch/VERSION`, and ``contact``.
    public var userAgent: String?
    /// An address or URL by which a site finds who asks, for the User-Agent.
    public var contact: String?
    /// A file with certificates that are trusted instead of the system's.
    public var certificates: String?
    /// The file with the system's certificates, if it is not in a usual place. Certificate folders in usual places are
    /// still used.
    public var systemCertificates: String?
    /// The folder with the system's certificates under hashed names, if it is not in a usual place. Certificate files
    /// in usual places are still used.
    public var systemCertificateFolder: String?
    /// Whether certificates are not checked. Such answers are cached apart from others.
    public var isInsecure = false
    /// Whether HTTP/2 is not used.
    public var usesHTTP1Only = false
    /// 4 or 6: only addresses of that IP version are used.
    public var addressFamily: Int?
    /// The proxy for http URLs, as a URL.
    public var httpProxy: String?
    /// The proxy for https URLs, as a URL.
    public var httpsProxy: String?
    /// Hosts that are contacted without a proxy, separated by commas.
    public var proxyExceptions: String?
    /// Fixed addresses of hosts, as `HOST:PORT:ADDRESS`.
    public var resolve: [String] = []
    /// The credentials.
    public var identity = FetchIdentity()
    /// The folder for large images in progress that are not cached.
    public var temporaryFolder = "/tmp"

    /// Where pixels are decoded.
    public var decoding = DecodingPlace.inProcess
    /// Decoders of one's own, asked before those of the library. What they recognise is accepted as an image if they decode it.
    public var decoders: [any PixelDecoder] = []

    /// Decodes pixels, unless ``decoding`` says otherwise.
    package var pixelExecutor: any PixelExecutor = InProcessExecutor()

    /// The defaults, without a disk cache.
    public init() {}

    var pipeline: PipelineConfiguration {
      var pipeline = PipelineConfiguration()
      pipeline.admission = Admission.Limits(
        jobs: max(1, jobs), perHost: perHost.map { max(1, $0) }, isNewestFirst: isNewestFirst,
        requestsPerSecond: requestsPerSecond)
      pipeline.admission.sharing = (sharedHosts.compactMap { HostPattern($0) }, max(1, sharingProcesses))
      pipeline.retry = RetryRule(limit: max(0, retries))
      pipeline.connectTimeout = .seconds(connectTimeout)
      pipeline.stallTimeout = .seconds(stallTimeout)
      pipeline.maximumTime = maximumTime.map { .seconds($0) }
      pipeline.userAgent = userAgent ?? UserAgent.text(contact: contact)
      pipeline.spoolFolder = temporaryFolder
      pipeline.remote = remoteCache
      pipeline.stores = StoreRule(stores, [remoteCache?.url, place].compactMap { $0 })
      pipeline.namespace = namespace
      pipeline.identity = identity
      pipeline.pixelExecutor = pixelExecutor
      pipeline.memoryLimit = memoryLimit
      pipeline.tiers = tiers
      pipeline.ownFormats = decoders.map { DecodedFormat($0) }
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
