extension Pipeline {
  /// Submits a program's request after its hook has changed it.
  func ask(_ request: FetchRequest, deliver: @escaping @Sendable (FetchResult) -> Void) -> UInt64 {
    var request = request
    hooks.prepare?(&request)
    return submit(request.decoded(by: configuration.pixelExecutor), deliver: deliver)
  }
}

extension Pipeline {
  /// How busy it is.
  var load: FetcherLoad {
    FetcherLoad(
      requests: outstanding, flights: table.withLock { $0.flightsUnderWay }, waitingJobs: workers.waitingJobs)
  }
}
