import Synchronization

/// The number of requests without an answer. Threads can sleep until it is low enough.
///
/// The count is not behind a lock: each line that is read asks for it, and each answer changes it, on another thread.
final class UnansweredCount: Sendable {
  private let number = Atomic<Int>(0)
  /// The highest of the limits.
  private let awaited = Atomic<Int>(none)
  /// The numbers of requests down to which the sleeping threads wait.
  private let limits = Guarded<[Int]>([])

  private static let none = Int.min

  var count: Int { number.load(ordering: .sequentiallyConsistent) }

  // In one order with the flag that ``Pipeline/close()`` sets before it waits: a request is either waited for
  // there, or sees the flag.
  func add() { number.add(1, ordering: .sequentiallyConsistent) }

  /// Notes that a request has its answer. Returns true if a thread waited for that, and has been woken.
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

  /// Waits until at most `limit` are left, or until `deadline`. Returns true if so few are left. The caller may do
  /// something useful first, and stop that when ``remove()`` returns true.
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
