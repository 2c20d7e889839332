/// Looks for an answer in the caches at a flight's hop. If there is none, it determines what to ask the origin.
struct LookUpStage: Stage {
  /// A cache, and the word for its answers.
  struct Tier: Sendable {
    let cache: any CacheTier
    let type: CacheType
    /// True if the origin is asked about copies of this tier, which a 304 then updates. The disk may have a newer copy
    /// than memory.
    var isAuthoritative: Bool { type == .disk }
    /// True for a tier of the program's own. Its answers have the same word as those of the remote cache, which is no
    /// tier: ``RemoteStage`` asks it once a part is claimed.
    var isOwn: Bool { type == .remote }
  }

  let pipeline: Pipeline

  func run(_ flight: Flight) -> Flight.Event {
    let rules = flight.hop.rules
    for tier in pipeline.tiers where tier.type == .memory ? rules.readsMemory : rules.readsDisk {
      if tier.type == .disk, let part = unseenPart(of: flight) {
        explainAsking(flight)
        return .claimed(claims.adopt(part, flight))
      }
      if let event = look(in: tier, flight) { return event }
    }
    if !rules.readsDisk {
      if rules.http?.request.preconditions.isForOrigin == true {
        log.explain(flight) { "not looked for in the cache: the request's condition is for the origin to judge" }
      }
      flight.hop.look = .skipped(clock.wallTime())
    }
    return notFound(flight)
  }

  private func look(in tier: Tier, _ flight: Flight) -> Flight.Event? {
    let http = flight.hop.rules.http
    let missed = http == nil ? EarlierLookup.missed(at: clock.wallTime()) : .missed
    // If one output after the other has its bytes already, bodies are not read: the output's attribute and the entry's
    // metadata say that they agree. Reading and comparing both took half of the time of such a list.
    let withBody = !pipeline.standingOutputs.isUsual
    let selection = Selection(flight.hop.key, by: http?.request.fields) { key in
      let entry = tier.cache.lookup(key, withBody: withBody) {
        log.explain(flight) { "stored, but damaged: not to be served" }
      }
      let type = tier.type == .disk && flight.machine.remote == .hadEntry ? .remote : tier.type
      return entry.map { StoredCopy($0, in: type, isOfOwnTier: tier.isOwn, isJudged: http != nil) }
    }
    if tier.type == .disk {
      flight.hop.entryKey = selection.entryKey
      flight.hop.variedBy = selection.variedBy
      flight.hop.look = selection.present.map { .saw($0.entry.stamp) } ?? missed
      pipeline.misses.note(selection.present == nil)
      // It says where the others are, so it is kept in memory with them.
      if selection.entryKey != flight.hop.key, let first = selection.first { memory.keep(first) }
    }
    if let copy = selection.found { return use(copy, from: tier, flight) }
    guard http != nil, tier.type == .disk else { return nil }
    if let answer = serving.serveRange(flight) { return .answered(answer) }
    let varied = selection.variedBy
    log.explain(flight) {
      selection.present == nil && varied.isEmpty
        ? "not stored" : "stored, but for requests that differ in \(varied.joined(separator: ", "))"
    }
    return nil
  }

  /// Uses a stored copy as the rules allow. Returns nil if it is not an answer; then the origin may be asked about it.
  private func use(_ copy: StoredCopy, from tier: Tier, _ flight: Flight) -> Flight.Event? {
    if flight.hop.rules.isOffline, let objection = sources.objectionOffline(to: copy, flight) {
      return .failed(objection)
    }
    let use = use(for: copy, flight, isExplained: tier.isAuthoritative)
    switch sources.permitted(use, copy, flight) {
    case .ignore: break
    case .ask(let fallback):
      guard tier.isAuthoritative else { break }
      // A confirmation by the origin would not make it acceptable.
      if let objection = serving.lastingObjection(to: serving.inspected(copy, flight), flight) {
        log.explain(flight) { "stored, but it does not do: \(objection)" }
        break
      }
      (flight.hop.copy, flight.hop.fallback) = (copy, fallback)
    case .serve(let why):
      let event = serving.serve(copy, flight, as: why)
      if case .notFound = event { break }
      return event
    }
    return nil
  }

  private func use(for copy: StoredCopy, _ flight: Flight, isExplained: Bool) -> CachingRules.Use {
    let options = flight.options
    let now = clock.wallTime()
    if let mark = copy.metadata.gone {
      if isExplained, flight.hop.rules.http != nil {
        log.explain(flight) { "stored, but gone since \(HTTPDate.format(mark.since)): \(mark.reason)" }
      }
      return flight.hop.rules.asksOrigin ? .ask(.none) : .serve(.gone(mark))
    }
    switch flight.hop.rules {
    case .byAge(let rules):
      let age = copy.age(now: now)
      switch verdict(on: copy, of: age, by: rules) {
      case .serve: return .serve(.age(age ?? 0))
      case .revalidate: return .ask(options.servesStale ? .stale : .none)
      case .ignore: return .ignore
      }
    case .byHTTP(let rules):
      let isExpired = copy.entry.isExpired
      switch rules.verdict(on: copy.answer, isExpired: isExpired, now: now) {
      case .serve(let rule): return .serve(.rule(rule))
      case .validate(let rule):
        if isExplained {
          log.explain(flight) {
            isExpired ? "stored, but the last answer of its origin could not be stored" : "stored, and \(rule)"
          }
        }
        guard options.servesStale, rule.mayServeStaleOnError, copy.metadata.status < 500 else { return .ask(.none) }
        return .ask(rule.hasErrorWindow ? .preferred : .stale)
      case .ignore(let obstacle):
        if isExplained { log.explain(flight) { "stored, but not for this policy: \(obstacle)" } }
        return .ignore
      }
    }
  }

