import Testing

@testable import ImgfetchCore

@Suite("A queue") struct QueueTests {
  @Test("What is appended comes out in the same order, whatever is taken in between")
  func order() {
    var queue = Queue<Int>()
    var (next, expected) = (0, 0)
    for step in 0..<10_000 {
      if step % 7 < 4 {
        queue.append(next)
        next += 1
      } else if let first = queue.first {
        #expect(first == expected && queue.popFirst() == expected)
        expected += 1
      }
      #expect(queue.count == next - expected)
    }
    #expect(queue.removeAll() == Array(expected..<next))
    #expect(queue.isEmpty && queue.first == nil && queue.popFirst() == nil && queue.popLast() == nil)
  }

  @Test("The newest can be taken, too")
  func newest() {
    var queue = Queue<Int>()
    for number in 1...4 { queue.append(number) }
    #expect(queue.popFirst() == 1 && queue.popLast() == 4)
    queue.append(5)
    #expect(queue.popLast() == 5 && queue.popLast() == 3 && queue.popFirst() == 2 && queue.isEmpty)
  }

  /// A queue that is never empty must not keep elements that have been taken: in a list of
  /// uploads, that was every image.
  @Test("What was taken is not kept, though others still wait")
  func release() {
    final class Image {}
    var queue = Queue<Image>()
    weak var first: Image?
    do {
      let image = Image()
      first = image
      queue.append(image)
    }
    for _ in 0..<3 { queue.append(Image()) }
    #expect(first != nil)
    _ = queue.popFirst()
    #expect(first == nil && queue.count == 3)
  }
}
