/// The bounds on the downloads of a fetcher. They can be changed while the fetcher works.
public struct DownloadLimits: Sendable, Hashable {
  /// Downloads at once: 100 by default, or fewer if the process may open few files.
  public var jobs: Int
  /// Downloads at once from one origin. The default, nil, means 6, and 100 once it has answered over HTTP/2.
  public var perHost: Int?
  /// Requests a second to one origin. The default, nil, means no limit, and so does 0.
  public var requestsPerSecond: Double?
  /// Bytes a second of all downloads together. The default, nil, means no limit, and so does 0.
  public var bytesPerSecond: Int64?

  init(_ configuration: PipelineConfiguration) {
    jobs = configuration.admission.jobs
    perHost = configuration.admission.perHost
    requestsPerSecond = configuration.admission.requestsPerSecond
    bytesPerSecond = configuration.network.limitRate > 0 ? configuration.network.limitRate : nil
  }

  func apply(to configuration: inout PipelineConfiguration) {
    apply(to: &configuration.admission)
    configuration.network.limitRate = rate
  }

  func apply(to limits: inout Admission.Limits) {
    limits.jobs = max(1, jobs)
    limits.perHost = perHost.map { max(1, $0) }
    limits.requestsPerSecond = requestsPerSecond
  }

  /// The bytes a second, with 0 for no limit.
  var rate: Int64 { max(0, bytesPerSecond ?? 0) }
}
