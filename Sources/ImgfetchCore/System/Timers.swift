/// A heap of deadlines, each with a value that identifies the due event.
///
/// A pure value: it reads no clock and never sleeps. Its owner sleeps until ``nextDeadline`` and then calls
/// ``popDue(at:)``. A timer cannot be removed: its value says whether it is still valid (by a generation, for example).
package struct Timers<Value> {
  private var heap: [(deadline: Instant, order: UInt64, value: Value)] = []
  private var count: UInt64 = 0

  package init() {}

  /// The earliest deadline, or nil if there is none.
  package var nextDeadline: Instant? { heap.first?.deadline }

  package mutating func add(_ value: Value, at deadline: Instant) {
    heap.append((deadline, count, value))
    count += 1
    var child = heap.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes and returns the earliest value whose deadline has passed, if any. Values with the same deadline come in
  /// the order in which they were added.
  package mutating func popDue(at now: Instant) -> Value? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) { least = child }
      if least == parent { return first.value }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    (heap[left].deadline, heap[left].order) < (heap[right].deadline, heap[right].order)
  }
}
