import Synchronization

/// The keys that this process has removed from its caches. Read-only caches and the remote cache still have them, so
/// these caches are not asked for the keys: the origin is. This lasts as long as the process has the cache open.
///
/// May be called from any thread.
final class RemovedKeys: Sendable {
  private struct State {
    var isEverything = false
    /// Eight bytes of each URL's hash. A collision costs a request.
    var urls: Set<UInt64> = []
  }

  private let state = Guarded(State())
  // Not behind the lock: each look-up asks, and hardly any process removes.
  private let isAny = Atomic<Bool>(false)

  func add(_ key: CacheKey) {
    state.withLock { _ = $0.urls.insert(key.hash.low) }
    isAny.store(true, ordering: .releasing)
  }

  func addEverything() {
    state.withLock { $0 = State(isEverything: true) }
    isAny.store(true, ordering: .releasing)
  }

  func contains(_ key: CacheKey) -> Bool {
    guard isAny.load(ordering: .acquiring) else { return false }
    return state.withLock { $0.isEverything || $0.urls.contains(key.hash.low) }
  }
}
