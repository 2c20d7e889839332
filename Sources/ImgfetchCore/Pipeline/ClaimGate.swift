import Synchronization

/// Bounds how many flights have their place on the cache's disk claimed, since each holds an open file there.
///
/// A program that reads a list stops reading before that (``Fetcher/window``). Tasks that ask by themselves do not: of
/// ten thousand, all but some hundreds wait here, as a list of flights.
///
/// May be called from any thread. Its state is behind one lock.
final class ClaimGate: Sendable {
  /// A flight's leave to hold a claim, for as long as the flight lasts.
  final class Pass: Sendable {
    private let gate: ClaimGate
    fileprivate init(_ gate: ClaimGate) { self.gate = gate }
    deinit { gate.leave() }
  }

  private struct State {
    var inside = 0
    /// The flights that wait, each with its priority.
    var waiting: [UInt64: (flight: Flight, priority: FetchRequest.Priority)] = [:]
    /// Their numbers in line, by priority. One whose priority has changed has left its number in the other line.
    var urgent = Queue<UInt64>()
    var usual = Queue<UInt64>()
    var late = Queue<UInt64>()

    mutating func add(_ flight: Flight, _ priority: FetchRequest.Priority) {
      waiting[flight.id] = (flight, priority)
      append(flight.id, priority)
    }

    mutating func append(_ id: UInt64, _ priority: FetchRequest.Priority) {
      switch priority {
      case .high: urgent.append(id)
      case .normal: usual.append(id)
      case .low: late.append(id)
      }
    }

    mutating func next() -> Flight? {
      while let id = urgent.popFirst() { if let flight = take(id, .high) { return flight } }
      while let id = usual.popFirst() { if let flight = take(id, .normal) { return flight } }
      while let id = late.popFirst() { if let flight = take(id, .low) { return flight } }
      return nil
    }

    private mutating func take(_ id: UInt64, _ priority: FetchRequest.Priority) -> Flight? {
      guard let known = waiting[id], known.priority == priority else { return nil }
      waiting[id] = nil
      return known.flight
    }
  }

  private let limit: Int
  private let state = Guarded(State())
  private let priority: @Sendable (Flight) -> FetchRequest.Priority
  private let resume: @Sendable (Flight) -> Void

  /// - Parameters:
  ///   - limit: how many may hold a claim.
  ///   - priority: a flight's. Called under this gate's lock: one that changes before is seen by it, and one
  ///     that changes after is told.
  ///   - resume: called with a flight whose turn has come, on any thread. Must not block.
  init(
    limit: Int, priority: @escaping @Sendable (Flight) -> FetchRequest.Priority = { $0.request.priority },
    resume: @escaping @Sendable (Flight) -> Void
  ) {
    self.limit = max(1, limit)
    self.priority = priority
    self.resume = resume
  }

  /// Changes the priority of a flight. Without effect on one that does not wait here.
  func setPriority(_ priority: FetchRequest.Priority, of flight: UInt64) {
    state.withLock { state in
      guard let known = state.waiting[flight], known.priority != priority else { return }
      state.waiting[flight]?.priority = priority
      state.append(flight, priority)
    }
  }

  /// True if the flight may claim now. If it may not, and `waiting` is true, it is resumed when its turn has come.
  func admit(_ flight: Flight, waiting: Bool) -> Bool {
    // A flight inside waits for this one. If it had to wait here, both would wait for ever.
    if flight.pass != nil || flight.purpose.isForOriginRules { return true }
    let isIn = state.withLock { state in
      if state.inside < limit {
        state.inside += 1
        return true
      }
      if waiting { state.add(flight, priority(flight)) }
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

  private func admitLater(_ flight: Flight) {
    flight.pass = Pass(self)
    resume(flight)
  }
}
