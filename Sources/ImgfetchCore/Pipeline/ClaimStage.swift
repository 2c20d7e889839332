import Synchronization

/// Claims the place where a flight's answer will be kept, so that of several processes that want the same image one asks for it.
struct ClaimStage: Sendable {
  let disk: DiskCache?
  let record: RunRecord
  let resumption: PartResumption
  let gate: ClaimGate
  let log: FlightLog

  /// What is known about the place.
  enum Finding {
    case settled(FlightMachine.Event)
    /// Another process is fetching the same image, and is worth waiting for.
    case busy(BusyPart)
  }

  /// Whether a flight may claim a place now. If not, it is resumed when it may.
  func mayRun(_ flight: Flight) -> Bool {
    guard flight.options.policy.storesOnDisk, disk != nil else { return true }
    return gate.admit(flight, waiting: true)
  }

  /// Claims a part to write to, or the lock on the entry that the origin is asked about.
  func run(_ flight: Flight) -> Finding {
    guard flight.options.policy.storesOnDisk, flight.hop.keepsAnswers, let disk else { return .settled(.claimed) }
    return settle(
      flight.questioned.map(disk.claimEntry) ?? disk.claimPart(flight.hop.place, after: flight.hop.look), flight,
      mayWait: true)
  }

  /// Claims a part of this flight's own, without regard to another process.
  func runAlone(_ flight: Flight) -> FlightMachine.Event {
    guard let disk else { return .claimed }
    if case .settled(let event) = settle(disk.claimPrivatePart(flight.hop.place), flight, mayWait: false) {
      return event
    }
    return .claimed
  }

  /// The part is this flight's: its body goes there, and what is in it may be the body's beginning.
  func adopt(_ part: Part, _ flight: Flight) {
    flight.claim.part = part
    flight.claim.beginning = resumption.pickUp(part, flight)
  }

  /// Takes over what a claim has found, right away or after another process was waited for.
  func settle(_ claim: PartClaim, _ flight: Flight, mayWait: Bool) -> Finding {
    switch claim {
    case .claimed(let part): adopt(part, flight)
    case .lockedEntry(let lock): flight.claim.lock = lock
    case .unavailable(let warning): flight.claim.warnings.append(warning)
    case .published(let entry):
      flight.storedElsewhere = StoredCopy(entry, isJudged: false)
      if flight.hop.rules.http != nil { flight.hop.noteStoredElsewhere() }
      return .settled(.storedElsewhere)
    case .busy(let busy):
      guard mayWait, record.isFirstWaiting(for: flight.hop.place) else { return .settled(.busy(mayWait: false)) }
      log.explain(flight) { "another process is fetching it: this one waits for that" }
      return .busy(busy)
    }
    return .settled(.claimed)
  }
}

/// Bounds how many flights have their place on the cache's disk claimed, since each holds an open file there.
///
/// A program that reads a list stops reading before that (``Fetcher/window``). Tasks that ask by themselves do not: of ten thousand, all
/// but some hundreds wait here, as a list of flights.
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
    var urgent = Line()
    var usual = Line()
    var late = Line()

    mutating func next() -> Flight? { urgent.take() ?? usual.take() ?? late.take() }
  }

  /// First in, first out. What was taken is dropped in large blocks.
  private struct Line {
    private var flights: [Flight?] = []
    private var head = 0

    mutating func add(_ flight: Flight) { flights.append(flight) }

    mutating func take() -> Flight? {
      guard head < flights.count else { return nil }
      defer {
        flights[head] = nil
        head += 1
        if head == flights.count || head >= 1024 {
          flights.removeFirst(head)
          head = 0
        }
      }
      return flights[head]
    }
  }

  private let limit: Int
  private let state = Guarded(State())
  private let resume: @Sendable (Flight) -> Void

  /// - Parameters:
  ///   - limit: how many may hold a claim.
  ///   - resume: called with a flight whose turn has come, on any thread. Must not block.
  init(limit: Int, resume: @escaping @Sendable (Flight) -> Void) {
    self.limit = max(1, limit)
    self.resume = resume
  }

  /// Whether the flight may claim now. If not, and `waiting`, it will be resumed when its turn has come.
  func admit(_ flight: Flight, waiting: Bool) -> Bool {
    // What one inside waits for would wait for that one.
    if flight.pass != nil || flight.options.isForAnother { return true }
    let isIn = state.withLock { state in
      if state.inside < limit {
        state.inside += 1
        return true
      }
      guard waiting else { return false }
      switch flight.request.priority {
      case .high: state.urgent.add(flight)
      case .normal: state.usual.add(flight)
      case .low: state.late.add(flight)
      }
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
