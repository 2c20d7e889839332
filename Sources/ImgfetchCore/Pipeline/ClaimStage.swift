import Synchronization

/// Claims the part that a flight's answer will be kept in, so that of several processes that want the same image one
/// asks for it.
struct ClaimStage: Stage {
  let pipeline: Pipeline

  /// True if a flight may claim a part now. If it may not, `resume` is called when it may, on any thread.
  func mayRun(_ flight: Flight, orLater resume: @escaping @Sendable (Flight) -> Void) -> Bool {
    guard flight.options.policy.storesOnDisk, disk != nil else { return true }
    return pipeline.gate.admit(flight, orLater: resume)
  }

  /// Claims a part to write to, or the lock on the entry that the origin is asked about.
  func run(_ flight: Flight) -> Flight.Event {
    guard flight.options.policy.storesOnDisk, flight.hop.keepsAnswers, let disk else { return .claimed(Claim()) }
    return settle(
      flight.hop.questioned.map(disk.claimEntry) ?? disk.claimPart(flight.hop.entryKey, after: flight.hop.look), flight,
      mayWait: true)
  }

  /// Claims a part of this flight's own, without regard to another process.
  func runAlone(_ flight: Flight) -> Claim {
    switch disk?.claimPrivatePart(flight.hop.entryKey) {
    case .claimed(let part): return adopt(part, flight)
    case .unavailable(let warning): flight.hop.warnings.append(warning)
    // No other process knows of such a part.
    case .busy, .published, .lockedEntry, nil: break
    }
    return Claim()
  }

  /// Takes a part for this flight: its body goes there, and the bytes in it may be the body's beginning.
  func adopt(_ part: Part, _ flight: Flight) -> Claim { Claim(part: part, beginning: resumption.pickUp(part, flight)) }

  /// Uses the result of a claim, right away or after another process was waited for.
  func settle(_ claim: PartClaim, _ flight: Flight, mayWait: Bool) -> Flight.Event {
    switch claim {
    case .claimed(let part): return .claimed(adopt(part, flight))
    case .lockedEntry(let lock): return .claimed(Claim(lock: lock))
    case .unavailable(let warning):
      flight.hop.warnings.append(warning)
      return .claimed(Claim())
    case .published(let entry):
      if flight.hop.rules.http != nil { flight.hop.noteStoredElsewhere() }
      return .storedElsewhere(StoredCopy(entry, isJudged: false))
    case .busy(let busy):
      guard mayWait, configuration.memories == .ofTime || record.isFirstWaiting(for: flight.hop.entryKey) else {
        return .stillBusy
      }
      log.explain(flight) { "another process is fetching it: this one waits for that" }
      return .busy(busy)
    }
  }
}
