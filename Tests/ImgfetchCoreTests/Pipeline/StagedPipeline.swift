import TestSupport
import Testing

@testable import ImgfetchCore

/// A pipeline over a transport and a clock that the test drives: what the network's thread would do happens when the
/// test says so, and time passes when the test says so. The disk threads are real.
final class StagedPipeline: Loop, @unchecked Sendable {
  // Sendable because the network stage and the transport are touched by the test's thread only;
  // letters come under their lock.
  let clock = ManualClock()
  let transport = FakeTransport()
  /// Made on a disk thread, and used by the test's.
  private let stage = Guarded<NetworkStage?>(nil)
  private(set) var pipeline: Pipeline?
  private let letters = Guarded<[@Sendable (NetworkStage) -> Void]>([])
  private let answers = Guarded<[FetchResult]>([])
  /// The number of requests: each has one answer.
  private var submitted = 0
  /// The number of letters that the network stage has had: one for each flight that has been looked up, and more.
  private(set) var lettersRead = 0

  /// - Parameter names: looks names up. With nil, names are not looked up.
  init(
    disk: DiskCache? = nil, names: NameThreads? = nil,
    _ configure: (inout PipelineConfiguration) -> Void = { _ in }
  ) {
    var configuration = PipelineConfiguration()
    // A look at all flights each second would let invented time pass while the disk threads are at work.
    configuration.stragglers.jobs = 1
    configure(&configuration)
    transport.needsAddresses = names != nil
    let memory = MemoryCache(limit: 8 << 20, clock: clock)
    pipeline = Pipeline(configuration, memory: memory, disk: disk, clock: clock, names: names) {
      [self] (_, _, _, makeClient) throws(TransportFailure) in
      stage.withLock { $0 = makeClient(transport) }
      return self
    }
  }

  func post(_ work: @escaping @Sendable (NetworkStage) -> Void) -> Bool {
    letters.withLock { $0.append(work) }
    letters.broadcast()
    return true
  }

  func shutdown() {}

  /// True if a flight waits for another process.
  var isWaiting: Bool { stage.withLock { $0?.isWaiting == true } }

  var results: [FetchResult] { answers.withLock { $0 } }

  /// The request's number, by which it is cancelled.
  @discardableResult
  func submit(_ url: String, _ change: (inout FetchRequest) -> Void = { _ in }) throws -> UInt64 {
    var request = FetchRequest(try WebURL(url), options: FetchOptions())
    request.options.policy = .off
    change(&request)
    submitted += 1
    let number = pipeline?.submit(request) { [self] result in
      answers.withLock { $0.append(result) }
      letters.broadcast()
    }
    pipeline?.kick()
    return number ?? 0
  }

  /// Runs the posted work and takes a turn, again and again, until `isDone`. Returns the time at which the network
  /// stage wants to be woken.
  @discardableResult
  func drive(until isDone: @escaping () -> Bool) -> Instant? {
    let patience = SystemClock().now() + .seconds(30)
    var wake: Instant?
    while true {
      let posted = letters.withLock { letters in
        defer { letters = [] }
        return letters
      }
      if let stage = stage.withLock({ $0 }) {
        transport.client = stage
        for letter in posted { letter(stage) }
      }
      lettersRead += posted.count
      transport.run(at: clock.now())
      wake = transport.turn(at: clock.now())
      if isDone() { return wake }
      let isLate: Bool? = letters.wait(until: patience) { $0.isEmpty && !isDone() ? nil : false }
      if isLate == nil {
        Issue.record("what the test waits for did not happen in 30 seconds")
        return wake
      }
    }
  }

  func close() {
    // Closing waits for all answers, and the network stage takes no turn by itself.
    pipeline?.cancelAll()
    drive(until: { [self] in results.count >= submitted })
    pipeline?.close()
    pipeline = nil
    stage.withLock { $0 = nil }
  }
}
