/// A lock for each key: threads work for one key one after another, so that the second finds what the first has made.
final class KeyedLock: Sendable {
  private let busy = Guarded<Set<CacheKey>>([])

  /// Calls `body` while no other thread works for this key. It must not lock another key.
  func withLock<Value, Failure: Error>(
    on key: CacheKey, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    _ = busy.wait { $0.insert(key).inserted ? true : nil }
    defer {
      busy.withLock { _ = $0.remove(key) }
      busy.broadcast()
    }
    return try body()
  }
}
