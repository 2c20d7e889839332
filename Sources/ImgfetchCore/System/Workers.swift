import Synchronization

/// The threads that touch disks: they look entries up, inspect, hash and write. Nothing that may block is done elsewhere.
///
/// One queue; jobs are taken one at a time, in order. What they hold is counted in bytes, and whoever feeds them asks
/// ``isFull`` first: so the queue is bounded though adding to it never blocks.
/// Threads start when there is work for more than the caller, and never more than `limit`. On a machine of two cores
/// each is pinned to one and runs at nice 5, so that neither the network's thread nor a server beside it waits behind a
/// file: measured, that is the difference between 1.1 and 0.87 x `curl --parallel` over HTTP/2.
package final class Workers: Sendable {
  package typealias Job = @Sendable () -> Void

  /// A job as it is queued: in an array of bare closures each would be wrapped anew at every step.
  private struct Queued {
    let run: Job
  }

  private struct State {
    var jobs: [Queued?] = []
    /// Where the queue begins in `jobs`; the taken part is dropped in large pieces.
    var head = 0
    /// Threads, helpers among them, that sleep and could take a job.
    var idle = 0
    var threads: [ThreadBox] = []
    var isClosed = false
    var count: Int { jobs.count - head }

    mutating func take() -> Queued? {
      guard head < jobs.count else { return nil }
      let job = jobs[head]
      jobs[head] = nil
      head += 1
      if head == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 1024, head * 2 >= jobs.count {
        jobs.removeFirst(head)
        head = 0
      }
      return job
    }
  }

  /// Arrays hold no values without copies yet, so each handle sits in a box.
  private final class ThreadBox: Sendable {
    let handle: Threads.Handle
    init(_ handle: consuming sending Threads.Handle) { self.handle = handle }
  }

  private let state = Guarded(State())
  /// Bytes that wait; a number only, so its order with other memory does not matter.
  private let held = Atomic<Int>(0)
  private let limit: Int
  private let bound: Int
  private let drained: @Sendable () -> Void
  private let afterEach: @Sendable (Workers) -> Void

  /// - Parameters:
  ///   - limit: how many threads at most; one a core is right.
  ///   - bound: how many bytes may wait before ``isFull``; `drained` is called when they have fallen to half of it again.
  ///   - afterEach: called after each job, by its thread.
  package init(
    limit: Int = Threads.cores, bound: Int, drained: @escaping @Sendable () -> Void = {},
    afterEach: @escaping @Sendable (Workers) -> Void = { _ in }
  ) {
    self.limit = max(1, limit)
    self.bound = bound
    self.drained = drained
    self.afterEach = afterEach
  }

  /// Whether so many bytes wait to be dealt with that their source should pause.
  package var isFull: Bool { held.load(ordering: .relaxed) >= bound }

  /// So many more bytes wait.
  package func hold(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }

  /// So many have been dealt with.
  package func letGo(_ bytes: Int) {
    let (before, after) = held.subtract(bytes, ordering: .relaxed)
    if before >= bound / 2 && after < bound / 2 { drained() }
  }

  /// Adds a job. Never blocks. A thread is started or woken unless `later` says that more jobs, or ``wake()``, or
  /// ``help(until:)`` follow at once.
  package func add(later: Bool = false, _ job: @escaping Job) {
    state.withLock { $0.jobs.append(Queued(run: job)) }
    if !later { wake() }
  }

  /// Sees to it that somebody works while there is work.
  package func wake() {
    enum Need { case nothing, signal, broadcast, thread(Int) }
    let need: Need = state.withLock { state in
      if state.count == 0 { return .nothing }
      if state.idle > 0 { return state.count > 1 && state.idle > 1 ? .broadcast : .signal }
      if state.threads.count < limit { return .thread(state.threads.count) }
      return .nothing
    }
    switch need {
    case .nothing: break
    case .signal: state.signal()
    case .broadcast: state.broadcast()
    case .thread(let number): startThread(number)
    }
  }

  private func startThread(_ number: Int) {
    let cores = Threads.cores
    guard
      let handle = try? Threads.start(
        name: "imgfetch-disk-\(number)", nice: cores > 1 ? 5 : 0, core: cores == 2 ? number % 2 : nil,
        { [self] in work() })
    else { return }  // The threads that there are, or the helping caller, do the work.
    let box = ThreadBox(handle)
    state.withLock { $0.threads.append(box) }
  }

  private func work() {
    while let job = next(orUntil: nil) {
      job.run()
      afterEach(self)
    }
  }

  /// Lets the calling thread work too, until `isDone`: asked before each job and after each ``nudge()``, under the queue's lock, so
  /// it may not use the queue itself; whether there are other threads it is told.
  package func help(until isDone: @escaping @Sendable (_ hasThreads: Bool) -> Bool) {
    while let job = next(orUntil: isDone) {
      job.run()
      afterEach(self)
    }
    // A helper that leaves may have been woken for a job that it did not take.
    wake()
  }

  /// Has those who help ask their question again.
  package func nudge() {
    // Its answer is not kept under this lock. Who has just asked, and is about to sleep, holds the lock until it does: only once
    // it was to be had is everybody asleep who must hear this.
    state.withLock { _ in }
    state.broadcast()
  }

  /// Whether nothing waits to be done.
  package var isEmpty: Bool { state.withLock { $0.count == 0 } }

  /// Whether there are threads besides those who help.
  package var hasThreads: Bool { state.withLock { !$0.threads.isEmpty } }

  private func next(orUntil isDone: (@Sendable (Bool) -> Bool)?) -> Queued? {
    var isCountedIdle = false
    let taken: Queued?? = state.wait { state in
      let isOver = isDone?(!state.threads.isEmpty) == true
      let job = isOver ? nil : state.take()
      if job != nil || isOver || state.isClosed {
        if isCountedIdle { state.idle -= 1 }
        return .some(job)
      }
      if !isCountedIdle {
        state.idle += 1
        isCountedIdle = true
      }
      return nil
    }
    return taken ?? nil
  }

  /// Ends the threads once the queue is empty, and waits for them.
  package func close() {
    let threads = state.withLock { state in
      state.isClosed = true
      defer { state.threads = [] }
      return state.threads
    }
    state.broadcast()
    for thread in threads { thread.handle.join() }
  }
}
