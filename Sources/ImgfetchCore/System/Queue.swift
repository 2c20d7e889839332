/// A queue, first in, first out. Elements that were taken are released at once.
package struct Queue<Element> {
  /// The older half, the next one last: it can be taken without moving the others.
  private var older: [Element] = []
  private var newer: [Element] = []

  /// The room that is kept when a half is empty. More is given back.
  private static var keptRoom: Int { 1024 }

  package init() {}

  package var count: Int { older.count + newer.count }
  package var isEmpty: Bool { older.isEmpty && newer.isEmpty }
  package var first: Element? { older.last ?? newer.first }

  package mutating func append(_ element: Element) { newer.append(element) }

  package mutating func popFirst() -> Element? {
    if older.isEmpty {
      swap(&older, &newer)
      older.reverse()
    }
    let element = older.popLast()
    if older.isEmpty, older.capacity > Self.keptRoom { older = [] }
    return element
  }

  /// Takes the newest. A queue is meant to be taken from at one end only: after ``popFirst()``
  /// this may move everything.
  package mutating func popLast() -> Element? {
    if newer.isEmpty { return older.isEmpty ? nil : older.removeFirst() }
    return newer.removeLast()
  }

  /// Takes everything, in order.
  package mutating func removeAll() -> [Element] {
    let all = older.reversed() + newer
    self = Queue()
    return all
  }
}

extension Queue: Sendable where Element: Sendable {}
