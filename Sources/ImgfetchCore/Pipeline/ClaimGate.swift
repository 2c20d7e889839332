import Synchronization

/// Bounds the number of flights that have claimed their parts on the cache's disk, since each holds an open file
/// there.
///
/// A program that reads a list stops reading before that (``Fetcher/window``). Tasks that ask by themselves do not: of
/// ten thousand, all but some hundreds wait here, as a list of flights.
///
/// May be called from any thread. Its state is behind one lock.
final class ClaimGate: Sendable {
  /// The permission of a flight to hold a claim, for as long as the flight lasts.
  final class Pass: Sendable {
    private let gate: ClaimGate
    fileprivate init(_ gate: ClaimGate) { self.gate = gate }
    deinit { gate.leave() }
  }

  /// A flight that waits, and goes on with `resume` when its turn has come.
  private struct Waiting {
    let flight: Flight
    var priority: FetchRequest.Priority
    let resume: @Sendable (Flight) -> Void
  }

  private struct State {
    var inside = 0
    var waiting: [UInt64: Waiting] = [:]
    /// The numbers of the waiting flights, by priority. A flight whose priority has changed has left its number in the
    /// other line.
    var urgent = Queue<UInt64>()
    var usual = Queue<UInt64>()
    var late = Queue<UInt64>()

    mutating func add(_ new: Waiting) {
      waiting[new.flight.id] = new
      append(new.flight.id, new.priority)
    }

    mutating func append(_ id: UInt64, _ priority: FetchRequest.Priority) {
      switch priority {
      case .high: urgent.append(id)
      case .normal: usual.append(id)
      case .low: late.append(id)
      }
    }

    mutating func next() -> Waiting? {
      while let id = urgent.popFirst() { if let known = take(id, .high) { return known } }
      while let id = usual.popFirst() { if let known = take(id, .normal) { return known } }
      while let id = late.popFirst() { if let known = take(id, .low) { return known } }
      return nil
    }

    private mutating func take(_ id: UInt64, _ priority: FetchRequest.Priority) -> Waiting? {
      guard let known = waiting[id], known.priority == priority else { return nil }
      waiting[id] = nil
      return known
    }
  }

  private let limit: Int
  private let state = Guarded(State())
  private let priority: @Sendable (Flight) -> FetchRequest.Priority

  /// - Parameters:
  ///   - limit: the number of flights that may hold a claim.
  ///   - priority: the priority of a flight. Called under this gate's lock, so that a change is either seen by the
  ///     call or reported after it.
  init(limit: Int, priority: @escaping @Sendable (Flight) -> FetchRequest.Priority) {
    self.limit = max(1, limit)
    self.priority = priority
  }

  /// Changes the priority of a flight. Has no effect on one that does not wait here.
  func setPriority(_ priority: FetchRequest.Priority, of flight: UInt64) {
    state.withLock { state in
      guard let known = state.waiting[flight], known.priority != priority else { return }
      state.waiting[flight]?.priority = priority
      state.append(flight, priority)
    }
  }

  /// True if the flight may claim now.
  ///
  /// - Parameter resume: called on any thread with the flight when its turn has come, if that is not now. Must not
  ///   block. With nil the flight does not wait.
  func admit(_ flight: Flight, orLater resume: (@Sendable (Flight) -> Void)? = nil) -> Bool {
    // A flight that has a claim waits for this one. If this one had to wait here, both would wait for ever.
    if flight.pass != nil || flight.purpose.isForOriginRules { return true }
    let isIn = state.withLock { state in
      if state.inside < limit {
        state.inside += 1
        return true
      }
      if let resume { state.add(Waiting(flight: flight, priority: priority(flight), resume: resume)) }
      return false
    }
    if isIn { flight.pass = Pass(self) }
    return isIn
  }

  /// Admits all, because nothing will be downloaded any more.
  func open() {
    while let next = state.withLock({ state in
      let next = state.next()
      if next != nil { state.inside += 1 }
      return next
    }) { admitLater(next) }
  }

  private func leave() {
    let next = state.withLock { state in
      let next = state.inside > limit ? nil : state.next()
      if next == nil { state.inside -= 1 }
      return next
    }
    if let next { admitLater(next) }
  }

  private func admitLater(_ waiting: Waiting) {
    waiting.flight.pass = Pass(self)
    waiting.resume(waiting.flight)
  }
}