  private func verdict(on copy: StoredCopy, of age: Double?, by rules: AgeRules) -> AgeRules.Verdict {
    rules.verdict(
      age: age, isOfThisRun: copy.entry.stored >= pipeline.started, isExpired: copy.entry.isExpired,
      stated: copy.statedAge)
  }

  /// A part to download into, claimed without looking for an entry first. If one image after the other is missing, the
  /// next probably is, too, and a thread looks again anyway once it holds the part.
  private func unseenPart(of flight: Flight) -> Part? {
    guard pipeline.misses.isUsual, pipeline.tiers.last?.isOwn != true, log.hooks.mayDownload == nil,
      case .byAge = flight.hop.rules, flight.options.policy.storesOnDisk, let disk,
      failures.failure(of: flight, stored: nil) == nil, pipeline.gate.admit(flight)
    else { return nil }
    let part = disk.claimUnseen(flight.key)
    if part == nil { pipeline.misses.note(false) }
    return part
  }

  /// Ends a look-up that found no answer. The origin is asked, unless the request forbids that, or the URL is known to
  /// fail.
  private func notFound(_ flight: Flight) -> Flight.Event {
    if let refusal = flight.hop.rules.refusalToAsk(
      flight.hop.url, hops: flight.hop.hops, of: flight.request.url, objection: flight.hop.objection)
    {
      return .failed(refusal)
    }
    if flight.hop.hops == 0, !flight.isAtMirror,
      let failure = failures.failure(of: flight, stored: flight.hop.copy?.entry.stored)
    {
      log.explain(flight) { "known to fail: not asked for again" }
      guard let mirror = NextHop(toFirstOf: flight.hop.mirrors) else { return .failed(failure) }
      flight.move(to: serving.hop(of: flight, toMirror: mirror))
      return .movedOn
    }
    if let mayDownload = log.hooks.mayDownload, flight.purpose.concernsProgram, !mayDownload(flight.request) {
      record.forgetAsking(of: flight.key)
      return .failed(
        FetchError(
          .offline, flight.request.url.display,
          flight.hop.copy == nil
            ? "not in the cache, and the program does not let it be downloaded"
            : "stored, but not fresh, and the program does not let its origin be asked"))
    }
    explainAsking(flight)
    flight.hop.setCondition(now: clock.wallTime())
    return .notFound
  }

  private func explainAsking(_ flight: Flight) {
    guard log.isWatched, case .byAge(let rules) = flight.hop.rules, flight.request.purpose.isCached else { return }
    if let copy = flight.hop.copy {
      let age = copy.age(now: clock.wallTime())
      // If it is young enough, the reason is the way by which it came, which has been explained.
      let (stated, gone) = (copy.statedAge, copy.metadata.gone)
      if gone == nil, verdict(on: copy, of: age, by: rules) == .serve { return }
      log.explain(flight) {
        let isExpired = copy.entry.isExpired
        let reason = rules.reasonToAsk(whenStored: age, isExpired: isExpired, stated: stated, gone: gone)
        return "\(reason): the origin is asked whether it is still right"
      }
    } else if case .saw = flight.hop.look {
      // Its problem has been explained.
    } else if !rules.isDistrusted {
      log.explain(flight) {
        let wasEvicted = rules.readsDisk && disk?.wasEvicted(flight.key) == true
        return wasEvicted
          ? "not in the cache any more, since cleaning has removed it: the origin is asked"
          : "\(rules.reasonToAsk): the origin is asked"
      }
    }
  }
}

extension MemoryCache {
  /// Keeps a stored copy if its body is in memory.
  func keep(_ copy: StoredCopy) { keep(copy.body, copy.metadata, stored: copy.answer.responseTime) }
}

extension StoredAnswer {
  init(_ metadata: EntryMetadata) {
    self.init(
      status: metadata.status, fields: metadata.fields, requestTime: metadata.requestTime,
      responseTime: metadata.responseTime, selecting: metadata.varyFields.map { (name: $0.0, value: $0.1) })
  }
}

extension AnswerHead {
  /// The source of a stored image's bytes and fields after this answer has confirmed the bytes.
  func provenance(confirming stored: EntryMetadata) -> Provenance {
    var confirmed = stored.provenance.confirmed(by: provenance)
    // The confirmation may come from another URL than the bytes.
    if url.displayWithScheme != stored.finalURL {
      let origin = url.origin.description
      if confirmed.otherOrigins?.contains(origin) == false { confirmed.otherOrigins?.append(origin) }
    }
    return confirmed
  }
}
