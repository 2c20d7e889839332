// The first stages, on a disk thread: memory, then disk; and setting out for the network where they have no answer.
extension Engine {
  /// Answers a flight from a cache, or sends it on its way once all that were asked for before it have been looked up.
  func prepare(_ flight: Flight) {
    lookUp(flight)
    let refusals = turnstile.withLock { turnstile in turnstile.pass(flight.id).compactMap(setOut) }
    refusals.forEach(fail)
  }

  func lookUp(_ flight: Flight) {
    if isCancelled { return land(flight, nil, Self.cancelled) }
    if let refusal = refusal(of: flight) { return land(flight, nil, refusal) }
    let options = flight.options
    if options.policy == .http { return prepareByHTTP(flight) }
    if options.policy == .only { return answerOffline(flight) }
    let asksOnce = options.policy == .reload || options.policy == .refresh
    let reading = CacheReading(
      policy: options.policy, isFirstAsking: asksOnce && isFirstAsking(of: flight.key), maximumAge: options.maximumAge,
      isDistrusted: options.distrustsCache)
    if reading.readsMemory, let kept = memory.lookup(flight.key), let answer = recall(kept, flight, reading) {
      return land(flight, answer, nil)
    }
    if reading.readsDisk, let part = unseenPart(of: flight) {
      explainAsking(flight, reading, .missed, nil)
      return depart(Departure(flight: flight), .missed, claimed: part)
    }
    var stored: CachedEntry?
    // Also where there is nothing to be seen: an old entry that could not be read for a moment would be taken for a new one.
    let began = clock.wallTime()
    var looked = FirstLook.skipped(reading.readsDisk ? began.earlier(FirstLook.lag) : began)
    if reading.readsDisk, let entry = entry(at: flight.key, for: flight) {
      looked = .saw(entry.stamp)
      misses.note(false)
      switch permitted(reading.verdict(age: entry.age(now: clock.wallTime())), entry.metadata, flight) {
      case .serve:
        if let answer = answer(from: entry, flight) { return land(flight, answer, nil) }
      case .revalidate:
        // That the origin calls it right would not make it do.
        if isFit(entry, flight) { stored = entry }
      case .ignore: break
      }
    } else if reading.readsDisk {
      misses.note(true)
    }
    if let failure = knownFailure(of: flight, stored: stored?.stored) {
      explain(flight) { "known to fail: not asked for again" }
      return land(flight, nil, failure)
    }
    explainAsking(flight, reading, looked, stored)
    let validators = stored.map { Validators($0.metadata.fields, now: clock.wallTime()) }
    depart(
      Departure(flight: flight, stored: stored, validators: validators.flatMap { $0.isEmpty ? nil : $0 }), looked)
  }

  /// A part to download into, claimed without having looked for an entry first: where one image after the other is missing the next
  /// probably is too, and whoever holds its part has to look anyhow.
  private func unseenPart(of flight: Flight) -> Part? {
    guard misses.isUsual, flight.options.policy.storesOnDisk, let disk, knownFailure(of: flight, stored: nil) == nil
    else { return nil }
    let part = disk.claimUnseen(flight.key)
    if part == nil { misses.note(false) }
    return part
  }

  /// What the disk has under a key.
  ///
  /// Where one output after the other has its bytes already, bodies are left unread: the output's attribute and the entry's
  /// metadata say that they agree. Reading both and comparing them took half of the time of such a list.
  func entry(at key: CacheKey, for flight: Flight) -> CachedEntry? {
    disk?.lookup(key, withBody: !standingOutputs.isUsual) {
      explain(flight) { "stored, but damaged: not to be served" }
    }
  }

  private func explainAsking(_ flight: Flight, _ reading: CacheReading, _ looked: FirstLook, _ stored: CachedEntry?) {
    if let stored {
      // Where it is young enough, its way is why, and that has been said.
      if isWatched, reading.verdict(age: stored.age(now: clock.wallTime())) == .serve { return }
      explain(flight) {
        "\(reading.reasonToAsk(whenStored: stored.age(now: clock.wallTime()))): the origin is asked whether it is still right"
      }
    } else if case .saw = looked {
      // What is wrong with it has been said.
    } else if !reading.isDistrusted {
      explain(flight) { "\(reading.reasonToAsk): the origin is asked" }
    }
  }

  /// What this process remembers.
  func recall(_ kept: MemoryCache.Kept, _ flight: Flight, _ reading: CacheReading) -> Answer? {
    let now = clock.wallTime()
    let age = now.since(kept.stored).seconds
    guard reading.verdict(age: age) == .serve, kept.metadata.verification >= flight.options.verification else {
      return nil
    }
    let body = kept.image
    guard objection(kept.metadata, body, flight) == nil, isAllowed(kept.metadata, flight) else { return nil }
    explain(flight) { "in memory, \(CacheReading.words(age)) old: served" }
    return Answer(cache: .memory, metadata: kept.metadata, body: body)
  }

