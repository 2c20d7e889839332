/// The time for which results of earlier requests are remembered.
enum Memories: Sendable {
  /// The whole run, which ends soon: nothing is asked for twice in it.
  case ofRun
  /// A limited time: a process that lives for weeks must learn that a name, an image or a robots.txt has appeared.
  case ofTime
}

/// The settings of a whole run.
struct PipelineConfiguration: Sendable {
  /// The time for which failures, absent names and robots.txt are remembered, and whether "each time" means once in a
  /// run.
  var memories = Memories.ofRun
  /// The time for which a URL that has failed for good is not asked for again, if memories have
  /// a time, or nil for ever.
  var failureAge: Instant.Span?
  var admission = Admission.Limits()
  var stragglers = Stragglers.Rule()
  var retry = RetryRule(limit: 2)
  var connectTimeout = Instant.Span.seconds(10)
  var stallTimeout = Instant.Span.seconds(15)
  /// The time from a flight's first request to its end, retries included, or nil for as long as it takes.
  var maximumTime: Instant.Span?
  var userAgent = "imgfetch"
  var network = NetworkOptions()
  /// The most look-ups of names at once. A quarter is for new ones; slow ones may use the rest.
  var lookUps = 256
  /// The user's credentials.
  var identity = FetchIdentity()
  /// The credentials for the remote cache and for places.
  var stores = StoreRule()
  /// The folder for bodies that are not cached, while they arrive.
  var spoolFolder = "/tmp"
  /// Identifies the current boot of the machine. Called when a download is worth resuming.
  var boot: @Sendable () -> String? = Processes.bootIdentifier
  var pixelExecutor: any PixelExecutor = InProcessExecutor()
  /// Formats of the program's own, which are accepted beside the library's.
  var ownFormats: [any OwnFormat] = []
  /// The number of flights that may have a part open. The reader of a list reads less far ahead.
  var openParts = 512
  /// The most connections that may be open while their origins have requests ahead.
  var idleConnections = 512
  /// Further caches, of the program's own.
  var ownTiers: [any CacheTier] = []
  /// The limits within which the disk cache is kept while the fetcher works. With nil it is not cleaned.
  var maximumDiskSize: Int64?
  var maximumDiskAge: Double?
  /// The bytes that may wait for a disk thread before the network waits, too: enough to keep the disk busy, and little
  /// beside the 40 MB that a run may use.
  var backlog = 2 << 20
}

extension PipelineConfiguration {
  /// True if a setting keeps this run's answers apart from those of others, whatever their requests are.
  var hasIdentity: Bool { !identity.isEmpty || network.isInsecure || !network.resolve.isEmpty }

  /// The limits on decoding for a request, and its executor.
  func pixelLimits(_ options: FetchOptions, _ scope: PixelScope) -> PixelLimits {
    PixelLimits(maxPixels: options.maximumPixels, executor: pixelExecutor.within(scope))
  }

  func pixelScope(of flight: Flight) -> PixelScope {
    PixelScope(url: flight.hop.url.displayWithScheme, deadline: deadline(of: flight))
  }

  /// The end of a flight's time, or nil if there is no limit. That of an image from memory or disk runs from its
  /// look-up.
  func deadline(of flight: Flight) -> Instant? { maximumTime.map { (flight.limitStart ?? flight.begun) + $0 } }

  /// The settings of the conversations with stores.
  var talks: PlaceTalks.Settings {
    PlaceTalks.Settings(
      userAgent: userAgent, connectTimeout: connectTimeout, stallTimeout: stallTimeout, spoolFolder: spoolFolder,
      identity: stores, netrc: identity.netrc)
  }
}
