/// Many requests whose images only go into the caches, with a limit on those in progress.
///
/// One task feeds it and waits for its end, with closures, for the reason that ``AwaitedRequest`` gives.
@usableFromInline
final class PrefetchList: Sendable {
  private struct State {
    var asked = 0
    var underWay: [Int: AwaitedRequest] = [:]
    var count = PrefetchCount()
    /// The number of images whose progress has been reported.
    var told = 0
    var isCancelled = false
    var feeder: (@Sendable (Bool) -> Void)?
    var taker: (@Sendable (PrefetchCount) -> Void)?
  }

  private let pipeline: Pipeline
  private let owner: any AnyObject & Sendable
  private let limit: Int
  private let progress: (@Sendable (PrefetchCount) -> Void)?
  private let state = Guarded(State())

  init(
    _ pipeline: Pipeline, of owner: any AnyObject & Sendable, limit: Int,
    progress: (@Sendable (PrefetchCount) -> Void)?
  ) {
    self.pipeline = pipeline
    self.owner = owner
    self.limit = max(1, limit)
    self.progress = progress
  }

  /// Calls `go` with true when there is room for one more request, and with false when none is wanted any more.
  @usableFromInline
  func whenThereIsRoom(_ go: @escaping @Sendable (Bool) -> Void) { settle { $0.feeder = go } }

  /// Calls `take` when all that was added is done.
  @usableFromInline
  func whenDone(_ take: @escaping @Sendable (PrefetchCount) -> Void) { settle { $0.taker = take } }

  @usableFromInline
  func add(_ request: FetchRequest) {
    var request = request
    if request.priority == .normal { request.priority = .low }
    let awaited = AwaitedRequest(pipeline, of: owner)
    let (place, isCancelled) = state.withLock { state in
      state.asked += 1
      state.underWay[state.asked] = awaited
      return (state.asked, state.isCancelled)
    }
    if isCancelled { awaited.cancel() }
    awaited.begin(request) { [self] result in
      let count = state.withLock { state in
        state.underWay[place] = nil
        state.count.finished += 1
        if result.error != nil { state.count.skipped += 1 }
        return state.count
      }
      progress?(count)
      settle { $0.told += 1 }
    }
  }

  @usableFromInline
  func cancel() {
    let underWay = state.withLock { state in
      state.isCancelled = true
      return Array(state.underWay.values)
    }
    for request in underWay { request.cancel() }
    settle { _ in }
  }

  /// Changes the state, then resumes the calls that can proceed.
  private func settle(_ change: (inout State) -> Void) {
    let (feed, take): ((() -> Void)?, (() -> Void)?) = state.withLock { state in
      change(&state)
      var calls: ((() -> Void)?, (() -> Void)?)
      let isWanted = !state.isCancelled
      if !isWanted || state.underWay.count < limit, let feeder = state.feeder.take() { calls.0 = { feeder(isWanted) } }
      if state.told == state.asked, let taker = state.taker.take() {
        let count = state.count
        calls.1 = { taker(count) }
      }
      return calls
    }
    feed?()
    take?()
  }
}
