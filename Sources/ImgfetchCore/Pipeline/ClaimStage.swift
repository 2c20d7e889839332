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
