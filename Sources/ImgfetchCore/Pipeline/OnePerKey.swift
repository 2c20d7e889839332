/// Lets threads do something for a key one after another, so that the second finds what the first has made.
final class OnePerKey: Sendable {
  private let busy = Guarded<Set<CacheKey>>([])

  /// Calls `body` when nobody else is at it for this key; it must not ask for another key.
  func alone<Value, Failure: Error>(
    with key: CacheKey, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    _ = busy.wait { $0.insert(key).inserted ? true : nil }
    defer {
      busy.withLock { _ = $0.remove(key) }
      busy.broadcast()
    }
    return try body()
  }
}
