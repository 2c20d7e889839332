import Synchronization

/// One request that waits for an answer, and the receiver of that.
///
/// A reference, because it goes into the table of flights and comes out again. Copying the members of a request would
/// be a good part of the cost of an image.
final class Waiter: Sendable {
  /// The number by which the caller cancels the waiter, or 0 if it has not waited yet.
  let id: Atomic<UInt64>
  /// True once it was cancelled.
  let hasLeft = Atomic<Bool>(false)
  let request: FetchRequest
  let key: CacheKey
  let begun: Instant
  /// Called once, on a disk thread.
  let deliver: @Sendable (FetchResult) -> Void

  /// The time at which it stops waiting, or nil for as long as it takes.
  var deadline: Instant? { request.timeLimit.map { begun + max(.milliseconds(1), Instant.Span($0)) } }

  init(
    id: UInt64 = 0, request: FetchRequest, key: CacheKey, begun: Instant,
    deliver: @escaping @Sendable (FetchResult) -> Void
  ) {
    self.id = Atomic(id)
    self.request = request
    self.key = key
    self.begun = begun
    self.deliver = deliver
  }

  /// The same, for an answer from the origin, whatever is stored.
  var distrusting: Waiter {
    Waiter(
      id: id.load(ordering: .relaxed), request: request.distrustingCaches, key: key, begun: begun, deliver: deliver)
  }

  /// A result with the facts that are known before there is an answer.
  var blankResult: FetchResult { FetchResult(tag: request.tag, url: request.url.display, key: key.url) }

  /// The time from the request to that moment.
  func milliseconds(until moment: Instant) -> Double { Double((moment - begun).nanoseconds) / 1e6 }
}
