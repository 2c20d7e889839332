/// The answer to one request of many.
public struct FetchOutcome: Sendable {
  /// The request.
  public let request: FetchRequest
  /// The image, or why there is none.
  public let image: Result<FetchedImage, FetchError>

  /// Creates an outcome, for a program's own tests.
  public init(request: FetchRequest, image: Result<FetchedImage, FetchError>) {
    self.request = request
    self.image = image
  }
}

/// The order in which the answers to many requests are handed over.
public enum FetchOrder: Sendable {
  /// Each as soon as it has come.
  case asTheyCome
  /// The order of the requests. An answer waits for those before it.
  case asGiven
}

/// Many requests, with a limit on those that were submitted and whose answers were not taken yet.
///
/// One task feeds it, another takes from it. Both wait with closures, for the reason that ``AwaitedRequest`` gives.
@usableFromInline
final class FetchList: Sendable {
  private struct State {
    var asked = 0
    var taken = 0
    /// Submitted and not answered.
    var underWay: [Int: AwaitedRequest] = [:]
    /// Answered and not taken, by their places.
    var answered: [Int: FetchOutcome] = [:]
    /// The same in the order in which they came.
    var arrivals: [Int] = []
    var isFed = false
    var isCancelled = false
    var feeder: (@Sendable (Bool) -> Void)?
    var taker: (@Sendable (FetchOutcome?) -> Void)?
  }

  /// The calls to be made once the lock is free.
  private typealias Calls = (feeder: (() -> Void)?, taker: (() -> Void)?)

  private let pipeline: Pipeline
  private let owner: any AnyObject & Sendable
  private let order: FetchOrder
  private let limit: Int
  private let state = Guarded(State())

  init(_ pipeline: Pipeline, of owner: any AnyObject & Sendable, _ order: FetchOrder, limit: Int) {
    self.pipeline = pipeline
    self.owner = owner
    self.order = order
    self.limit = max(1, limit)
  }

  /// Calls `go` with true when there is room for one more request, and with false when none is wanted any more.
  @usableFromInline
  func whenThereIsRoom(_ go: @escaping @Sendable (Bool) -> Void) { settle { $0.feeder = go } }

  @usableFromInline
  func add(_ request: FetchRequest) {
    let sink = MemorySink(before: request.sink)
    let awaited = AwaitedRequest(pipeline, of: owner)
    let place: Int? = state.withLock { state in
      if state.isCancelled { return nil }
      state.asked += 1
      state.underWay[state.asked - 1] = awaited
      return state.asked - 1
    }
    guard let place else { return }
    awaited.begin(request.delivered(to: sink)) { [self] result in
      let outcome = FetchOutcome(request: request, image: sink.outcome(of: result))
      settle { state in
        state.underWay[place] = nil
        state.answered[place] = outcome
        state.arrivals.append(place)
      }
    }
  }

  /// Notes that no more requests will come.
  @usableFromInline
  func endOfRequests() { settle { $0.isFed = true } }

  /// Calls `take` with the next answer, when it is there, and with nil after the last.
  @usableFromInline
  func next(_ take: @escaping @Sendable (FetchOutcome?) -> Void) { settle { $0.taker = take } }

  /// Cancels the requests in progress. No further answers are passed on.
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
    let calls: Calls = state.withLock { state in
      change(&state)
      let taker = serve(&state)
      return (feed(&state), taker)
    }
    calls.feeder?()
    calls.taker?()
  }

  private func feed(_ state: inout State) -> (() -> Void)? {
    let isWanted = !state.isCancelled
    guard !isWanted || state.asked - state.taken < limit, let feeder = state.feeder.take() else { return nil }
    return { feeder(isWanted) }
  }

  private func serve(_ state: inout State) -> (() -> Void)? {
    guard let taker = state.taker else { return nil }
    if state.isCancelled {
      state.taker = nil
      return { taker(nil) }
    }
    let place: Int? =
      switch order {
      case .asGiven: state.answered[state.taken] == nil ? nil : state.taken
      case .asTheyCome: state.arrivals.first
      }
    if let place, let outcome = state.answered.removeValue(forKey: place) {
      state.arrivals.removeAll { $0 == place }
      state.taken += 1
      state.taker = nil
      return { taker(outcome) }
    }
    guard state.isFed, state.taken == state.asked else { return nil }
    state.taker = nil
    return { taker(nil) }
  }
}

/// Calls a closure when the last reference to it goes.
@usableFromInline
final class AtEnd: Sendable {
  private let act: @Sendable () -> Void
  @usableFromInline
  init(_ act: @escaping @Sendable () -> Void) { self.act = act }
  deinit { act() }
}
