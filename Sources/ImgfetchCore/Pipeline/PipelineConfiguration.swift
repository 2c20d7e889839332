/// How long what is known from earlier requests counts.
enum Memories: Sendable {
  /// For the whole run, which ends soon: nothing is asked for twice in it.
  case ofRun
  /// For a time: what lives for weeks must learn that a name, an image or a robots.txt is there by now.
  case ofTime
}

/// What holds for a whole run.
struct PipelineConfiguration: Sendable {
  /// How long failures, absent names and robots.txt are remembered, and whether "each time" means once.
  var memories = Memories.ofRun
  /// For how long what has failed for good is not asked for again, if memories are of a time; nil: for ever.
  var failureAge: Instant.Span?
  var admission = Admission.Limits()
  var stragglers = Stragglers.Rule()
  var retry = RetryRule(limit: 2)
  var connectTimeout = Instant.Span.seconds(10)
  var stallTimeout = Instant.Span.seconds(15)
  /// From a flight's start to its end, retries and all; nil: as long as it takes.
  var maximumTime: Instant.Span?
  var userAgent = "imgfetch"
  var network = NetworkOptions()
  /// The most look-ups of names at once. A quarter is for new ones; those that take long may use the rest.
  var lookUps = 256
  /// The user's credentials.
  var identity = FetchIdentity()
  /// The cache that machines share; nil: none.
  var remote: RemoteCacheSettings?
  /// Who asks that one, and places.
  var stores = StoreRule()
  /// The name of the disk cache, and of its part of the remote one.
  var namespace = "default"
  /// The folder for bodies that are not cached, while they arrive.
  var spoolFolder = "/tmp"
  /// Which boot of the machine this is. Called when a download is worth resuming.
  var boot: @Sendable () -> String? = Processes.bootIdentifier
  /// Where pixels are decoded.
  var pixelExecutor: any PixelExecutor = InProcessExecutor()
  /// Formats of the program's own, which are accepted beside the library's.
  var ownFormats: [any OwnFormat] = []
  /// How many flights may have a part open. What reads a list looks at fewer ahead.
  var openParts = 512
  /// Further caches, of the program's own.
  var tiers: [any CacheTier] = []
  /// Bytes of images kept in memory.
  var memoryLimit = 8 << 20
  /// How many there may be; nil: any number.
  var memoryCount: Int?
  /// How many of them may be open files, whose bytes are read when they are asked for again.
  var memoryFiles = 128
  /// Whether the bytes of the oldest are read when there are more. If not, it is dropped.
  var readsMemoryFiles = true
  /// The limits within which the disk cache is kept while the fetcher works; nil: it is not cleaned.
  var maximumDiskSize: Int64?
  var maximumDiskAge: Double?
  /// Bytes that may wait for a disk thread before the network waits too: enough to keep the disk busy, little beside the 40 MB that a
  /// run may use.
  var backlog = 2 << 20
}

extension PipelineConfiguration {
  /// Whether there is anything that sets this run's answers apart from those of others, whatever their requests.
  var hasIdentity: Bool {
    !identity.isEmpty || network.isInsecure || !network.resolve.isEmpty
  }
}

extension PipelineConfiguration {
  /// What decoding for a request may cost, and where it is done.
  func pixelLimits(_ options: FetchOptions, _ scope: PixelScope) -> PixelLimits {
    PixelLimits(maxPixels: options.maximumPixels, executor: pixelExecutor.within(scope))
  }

  /// What pixel work for a flight's image is done for.
  func pixelScope(of flight: Flight) -> PixelScope {
    PixelScope(url: flight.hop.url.displayWithScheme, deadline: maximumTime.map { flight.begun + $0 })
  }
}
