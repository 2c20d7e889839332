import Synchronization

/// How many asks have no answer yet, and whoever sleeps until they are few enough.
///
/// Counted beside any lock: each line that is read asks for the number, and each answer changes it, on another thread.
final class Outstanding: Sendable {
  private let number = Atomic<Int>(0)
  /// How many may be left when the one who sleeps is to be woken.
  private let awaited = Atomic<Int>(nobody)
  private let bed = Guarded(())

  private static let nobody = Int.min

  var count: Int { number.load(ordering: .sequentiallyConsistent) }

  func add() { number.add(1, ordering: .relaxed) }

  /// One of them has its answer. True: that was awaited, and the one who awaits it has been woken.
  func remove() -> Bool {
    // Proof that nobody sleeps on: who answers first writes the number and then reads what is awaited, who waits does it the other
    // way round, and all four in one order; so one of the two sees what the other has written.
    let left = number.subtract(1, ordering: .sequentiallyConsistent).newValue
    guard left <= awaited.load(ordering: .sequentiallyConsistent) else { return false }
    // Who has just asked, and is about to sleep, holds the lock until it does.
    bed.withLock { _ in }
    bed.broadcast()
    return true
  }

  /// Waits until at most `limit` are left, or until that moment. First the caller does something useful, of which ``remove()``'s
  /// caller, who is told of the awaited, can call it back.
  func wait(for limit: Int, until deadline: Instant? = nil, _ first: () -> Void = {}) {
    awaited.store(limit, ordering: .sequentiallyConsistent)
    defer { awaited.store(Self.nobody, ordering: .relaxed) }
    first()
    _ = bed.wait(until: deadline) { _ in count <= limit ? true : nil }
  }
}
