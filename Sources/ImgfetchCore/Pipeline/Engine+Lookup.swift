// The first stage, on a disk thread: memory, then disk, hop by hop through what is stored, until there is an answer or the network is
// needed.
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
    let url = flight.request.url
    walk(
      Hop(
        flight, at: url, key: flight.key, rules: rules(for: flight, at: url), mirrors: flight.request.mirrors[...],
        costBefore: flight.traffic, begun: clock.now()))
  }

  /// Goes on from a hop, over redirects that are stored, until there is an answer or the network is needed.
  func walk(_ hop: Hop) {
    var next = Optional(hop)
    while let hop = next.take() { next = look(from: hop) }
  }

  /// The hop that a redirect or a mirror leads to.
  func hop(to next: NextHop, after hop: Hop) -> Hop {
    let flight = hop.flight
    let rules = hop.rules.isOffline ? hop.rules : rules(for: flight, at: next.url)
    var made = Hop(
      flight, at: next.url, key: key(of: flight, at: next.url), rules: rules, mirrors: next.mirrors,
      costBefore: next.traffic, begun: hop.begun)
    made.hops = next.hops
    made.isFromPublic = next.isFromPublic
    made.isByHearsay = hop.isByHearsay
    made.staleBecause = hop.staleBecause
    return made
  }

  private func rules(for flight: Flight, at url: WebURL) -> CachingRules {
    let options = flight.options
    if options.policy == .http {
      let request = CacheRequest(cacheFields(of: flight, at: url), now: clock.wallTime())
      return .byHTTP(HTTPRules(request: request, isRefresh: options.isRefresh, isDistrusted: options.distrustsCache))
    }
    let asksOnce = options.policy == .reload || options.policy == .refresh
    return .byAge(
      AgeRules(
        policy: options.policy, isFirstAsking: asksOnce && isFirstAsking(of: flight.key),
        maximumAge: options.maximumAge, isDistrusted: options.distrustsCache))
  }

  /// Looks for an answer at a hop. Which hop is next; nil: the flight was answered, or is on its way to the network.
  private func look(from hop: consuming Hop) -> Hop? {
    let flight = hop.flight
    if isCancelled {
      land(flight, nil, Self.cancelled)
      return nil
    }
    var hop = hop
    if hop.rules.readsMemory {
      let isJudged = hop.rules.http != nil
      let selection = Selection(hop.key, by: hop.rules.http?.request.fields) { [memory] key in
        memory.lookup(key).map { StoredCopy($0, isJudged: isJudged) }
      }
      // What this process remembers will do while it may be served as it is; else the disk may have something newer.
      if let copy = selection.found, let end = use(copy, &hop, isLast: false) { return end.next }
    }
    guard hop.rules.readsDisk else {
      if hop.rules.http?.request.preconditions.isForOrigin == true {
        explain(flight) { "not looked for in the cache: the request's condition is for the origin to judge" }
      }
      hop.look = .skipped(clock.wallTime())
      setOut(hop)
      return nil
    }
    if let part = unseenPart(of: hop) {
      explainAsking(hop)
      depart(Departure(hop), claimed: part)
      return nil
    }
    if let end = lookOnDisk(&hop) { return end.next }
    setOut(hop)
    return nil
  }

  /// A hop was dealt with; nil as the next: the flight was answered, or is on its way to the network.
  private struct End { var next: Hop? }

  private func lookOnDisk(_ hop: inout Hop) -> End? {
    let flight = hop.flight
    let http = hop.rules.http
    // Also where there is nothing to be seen: an old entry that could not be read for a moment would be taken for a new one.
    let missed = http == nil ? FirstLook.skipped(clock.wallTime().earlier(FirstLook.lag)) : .missed
    let selection = Selection(hop.key, by: http?.request.fields) { key in
      entry(at: key, for: flight).map { StoredCopy($0, isJudged: http != nil) }
    }
    hop.place = selection.place
    // It tells where the others are, so it is remembered with them.
    if selection.place != hop.key, let first = selection.first { memory.insert(first) }
    hop.variedBy = selection.variedBy
    hop.look = selection.present?.entry.map { .saw($0.stamp) } ?? missed
    misses.note(selection.present == nil)
    if let copy = selection.found { return use(copy, &hop, isLast: true) }
    guard http != nil else { return nil }
    if servePart(hop) { return End() }
    let varied = hop.variedBy
    explain(flight) {
      selection.present == nil && varied.isEmpty
        ? "not stored" : "stored, but for requests that differ in \(varied.joined(separator: ", "))"
    }
    return nil
  }

  /// Makes of a stored copy what the rules allow. Nil: it is no answer; and it is put to the origin where that is of use.
  ///
  /// - Parameter isLast: whether no other cache is looked at after this one.
  private func use(_ copy: StoredCopy, _ hop: inout Hop, isLast: Bool) -> End? {
    let flight = hop.flight
    if hop.rules.isOffline, let objection = objectionOffline(to: copy.metadata, isFromPublic: hop.isFromPublic, flight)
    {
      land(flight, nil, objection)
      return End()
    }
    switch permitted(verdict(on: copy, hop, isTold: isLast), copy.metadata, flight) {
    case .ignore: break
    case .ask(let fallback):
      guard isLast else { break }
      // That the origin calls it right would not make it do.
      if let objection = lastingObjection(to: copy, hop) {
        explain(flight) { "stored, but it does not do: \(objection)" }
        break
      }
      (hop.copy, hop.fallback) = (copy, fallback)
    case .serve(let serving):
      switch serve(copy, hop, as: serving) {
      case .landed: return End()
      case .goesOn(let next): return End(next: next)
      case .unfit: break
      }
    }
    return nil
  }

  private func verdict(on copy: StoredCopy, _ hop: Hop, isTold: Bool) -> CachingRules.Use {
    let options = hop.flight.options
    let now = clock.wallTime()
    switch hop.rules {
    case .byAge(let rules):
      let age = copy.age(now: now)
      switch rules.verdict(age: age) {
      case .serve: return .serve(.age(age ?? 0))
      case .revalidate: return .ask(options.servesStale ? .stale : .none)
      case .ignore: return .ignore
      }
    case .byHTTP(let rules):
      switch rules.verdict(on: copy.answer, now: now) {
      case .serve(let rule): return .serve(.rule(rule))
      case .validate(let rule):
        if isTold { explain(hop.flight) { "stored, and \(rule)" } }
        guard options.servesStale, rule.mayServeStaleOnError, copy.metadata.status < 500 else { return .ask(.none) }
        return .ask(rule.hasErrorWindow ? .preferred : .stale)
      case .ignore(let obstacle):
        if isTold { explain(hop.flight) { "stored, but not for this policy: \(obstacle)" } }
        return .ignore
      }
    }
  }

  /// A part to download into, claimed without having looked for an entry first: where one image after the other is missing the next
  /// probably is too, and a thread that holds its part has to look anyhow.
  private func unseenPart(of hop: Hop) -> Part? {
    let flight = hop.flight
    guard misses.isUsual, case .byAge = hop.rules, flight.options.policy.storesOnDisk, let disk,
      knownFailure(of: flight, stored: nil) == nil
    else { return nil }
    let part = disk.claimUnseen(flight.key)
    if part == nil { misses.note(false) }
    return part
  }

  /// What the disk has under a key.
  ///
  /// Where one output after the other has its bytes already, bodies are left unread: the output's attribute and the entry's
  /// metadata say that they agree. Reading both and comparing them took half of the time of such a list.
  private func entry(at key: CacheKey, for flight: Flight) -> CachedEntry? {
    disk?.lookup(key, withBody: !standingOutputs.isUsual) {
      explain(flight) { "stored, but damaged: not to be served" }
    }
  }

  /// To the network, unless the request wants nothing from there, or it is known that there is nothing.
  private func setOut(_ hop: Hop) {
    let flight = hop.flight
    if let refusal = hop.rules.refusalToAsk(hop.url, hops: hop.hops, of: flight.request.url) {
      return land(flight, nil, refusal)
    }
    if hop.hops == 0, let failure = knownFailure(of: flight, stored: hop.copy?.entry?.stored) {
      explain(flight) { "known to fail: not asked for again" }
      return land(flight, nil, failure)
    }
    explainAsking(hop)
    depart(Departure(hop, validators: hop.validators(now: clock.wallTime())))
  }

  private func explainAsking(_ hop: Hop) {
    guard isWatched, case .byAge(let rules) = hop.rules else { return }
    if let copy = hop.copy {
      let age = copy.age(now: clock.wallTime())
      // Where it is young enough, its way is why, and that has been said.
      if rules.verdict(age: age) == .serve { return }
      explain(hop.flight) {
        "\(rules.reasonToAsk(whenStored: age)): the origin is asked whether it is still right"
      }
    } else if case .saw = hop.look {
      // What is wrong with it has been said.
    } else if !rules.isDistrusted {
      explain(hop.flight) { "\(rules.reasonToAsk): the origin is asked" }
    }
  }
}
