/// One asker: its request, and whom to tell.
///
/// A reference: it lies in the flight table and comes out again, and copies of all that a request holds would be a good part of
/// what an image costs.
final class Ask: Sendable {
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
  var distrusting: Ask {
    Ask(id: id, request: request.distrusting, key: key, begun: begun, deliver: deliver)
  }

  /// A result with what is known before there is an answer.
  var blankResult: FetchResult { FetchResult(tag: request.tag, url: request.url.display, key: key.url) }

  /// From the asking to that moment.
  func milliseconds(until moment: Instant) -> Double { Double((moment - begun).nanoseconds) / 1e6 }
}

extension FetchRequest {
  /// The same, to be answered by the origin whatever is stored.
  var distrusting: FetchRequest {
    var request = self
    request.options.distrustsCache = true
    return request
  }
}