  /// Whether a stored image is all that the run demands.
  private func isFit(_ entry: CachedEntry, _ flight: Flight) -> Bool {
    if entry.metadata.verification < flight.options.verification, !verify(entry.body, flight) {
      explain(flight) { "stored, but it does not pass --verify \(flight.options.verification.name)" }
      return false
    }
    if let objection = objection(entry.metadata, entry.body, flight) {
      explain(flight) { "stored, but it does not do: \(objection.reason)" }
      return false
    }
    return true
  }

  /// An answer from the disk, if it is all that the run demands.
  func answer(from entry: CachedEntry, _ flight: Flight) -> Answer? {
    guard isAllowed(entry.metadata, flight), isFit(entry, flight) else { return nil }
    disk?.touch(entry)
    if flight.options.policy.storesInMemory, case .bytes(let bytes) = entry.body.content {
      memory.insert(
        entry.key, metadata: entry.metadata, body: bytes, hash: entry.bodyHash, stored: entry.stored)
    }
    explain(flight) { "on disk, \(CacheReading.words(entry.age(now: clock.wallTime()) ?? 0)) old: served" }
    var answer = Answer(cache: .disk, metadata: entry.metadata, body: entry.body)
    answer.entry = entry
    return answer
  }

  func objection(_ metadata: EntryMetadata, _ body: ImageBody, _ flight: Flight) -> FetchError? {
    Demands.objection(
      status: metadata.status, facts: metadata.facts, bytes: body.count, url: flight.request.url, flight.options)
  }

  /// Looks at a body that was stored by a run that looked less closely.
  func verify(_ body: ImageBody, _ flight: Flight) -> Bool {
    var inspector = Inspector(limits: InspectionLimits(maxPixels: flight.options.maximumPixels))
    var failed = false
    do {
      try body.read { piece in
        if !failed { do { try inspector.feed(piece) } catch { failed = true } }
      }
      let facts = try inspector.finish()
      if flight.options.verification == .decode {
        try workers.engage { try PixelCheck.verify(body, facts, pixelLimits(flight)) }
      }
    } catch { return false }
    return !failed
  }

  /// Sets out for the network where the answer is to be kept: with a part to write to, or with the lock on the entry that the origin is
  /// asked about.
  func depart(_ departure: Departure, _ looked: FirstLook, claimed: Part? = nil) {
    // It loads while the part is claimed; where it cannot be started, whoever conducts hears of it.
    if !hasLoop.load(ordering: .relaxed) { _ = try? network() }
    var departure = departure
    let flight = departure.flight
    if let claimed {
      adopt(claimed, &departure)
    } else if flight.options.policy.storesOnDisk, departure.leg?.keepsAnswers ?? true, let disk {
      switch departure.questioned.map(disk.claimEntry) ?? disk.claimPart(departure.key, after: looked) {
      case .claimed(let part): adopt(part, &departure)
      case .entitled(let lock): departure.lock = lock
      case .published(let entry):
        if let leg = departure.leg { return walk(leg.answeredElsewhere) }
        // Stored by another process since we looked.
        if var answer = answer(from: entry, flight) {
          answer.isShared = true
          return land(flight, answer, nil)
        }
      case .busy(let busy):
        if isFirstWaiting(for: departure.key) {
          explain(flight) { "another process is fetching it: this one waits for that" }
          let waiting = departure
          return conduct(departure) { $0.wait(waiting, for: busy) }
        }
        take(disk.claimPrivatePart(departure.key), &departure)
      case .unavailable(let warning): departure.warnings.append(warning)
      }
    }
    let ready = departure
    conduct(departure) { $0.depart(ready) }
  }

  /// Looks whether another process, which has the key, is done.
  func poll(_ departure: Departure, _ busy: BusyPart) {
    workers.add { [self] in
      let flight = departure.flight
      var ready = departure
      switch busy.poll() {
      case .busy(let busy): return conduct(departure) { $0.keepWaiting(flight.id, for: busy) }
      case .published(let entry):
        if let leg = departure.leg {
          conduct(departure) { $0.forget(flight.id) }
          return walk(leg.answeredElsewhere)
        }
        if var answer = answer(from: entry, flight) {
          answer.isShared = true
          conduct(departure) { $0.forget(flight.id) }
          return land(flight, answer, nil)
        }
        if let disk { take(disk.claimPrivatePart(flight.key), &ready) }
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
      if let disk { take(disk.claimPrivatePart(departure.key), &ready) }
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

  private typealias Refusal = (errand: NetworkErrand, failure: TransportFailure)

  /// Under the turnstile's lock, since two threads that have let go of it might overtake one another.
  private func setOut(_ errand: NetworkErrand) -> Refusal? {
    do throws(TransportFailure) { try conduct(errand.work) } catch { return (errand, error) }
    return nil
  }

  private func fail(_ refusal: Refusal) {
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

extension Answer {
  /// An answer that lies in a cache, or will.
  init(cache: CacheType, metadata: EntryMetadata, body: ImageBody) {
    self.init(
      cache: cache, status: metadata.status, finalURL: metadata.finalURL, mime: metadata.mime, facts: metadata.facts,
      fields: .encoded(metadata.storedFields), body: body, provenance: metadata.provenance, place: metadata.key)
  }
}
