/// What is due when: a heap of deadlines, each with a value that says for whom.
///
/// A pure value: it knows no clock and sleeps never. Its owner asks ``nextDeadline`` how long it may sleep, and
/// takes with ``popDue(at:)`` what has come due. A timer that is no longer wanted is not searched for: its value says
/// (by a generation, say) that it is void.
package struct Timers<Value> {
  private var heap: [(deadline: Instant, order: UInt64, value: Value)] = []
  private var count: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { heap.isEmpty }

  /// When the earliest is due.
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

  /// The earliest value whose deadline has passed, if any. Those of one deadline come in the order of their adding.
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
