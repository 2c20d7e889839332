/// One request that waits for an answer, and where to deliver that.
///
/// A reference, because it goes into the table of flights and comes out again. Copies of all that a request holds would be a good part of
/// what an image costs.
final class Waiter: Sendable {
  let id: UInt64
  let request: FetchRequest
  let key: CacheKey
  let begun: Instant
  /// Called once, on a disk thread.
  let deliver: @Sendable (FetchResult) -> Void

  init(
    id: UInt64, request: FetchRequest, key: CacheKey, begun: Instant, deliver: @escaping @Sendable (FetchResult) -> Void
  ) {
    self.id = id
    self.request = request
    self.key = key
    self.begun = begun
    self.deliver = deliver
  }

  /// The same, to be answered by the origin whatever is stored.
  var distrusting: Waiter {
    var request = request
    request.options.distrustsCache = true
    return Waiter(id: id, request: request, key: key, begun: begun, deliver: deliver)
  }

  /// A result with what is known before there is an answer.
  var blankResult: FetchResult { FetchResult(tag: request.tag, url: request.url.display, key: key.url) }

  /// From the request to that moment.
  func milliseconds(until moment: Instant) -> Double { Double((moment - begun).nanoseconds) / 1e6 }
}
