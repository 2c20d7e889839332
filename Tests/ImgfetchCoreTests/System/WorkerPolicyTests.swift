import Testing
@testable import ImgfetchCore

@Suite("Worker policy: which thread is woken")
struct WorkerPolicyTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private var late: Instant { start + WorkerPolicy.patience }

  private func queue(due: Int = 0, ahead: Int = 0) -> JobQueue<Int> {
    var queue = JobQueue<Int>()
    for number in 0..<due { queue.add(number, to: .due, at: start) }
    for number in 0..<ahead { queue.add(number, to: .ahead, at: start) }
    return queue
  }

  @Test("An empty queue wakes no thread; the first job starts one, and the jobs behind it wait for that one")
  func first() {
    var policy = WorkerPolicy(limit: 4)
    #expect(policy.wake(for: queue(), at: start) == .none)
    #expect(policy.wake(for: queue(due: 1), at: start) == .thread(0))
    #expect(policy.wake(for: queue(due: 9), at: start) == .none)
  }

  @Test("A thread that could not be started is tried again the next time")
  func lacking() {
    var policy = WorkerPolicy(limit: 1)
    #expect(policy.wake(for: queue(due: 1), at: start) == .thread(0))
    policy.startFailed()
    #expect(policy.wake(for: queue(due: 1), at: start) == .thread(0))
    #expect(policy.wake(for: queue(due: 1), at: start) == .none)
  }

  @Test("If the awake thread falls behind, more are started, up to the limit")
  func behind() {
    var policy = WorkerPolicy(limit: 2)
    _ = policy.wake(for: queue(due: 1), at: start)
    #expect(policy.wake(for: queue(due: 9), at: late) == .thread(1))
    #expect(policy.wake(for: queue(due: 9), at: late) == .none)
  }

  @Test("A thread that was woken is not woken again before it runs")
  func calledOnce() {
    var policy = WorkerPolicy(limit: 1)
    _ = policy.wake(for: queue(due: 1), at: start)
    policy.fellAsleep()
    #expect(policy.wake(for: queue(due: 1), at: start) == .sleeper)
    #expect(policy.wake(for: queue(due: 2), at: start) == .none)
    policy.awoke()
    policy.fellAsleep()
    #expect(policy.wake(for: queue(due: 1), at: start) == .sleeper)
  }

  @Test("The reserve is woken only if no thread sleeps on the queue")
  func reserve() {
    var policy = WorkerPolicy(limit: 2)
    _ = policy.wake(for: queue(due: 1), at: start)
    _ = policy.wake(for: queue(due: 1), at: late)
    policy.joinedReserve()
    policy.fellAsleep()
    #expect(policy.wake(for: queue(due: 1), at: start) == .sleeper)
    #expect(policy.wake(for: queue(due: 1), at: start) == .none)
    #expect(policy.wake(for: queue(due: 1), at: late) == .reserve)
  }

  @Test("A long job wakes another thread for the jobs behind it")
  func engaged() {
    var policy = WorkerPolicy(limit: 2)
    _ = policy.wake(for: queue(due: 1), at: start)
    policy.longJobBegan()
    #expect(policy.wake(for: queue(due: 1), at: start) == .thread(1))
    policy.longJobEnded()
    #expect(policy.wake(for: queue(due: 1), at: start) == .none)
  }

  @Test("Work ahead of time wakes no thread for a core that is kept busy, however long it waits")
  func shared() {
    var policy = WorkerPolicy(limit: 2)
    policy.sharesCores = true
    _ = policy.wake(for: queue(ahead: 1), at: start)
    #expect(policy.wake(for: queue(ahead: 9), at: late) == .none)
    #expect(policy.wake(for: queue(due: 1, ahead: 9), at: late) == .thread(1))
    var larger = WorkerPolicy(limit: 3)
    larger.sharesCores = true
    _ = larger.wake(for: queue(ahead: 1), at: start)
    #expect(larger.wake(for: queue(ahead: 9), at: late) == .thread(1))
    var left = WorkerPolicy(limit: 2)
    left.sharesCores = true
    _ = left.wake(for: queue(ahead: 1), at: start)
    left.sharesCores = false
    #expect(left.wake(for: queue(ahead: 9), at: late) == .thread(1))
  }

  @Test("A helper counts while it helps, even if it awakes without having been woken")
  func helpers() {
    var policy = WorkerPolicy(limit: 1)
    policy.helperJoined()
    #expect(policy.wake(for: queue(due: 1), at: start) == .none)
    policy.fellAsleep()
    policy.awoke()
    policy.helperLeft()
    #expect(policy.wake(for: queue(due: 1), at: start) == .thread(0))
  }
}

@Suite("Job queue: which job is next")
struct JobQueueTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  @Test("Jobs that are waited for come before those ahead of time, each lane in order")
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

  @Test("It knows since when the first job of a lane has waited")
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

  @Test("A long lane keeps its order while taken jobs are dropped")
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
