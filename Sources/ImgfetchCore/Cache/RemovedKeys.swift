import Synchronization

/// The keys that this process has removed from its caches. Other caches, read-only or shared by machines, lose
/// nothing by that, so they are passed over for these keys: the origin is asked. This lasts as long as the
/// process has the cache open.
///
/// May be called from any thread.
final class RemovedKeys: Sendable {
  private struct State {
    var isEverything = false
    /// Eight bytes of each URL's hash. Two that share them cost a request.
    var urls: Set<UInt64> = []
  }

  private let state = Guarded(State())
  // Beside the lock: each look-up asks, and hardly any process removes.
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
