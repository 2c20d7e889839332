import Testing

@testable import ImgfetchCore

@Suite("Job queue: what is done next")
struct JobQueueTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  @Test("What somebody waits for comes before what is done ahead of time, each in its order")
  func lanes() {
    var queue = JobQueue<String>()
    queue.add("ahead 1", to: .ahead, at: start)
    queue.add("due 1", to: .due, at: start)
    queue.add("ahead 2", to: .ahead, at: start)
    queue.add("due 2", to: .due, at: start)
    #expect(queue.count == 4)
    var order: [String] = []
    while let job = queue.take() { order.append(job) }
    #expect(order == ["due 1", "due 2", "ahead 1", "ahead 2"])
    #expect(queue.count == 0)
  }

  @Test("It tells since when the first of a lane has waited")
  func waiting() {
    var queue = JobQueue<Int>()
    #expect(queue.waitingSince(in: .due) == nil)
    queue.add(1, to: .due, at: start)
    queue.add(2, to: .due, at: start + .seconds(1))
    #expect(queue.waitingSince(in: .due) == start)
    _ = queue.take()
    #expect(queue.waitingSince(in: .due) == start + .seconds(1))
    #expect(queue.waitingSince(in: .ahead) == nil)
  }

  @Test("A long line keeps its order while its taken part is dropped")
  func long() {
    var queue = JobQueue<Int>()
    var taken: [Int] = []
    for number in 0..<5000 {
      queue.add(number, to: .due, at: start)
      if number % 3 == 0, let job = queue.take() { taken.append(job) }
    }
    while let job = queue.take() { taken.append(job) }
    #expect(taken == Array(0..<5000))
  }
}
