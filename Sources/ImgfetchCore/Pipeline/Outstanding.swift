import Synchronization

/// How many asks have no answer yet, and whoever sleeps until they are few enough.
///
/// Counted beside any lock: each line that is read asks for the number, and each answer changes it, on another thread.
final class Outstanding: Sendable {
  private let number = Atomic<Int>(0)
  /// How many may be left when the first of those who wait is to be woken.
  private let awaited = Atomic<Int>(nobody)
  /// How many each of those who wait would have left.
  private let limits = Guarded<[Int]>([])

  private static let nobody = Int.min

  var count: Int { number.load(ordering: .sequentiallyConsistent) }

  func add() { number.add(1, ordering: .relaxed) }

  /// One of them has its answer. True: that was awaited, and whoever awaits it has been woken.
  func remove() -> Bool {
    // Proof that nobody sleeps on: who answers writes the number first and then reads what is awaited, who waits does it the other way
    // round, and all four in one order; so one of the two sees what the other has written.
    let left = number.subtract(1, ordering: .sequentiallyConsistent).newValue
    guard left <= awaited.load(ordering: .sequentiallyConsistent) else { return false }
    // Who has just asked, and is about to sleep, holds the lock until it does.
    limits.withLock { _ in }
    limits.broadcast()
    return true
  }

  /// Waits until at most `limit` are left, or until that moment. The caller may do something useful first, from which it can be called
  /// back when ``remove()`` says that something was awaited. Whether so few are left.
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
      awaited.store(limits.max() ?? Self.nobody, ordering: .sequentiallyConsistent)
    }
  }
}
