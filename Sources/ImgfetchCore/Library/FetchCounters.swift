/// Counts what a fetcher answers, for a metrics library: `hooks.answered = { counters.count($0) }`.
///
/// Each counter only grows. It may be read and changed by any thread.
public final class FetchCounters: Sendable {
  /// The counters at one moment.
  public struct Values: Sendable, Hashable {
    /// Answers from memory.
    public var memoryHits = 0
    /// Answers from disk.
    public var diskHits = 0
    /// Answers from the cache that machines share, or from own tiers.
    public var remoteHits = 0
    /// Answers over the network.
    public var downloads = 0
    /// Answers that came with another request's download.
    public var shared = 0
    /// Stored images that their origins confirmed.
    public var revalidated = 0
    /// Failures, cancelled requests among them.
    public var failures = 0
    /// Bytes of bodies that came over the network.
    public var bytes = 0
  }

  private let counted = Guarded(Values())

  /// Creates counters at 0.
  public init() {}

  /// Counts one result.
  public func count(_ result: FetchResult) {
    counted.withLock { values in
      values.bytes &+= Int(clamping: result.downloaded)
      if result.error != nil { return values.failures += 1 }
      if result.isShared { values.shared += 1 }
      if result.isRevalidated { values.revalidated += 1 }
      switch result.answerer {
      case .memory: values.memoryHits += 1
      case .disk: values.diskHits += 1
      case .remote: values.remoteHits += 1
      case .some(.network): values.downloads += 1
      case nil: break
      }
    }
  }

  /// The counters now.
  public var values: Values { counted.withLock { $0 } }
}

/// The load of a fetcher, for gauges.
public struct FetcherLoad: Sendable, Hashable {
  /// Requests without an answer.
  public let requests: Int
  /// Downloads and look-ups under way, each for one or more requests.
  public let flights: Int
  /// Jobs that wait for a disk thread.
  public let waitingJobs: Int

  /// A load of this much, for a program's own tests.
  public init(requests: Int, flights: Int, waitingJobs: Int) {
    self.requests = requests
    self.flights = flights
    self.waitingJobs = waitingJobs
  }

  init(of pipeline: Pipeline) {
    self.init(
      requests: pipeline.outstanding, flights: pipeline.table.withLock { $0.flightsUnderWay },
      waitingJobs: pipeline.workers.waitingJobs)
  }
}

extension FetchEvent {
  /// The importance of an event in a log, by the names of swift-log.
  public enum Level: String, CaseIterable, Sendable {
    /// A detail that helps to find a mistake.
    case trace, debug
    /// A success that is worth a line.
    case info
    /// A failure that was put right.
    case notice
  }

  /// The importance of the event in a log.
  public var level: Level {
    switch self {
    case .progressed, .headers: .trace
    case .started, .responded, .redirected, .explained: .debug
    case .ended: .info
    case .retrying: .notice
    }
  }
}

extension FetchEvent: CustomStringConvertible {
  /// The event as a line for a log.
  public var description: String {
    switch self {
    case .started(let flight, let url, let attempt): "flight \(flight): attempt \(attempt) for \(url)"
    case .responded(let flight, let status, let total, let already):
      "flight \(flight): status \(status), \(total.map { "\($0)" } ?? "unknown") bytes, \(already) here already"
    case .progressed(let flight, let url, let received, let total):
      "flight \(flight): \(received) of \(total.map { "\($0)" } ?? "unknown") bytes of \(url)"
    case .redirected(let flight, let target): "flight \(flight): redirected to \(target)"
    case .retrying(let flight, let reason, let milliseconds):
      "flight \(flight): again in \(milliseconds) ms, since \(reason)"
    case .ended(let flight): "flight \(flight): ended"
    case .explained(let url, let sentence): "\(url): \(sentence)"
    case .headers(let url, let lines): "\(url): \(lines.joined(separator: " | "))"
    }
  }
}
