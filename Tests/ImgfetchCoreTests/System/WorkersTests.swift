import Testing

@testable import ImgfetchCore

@Suite("Workers: the threads that work with disks")
struct WorkersTests {
  @Test("The calling thread does what little work there is, and no thread is started")
  func helping() {
    let workers = Workers(bound: 1024)
    let done = Guarded(0)
    workers.add(.later) { done.withLock { $0 += 1 } }
    workers.help(until: { _ in done.withLock { $0 } == 1 })
    #expect(done.withLock { $0 } == 1)
    #expect(!workers.hasThreads)
    workers.close()
  }

  @Test("A helping thread learns that it is done, even between its last check and its sleep")
  func nudging() {
    let workers = Workers(limit: 1, bound: 1024)
    workers.add {}
    for _ in 0..<5000 {
      let isOver = Guarded(false)
      workers.add {
        isOver.withLock { $0 = true }
        workers.nudge()
      }
      workers.help(until: { _ in isOver.withLock { $0 } })
      #expect(isOver.withLock { $0 })
    }
    workers.close()
  }

  @Test("Every job runs once, and closing waits for all of them")
  func all() {
    let workers = Workers(limit: 3, bound: 1024)
    let done = Guarded([Int](repeating: 0, count: 5000))
    for number in 0..<5000 { workers.add { done.withLock { $0[number] += 1 } } }
    workers.close()
    #expect(done.withLock { $0 } == [Int](repeating: 1, count: 5000))
  }

  @Test("If no thread can be started, the one that adds a job runs it, with those that it leads to")
  func noThreads() async {
    await #expect(processExitsWith: .success) {
      Faults.arm { call, _ in call == .threadCreate ? .fail(.tryAgain) : .proceed }
      let workers = Workers(bound: 1024)
      let done = Guarded(0)
      workers.add {
        workers.add { done.withLock { $0 += 1 } }
        done.withLock { $0 += 1 }
      }
      #expect(done.withLock { $0 } == 2)
      Faults.disarm()
      workers.add { done.withLock { $0 += 1 } }
      workers.close()
      #expect(done.withLock { $0 } == 3)
    }
  }

  @Test("What waits is bounded: full at the bound, and reported as drained at half of it, once")
  func bound() {
    let drains = Guarded(0)
    let workers = Workers(bound: 100, drained: { drains.withLock { $0 += 1 } })
    workers.hold(99)
    #expect(!workers.isFull)
    workers.hold(1)
    #expect(workers.isFull)
    workers.release(40)
    #expect(drains.withLock { $0 } == 0)
    workers.release(20)
    workers.release(20)
    #expect(drains.withLock { $0 } == 1)
    workers.close()
  }
}
