/// Memory that all who work on pixels share: each reserves what it may need before it begins, and waits while others
/// have it. So any number of threads stays within one bound.
package final class PixelMemory: Sendable {
  /// Three quarters of the gigabyte that a run may use at the very worst.
  package static let shared = PixelMemory(total: 768 << 20)

  private let total: Int64
  private let free: Guarded<Int64>

  package init(total: Int64) {
    self.total = total
    free = Guarded(total)
  }

  /// Calls `body` with so many bytes, or with all there are if that is less: then it must do with those. Waits until they are
  /// free; nobody may ask for more while holding some.
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
