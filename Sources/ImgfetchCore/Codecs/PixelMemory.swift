/// The memory that all pixel work shares. Each job reserves the most that it may need before it begins, and waits while
/// others hold it, so that any number of threads stays within one bound.
package final class PixelMemory: Sendable {
  /// Three quarters of the gigabyte that a run may use at worst.
  package static let shared = PixelMemory(total: 768 << 20)

  private let total: Int64
  private let free: Guarded<Int64>

  package init(total: Int64) {
    self.total = total
    free = Guarded(total)
  }

  /// Calls `body` with that many bytes or, if there are fewer in all, with all of them, and waits until they are free.
  /// Must not be called by a thread that holds some already.
  package func holding<Value, Failure: Error>(
    _ bytes: Int64, _ body: (Int64) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let share = min(max(0, bytes), total)
    _ = free.wait { free -> Bool? in
      guard free >= share else { return nil }
      free -= share
      return true
    }
    defer {
      free.withLock { $0 += share }
      free.broadcast()
    }
    return try body(share)
  }
}
