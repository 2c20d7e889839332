// Between the caches and the network, on a disk thread: where the answer is to be kept is claimed, so that of several processes one asks.
extension Engine {
  /// Sets out for the network where the answer is to be kept: with a part to write to, or with the lock on the entry that the origin is
  /// asked about.
  func depart(_ departure: Departure, claimed: Part? = nil) {
    // It loads while the part is claimed; where it cannot be started, the network stage's callers hear of it.
    if !hasLoop.load(ordering: .relaxed) { _ = try? network() }
    var departure = departure
    let flight = departure.flight
    if let claimed {
      adopt(claimed, &departure)
    } else if flight.options.policy.storesOnDisk, departure.hop.keepsAnswers, let disk {
      switch departure.questioned.map(disk.claimEntry) ?? disk.claimPart(departure.hop.place, after: departure.hop.look)
      {
      case .claimed(let part): adopt(part, &departure)
      case .entitled(let lock): departure.lock = lock
      case .published(let entry): if serve(published: entry, departure.hop) { return }
      case .busy(let busy):
        if isFirstWaiting(for: departure.hop.place) {
          explain(flight) { "another process is fetching it: this one waits for that" }
          let waiting = departure
          return conduct(departure) { $0.wait(waiting, for: busy) }
        }
        take(disk.claimPrivatePart(departure.hop.place), &departure)
      case .unavailable(let warning): departure.warnings.append(warning)
      }
    }
    let ready = departure
    conduct(departure) { $0.depart(ready) }
  }

  /// Answers with what another process has stored since the look. False: it is not what this run demands.
  private func serve(published entry: CachedEntry, _ hop: Hop) -> Bool {
    let shared = hop.answeredElsewhere
    if hop.rules.http != nil {
      walk(shared)
      return true
    }
    let copy = StoredCopy(entry, isJudged: false)
    if case .landed = serve(copy, shared, as: .age(copy.age(now: clock.wallTime()) ?? 0)) { return true }
    return false
  }

  /// Looks whether another process, which has the key, is done.
  func poll(_ departure: Departure, _ busy: BusyPart) {
    workers.add { [self] in
      let flight = departure.flight
      var ready = departure
      switch busy.poll() {
      case .busy(let busy): return conduct(departure) { $0.keepWaiting(flight.id, for: busy) }
      case .published(let entry):
        let forget: @Sendable (NetworkStage) -> Void = { $0.forget(flight.id) }
        if departure.hop.rules.http != nil {
          // First of all: the flight may set out again, and the stage would forget that.
          conduct(departure, forget)
          return walk(departure.hop.answeredElsewhere)
        }
        if serve(published: entry, departure.hop) { return conduct(departure, forget) }
        if let disk { take(disk.claimPrivatePart(departure.hop.place), &ready) }
      case .claimed(let part): adopt(part, &ready)
      case .entitled(let lock): ready.lock = lock
      case .unavailable(let warning): ready.warnings.append(warning)
      }
      let departure = ready
      conduct(departure) { $0.departAfterWaiting(departure) }
    }
  }

  /// The process that has the key does not get on: its part is left to it.
  func fetchAlone(_ departure: Departure) {
    workers.add { [self] in
      explain(departure.flight) {
        "the other process has stood still for as long as --timeout: not waited for any longer"
      }
      var ready = departure
      if let disk { take(disk.claimPrivatePart(departure.hop.place), &ready) }
      let departure = ready
      conduct(departure) { $0.departAfterWaiting(departure) }
    }
  }

  private func take(_ claim: PartClaim, _ departure: inout Departure) {
    switch claim {
    case .claimed(let part): departure.part = part
    case .unavailable(let warning): departure.warnings.append(warning)
    case .published, .busy, .entitled: break
    }
  }

  /// Has the network stage do something for a flight, in its turn; without a network the flight fails.
  func conduct(_ departure: Departure, _ work: @escaping @Sendable (NetworkStage) -> Void) {
    let errand = NetworkErrand(departure: departure, work: work)
    let refusal = turnstile.withLock { $0.hold(errand, for: departure.flight.id).flatMap(setOut) }
    if let refusal { fail(refusal) }
  }

  typealias Refusal = (errand: NetworkErrand, failure: TransportFailure)

  /// Under the turnstile's lock, since two threads that have let go of it might overtake one another.
  func setOut(_ errand: NetworkErrand) -> Refusal? {
    do throws(TransportFailure) { try conduct(errand.work) } catch { return (errand, error) }
    return nil
  }

  func fail(_ refusal: Refusal) {
    let departure = refusal.errand.departure
    departure.part?.abandon(keepForResume: true)
    let url = departure.flight.request.url.display
    failed(departure, FetchError(.connect, url, refusal.failure.reason), hasReception: true)
  }
}

/// What is to be done on the network's thread for a flight.
struct NetworkErrand: Sendable {
  let departure: Departure
  let work: @Sendable (NetworkStage) -> Void
}
