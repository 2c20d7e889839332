import TestSupport

@testable import ImgfetchCore

/// Runs of a program under `--cache http` that share a cache's folder and a clock: each asks for one URL and ends.
final class CachedRuns: Sendable {
  /// The result of one run.
  struct Got {
    let result: FetchResult
    let body: [UInt8]
    /// The explanations that `-v` would have printed.
    let explanations: [String]

    var status: Int? { result.status }
    var text: String { String(decoding: body, as: UTF8.self) }
    func field(_ name: String) -> String? { result.fields?.first(name) }
    func fields(_ name: String) -> [String] { result.fields?.all(name) ?? [] }
  }

  let server: TestServer
  let clock: ManualClock
  private let folder: TemporaryFolder
  /// 14 November 2023, 22:13:20 GMT.
  static let start = WallTime(seconds: 1_700_000_000)

  init() throws {
    server = try TestServer()
    clock = ManualClock(wallTime: Self.start)
    folder = try TemporaryFolder()
  }

  func pass(_ seconds: Double) { clock.advance(.seconds(seconds)) }

  /// A date, in seconds from the start of the first run.
  static func date(_ seconds: Int64 = 0) -> String { HTTPDate.format(WallTime(seconds: start.seconds + seconds)) }

  /// Asks for a path of the server.
  func get(
    _ path: String, _ headers: [(String, String)] = [], mirrors: [WebURL] = [],
    change: (inout FetchOptions) -> Void = { _ in }
  ) throws -> Got { try ask([path], headers, mirrors: mirrors, change: change)[0] }

  /// Asks for several, one after the other, in one run.
  func ask(
    _ paths: [String], _ headers: [(String, String)] = [], mirrors: [WebURL] = [],
    change: (inout FetchOptions) -> Void = { _ in }
  ) throws -> [Got] {
    var configuration = Fetcher.Configuration()
    configuration.cacheFolder = folder.path + "/cache"
    configuration.retries = 0
    let explanations = Guarded<[String]>([])
    var hooks = FetchHooks()
    hooks.events = { event in
      if case .explained(_, let sentence) = event { explanations.withLock { $0.append(sentence) } }
    }
    let fetcher = Fetcher(
      configuration, clock: clock, hooks: hooks,
      makeLoop: { (options, clock, isBackedUp, makeClient) throws(TransportFailure) in
        try NetworkLoop(options: options, clock: clock, isBackedUp: isBackedUp, makeClient: makeClient)
      })
    defer { fetcher.close() }
    var options = FetchOptions()
    options.policy = .http
    options.verification = .none
    options.acceptedStatuses = StatusSet([100...599])
    options.headers = headers.map { (name: $0.0, value: $0.1) }
    change(&options)
    return try paths.map { path in
      let sink = Sink()
      var request = FetchRequest(try WebURL(server.url(path)), options: options, sink: sink)
      request.mirrors = mirrors
      fetcher.submit(request) { result in sink.result.withLock { $0 = result } }
      fetcher.wait()
      guard let result = sink.result.withLock({ $0 }) else { throw CommandError("there is no result") }
      return Got(
        result: result, body: sink.body.withLock { $0 }, explanations: explanations.withLock { $0 })
    }
  }

  /// The entry of a path, as `cache info` tells of it.
  func standing(_ path: String) throws -> EntryStanding? {
    let cache = try DiskCache.open(root: folder.path + "/cache", clock: clock)
    let key = CacheKey(url: KeyFilter.none.key(for: try WebURL(server.url(path))))
    return cache.standing(of: key, FetchOptions(), now: clock.wallTime())
  }

  private final class Sink: ImageSink {
    let body = Guarded<[UInt8]>([])
    let result = Guarded<FetchResult?>(nil)

    func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
      var bytes: [UInt8] = []
      try? image.body.read { piece in for index in 0..<piece.count { bytes.append(piece[index]) } }
      body.withLock { $0 = bytes }
      return Delivery(output: nil, isNew: true)
    }
  }
}
