import Synchronization

/// The number of requests without an answer. Threads can sleep until they are few enough.
///
/// The count is beside any lock: each line that is read asks for it, and each answer changes it, on another thread.
final class UnansweredCount: Sendable {
  private let number = Atomic<Int>(0)
  /// The highest of the limits.
  private let awaited = Atomic<Int>(none)
  /// The number of requests that each waiting thread would have left.
  private let limits = Guarded<[Int]>([])

  private static let none = Int.min

  var count: Int { number.load(ordering: .sequentiallyConsistent) }

  // In one order with the flag that ``Pipeline/close()`` sets before it waits: a request is either waited for
  // there, or sees the flag.
  func add() { number.add(1, ordering: .sequentiallyConsistent) }

  /// One of them has its answer. True: that was awaited, and the threads that await it have been woken.
  func remove() -> Bool {
    // Proof that no thread sleeps on: the thread that answers writes the number and then reads the awaited one.
    // The thread that waits does it the other way round. All four happen in one order, so one of the two sees
    // what the other has written.
    let left = number.subtract(1, ordering: .sequentiallyConsistent).newValue
    guard left <= awaited.load(ordering: .sequentiallyConsistent) else { return false }
    // A thread that has just looked, and is about to sleep, holds the lock until it does.
    limits.withLock { _ in }
    limits.broadcast()
    return true
  }

  /// Waits until at most `limit` are left, or until `deadline`. Returns whether so few are left. The caller may do
  /// something useful first, and can stop that when ``remove()`` says that something was awaited.
  @discardableResult
  func wait(for limit: Int, until deadline: Instant? = nil, _ first: () -> Void = {}) -> Bool {
    change { $0.append(limit) }
    defer { change { limits in limits.firstIndex(of: limit).map { _ = limits.remove(at: $0) } } }
    first()
    return limits.wait(until: deadline) { _ in count <= limit ? true : nil } ?? false
  }

  private func change(_ body: (inout [Int]) -> Void) {
    limits.withLock { limits in
      body(&limits)
      awaited.store(limits.max() ?? Self.none, ordering: .sequentiallyConsistent)
    }
  }
}
