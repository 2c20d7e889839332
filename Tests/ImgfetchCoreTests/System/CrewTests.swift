import Testing

@testable import ImgfetchCore

@Suite("Crew: who is called for what waits")
struct CrewTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private var late: Instant { start + Crew.patience }

  private func queue(due: Int = 0, ahead: Int = 0) -> JobQueue<Int> {
    var queue = JobQueue<Int>()
    for number in 0..<due { queue.add(number, to: .due, at: start) }
    for number in 0..<ahead { queue.add(number, to: .ahead, at: start) }
    return queue
  }

  @Test("Nobody is called for nothing; the first job starts a thread, and those behind it wait for that one")
  func first() {
    var crew = Crew(limit: 4)
    #expect(crew.call(for: queue(), at: start) == .nobody)
    #expect(crew.call(for: queue(due: 1), at: start) == .thread(0))
    #expect(crew.call(for: queue(due: 9), at: start) == .nobody)
  }

  @Test("A thread that could not be started is tried again at the next call")
  func lacking() {
    var crew = Crew(limit: 1)
    #expect(crew.call(for: queue(due: 1), at: start) == .thread(0))
    crew.lacksThread()
    #expect(crew.call(for: queue(due: 1), at: start) == .thread(0))
    #expect(crew.call(for: queue(due: 1), at: start) == .nobody)
  }

  @Test("Where the one that is awake falls behind, further threads are started, up to the limit")
  func behind() {
    var crew = Crew(limit: 2)
    _ = crew.call(for: queue(due: 1), at: start)
    #expect(crew.call(for: queue(due: 9), at: late) == .thread(1))
    #expect(crew.call(for: queue(due: 9), at: late) == .nobody)
  }

  @Test("Who was called is not called again before it has heard that")
  func calledOnce() {
    var crew = Crew(limit: 1)
    _ = crew.call(for: queue(due: 1), at: start)
    crew.fallsAsleep()
    #expect(crew.call(for: queue(due: 1), at: start) == .sleeper)
    #expect(crew.call(for: queue(due: 2), at: start) == .nobody)
    crew.awakes()
    crew.fallsAsleep()
    #expect(crew.call(for: queue(due: 1), at: start) == .sleeper)
  }

  @Test("The reserve is recalled only when nobody sleeps at the queue")
  func reserve() {
    var crew = Crew(limit: 2)
    _ = crew.call(for: queue(due: 1), at: start)
    _ = crew.call(for: queue(due: 1), at: late)
    crew.rests()
    crew.fallsAsleep()
    #expect(crew.call(for: queue(due: 1), at: start) == .sleeper)
    #expect(crew.call(for: queue(due: 1), at: start) == .nobody)
    #expect(crew.call(for: queue(due: 1), at: late) == .reserve)
  }

  @Test("A long job calls another thread for what waits behind it")
  func engaged() {
    var crew = Crew(limit: 2)
    _ = crew.call(for: queue(due: 1), at: start)
    crew.begins()
    #expect(crew.call(for: queue(due: 1), at: start) == .thread(1))
    crew.ends()
    #expect(crew.call(for: queue(due: 1), at: start) == .nobody)
  }

  @Test("Work ahead of time calls nobody to the core that somebody else keeps busy, however long it waits")
  func shared() {
    var crew = Crew(limit: 2)
    crew.sharesCores = true
    _ = crew.call(for: queue(ahead: 1), at: start)
    #expect(crew.call(for: queue(ahead: 9), at: late) == .nobody)
    #expect(crew.call(for: queue(due: 1, ahead: 9), at: late) == .thread(1))
    var larger = Crew(limit: 3)
    larger.sharesCores = true
    _ = larger.call(for: queue(ahead: 1), at: start)
    #expect(larger.call(for: queue(ahead: 9), at: late) == .thread(1))
    var left = Crew(limit: 2)
    left.sharesCores = true
    _ = left.call(for: queue(ahead: 1), at: start)
    left.sharesCores = false
    #expect(left.call(for: queue(ahead: 9), at: late) == .thread(1))
  }

  @Test("A helper counts while it is there, and who is nudged awake without having been called too")
  func helpers() {
    var crew = Crew(limit: 1)
    crew.joins()
    #expect(crew.call(for: queue(due: 1), at: start) == .nobody)
    crew.fallsAsleep()
    crew.awakes()
    crew.leaves()
    #expect(crew.call(for: queue(due: 1), at: start) == .thread(0))
  }
}
