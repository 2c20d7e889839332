/// A request that a task awaits, and that ends with the task.
///
/// Does without Swift's concurrency itself: the functions that await are compiled into the calling program, and call
/// this with a closure that resumes the task. A program without such a call, such as imgfetch, does not link the
/// concurrency runtime, which takes 0.8 MB and a tenth of the time of `--version`.
@usableFromInline
final class AwaitedRequest: Sendable {
  private struct State {
    var number: UInt64?
    var isCancelled = false
  }

  private let pipeline: Pipeline
  /// The fetcher. It closes itself when it is released, so the request holds it until there is an answer.
  private let owner: any AnyObject & Sendable
  /// A task may be cancelled before its request has a number, while it waits, or after. Whichever of the two events
  /// comes second cancels the request.
  private let state = Guarded(State())

  init(_ pipeline: Pipeline, of owner: any AnyObject & Sendable) {
    self.pipeline = pipeline
    self.owner = owner
  }

  /// Submits the request. `deliver` is called exactly once.
  @usableFromInline
  func begin(_ request: FetchRequest, deliver: @escaping @Sendable (FetchResult) -> Void) {
    beginPrepared(request.prepared(for: pipeline), deliver: deliver)
  }

  /// The same for a request that the program's hook has already changed.
  func beginPrepared(_ request: FetchRequest, deliver: @escaping @Sendable (FetchResult) -> Void) {
    if state.withLock({ $0.isCancelled }) { return deliver(.cancelled(request)) }
    let number = pipeline.submit(request) { [self] result in
      deliver(result)
      withExtendedLifetime(owner) {}
    }
    pipeline.kick()
    let isCancelled = state.withLock { state in
      state.number = number
      return state.isCancelled
    }
    if isCancelled { pipeline.cancel(number) }
  }

  /// Cancels the request with its task: it is answered at once, unless its answer is being delivered.
  @usableFromInline
  func cancel() {
    let number = state.withLock { state in
      state.isCancelled = true
      return state.number
    }
    if let number { pipeline.cancel(number) }
  }
}

extension FetchResult {
  /// The answer to a request that was cancelled before it was submitted.
  fileprivate static func cancelled(_ request: FetchRequest) -> FetchResult {
    var result = FetchResult(
      tag: request.tag, url: request.url.display, key: request.options.keyFilter.key(for: request.url))
    result.error = FetchError.cancelled.told(to: result.url)
    return result
  }
}
