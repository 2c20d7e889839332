/// Feeds the requests of a list to a fetcher, as far ahead of their answers as ``LookAhead`` says.
///
/// One thread reads the list. It asks for a turn for each request, and in between sends requests that were put aside
/// and are due now. Answers are noted on any thread.
package final class ListFeeder: Sendable {
  private let pipeline: Pipeline
  private let window: Int
  private let ahead: Guarded<LookAhead>

  /// - Parameters:
  ///   - window: the number of requests that may be out without an answer before reading pauses.
  ///   - aside: the number of requests that the reader can put aside.
  init(_ pipeline: Pipeline, window: Int, aside: Int) {
    self.pipeline = pipeline
    self.window = window
    let admission = pipeline.configuration.admission
    var limits = LookAheadLimits(aside: aside)
    limits.window = window
    limits.perHost = min(admission.perHost ?? Admission.Limits.politePerHost, admission.jobs)
    limits.isSerial = admission.jobs == 1
    limits.isNewestFirst = admission.isNewestFirst
    limits.sparesConnections = !admission.keepsOrder
    let ahead = Guarded(LookAhead(limits))
    self.ahead = ahead
    // Connections to an origin are kept while the list has requests for it.
    pipeline.linesAhead.withLock { $0 = LinesAhead { origin in ahead.withLock { $0.hasAside(origin) } } }
  }

  // MARK: - The reader

  /// True if there is room for a further request that is put aside.
  package var hasRoom: Bool { ahead.withLock { $0.mayOffer } }

  /// Waits for the turn of the list's next request. Returns the slot to send it in, or nil if it was put aside.
  ///
  /// - Parameters:
  ///   - isOver: true if the run ends: the request goes out at once, to be answered as cancelled.
  ///   - willPause: called before each wait for answers.
  ///   - putAside: passes the note with which the request can be found again to ``putAside(_:at:_:)``. Returns false
  ///     if that is not possible.
  ///   - sendDue: sends the requests from ``next()``.
  package func turn(
    for origin: Origin, isOver: () -> Bool, willPause: () -> Void, putAside: (LookAhead.Slot) -> Bool,
    sendDue: () -> Void
  ) -> LookAhead.Slot? {
    while true {
      if isOver() { return ahead.withLock { $0.submit(origin) } }
      switch ahead.withLock({ $0.offer(origin) }) {
      case .submit(let slot): return slot
      case .putAside(let slot): if putAside(slot) { return nil }
      case .wait: break
      }
      willPause()
      pause()
      sendDue()
    }
  }

  /// Keeps the note by which the reader finds a request again.
  package func putAside(_ note: LookAhead.Note, at slot: LookAhead.Slot, _ priority: FetchRequest.Priority) {
    ahead.withLock { $0.putAside(note, at: slot, priority) }
  }

  /// Takes one of the requests that were put aside, to go out now, or nil if none may.
  package func next() -> (item: LookAhead.Note, slot: LookAhead.Slot)? { ahead.withLock { $0.next() } }

  /// Takes all that was put aside, in no order.
  package func takeAll() -> [LookAhead.Note] { ahead.withLock { $0.takeAll() } }

  /// Notes that the reader sleeps until an answer wakes it. Returns false if there is something to do.
  package func noteSleep() -> Bool { ahead.withLock { $0.noteSleep() } }

  /// Sends all that was put aside, as its turn comes.
  func finish(sendDue: () -> Void) {
    while ahead.withLock({ $0.count > 0 }) {
      if noteSleep() {
        pipeline.kick()
        _ = ahead.wait { $0.isAwake ? () : nil }
      }
      sendDue()
    }
  }

  // MARK: - Answers

  /// Notes the answer to the request in a slot. Returns true if the reader is woken by it.
  ///
  /// - Parameter isAnswer: true if the origin has said anything.
  @discardableResult
  package func answered(_ slot: LookAhead.Slot, isAnswer: Bool) -> Bool {
    guard ahead.withLock({ $0.answered(slot, isAnswer: isAnswer) }) else { return false }
    ahead.broadcast()
    return true
  }

  // MARK: - Pauses

  /// Waits for answers, because there is no room for another request.
  private func pause() {
    let isOnline = pipeline.hasLoop.load(ordering: .relaxed)
    // A thread that woke for each answer would take the processor from those that work.
    let outstanding = pipeline.outstanding
    let some = max(0, outstanding - max(1, outstanding / 16))
    switch ahead.withLock({ $0.pause(isOnline: isOnline) }) {
    case .none: return
    case .untilHalf: pipeline.wait(untilOutstanding: window / 2)
    case .untilSome: pipeline.wait(untilOutstanding: some)
    case .untilHalfOrInVain: if isInVain(untilOutstanding: window / 2) { ahead.withLock { $0.readOn() } }
    case .untilSomeOrInVain: if isInVain(untilOutstanding: some) { ahead.withLock { $0.readOn() } }
    }
  }

  /// The seconds that half of the window may take before the list is read further, if the process was mostly idle.
  private static let patience = 0.01

  /// Waits until at most `count` requests are outstanding. Returns true if it gave up after a time in which the process
  /// used less than half a core: the requests then wait for a slow host.
  ///
  /// If a host answers as fast as its answers can be processed, requests to another host would gain nothing. Without
  /// this check of the processor time, a list of 2,000 images from one fast host was read ahead in most runs, and
  /// nearly all of its lines were read twice.
  private func isInVain(untilOutstanding count: Int) -> Bool {
    let clock = SystemClock()
    while true {
      let (start, workedBefore) = (clock.now(), Processes.processorTime())
      if pipeline.wait(untilOutstanding: count, patience: .seconds(Self.patience)) { return false }
      let (elapsed, worked) = (clock.now() - start, Processes.processorTime() - workedBefore)
      if worked.nanoseconds * 2 < elapsed.nanoseconds { return true }
    }
  }
}
