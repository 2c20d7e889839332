// The first stages under HTTP's own rules: hop by hop through what is stored, and to the network from the first hop that
// has no answer.
extension Engine {
  /// Answers a flight from the cache, or sends it on its way.
  func prepareByHTTP(_ flight: Flight) {
    let request = cacheRequest(of: flight, to: flight.request.url)
    var leg = Leg(
      flight, at: flight.request.url, key: flight.key, request: request, mirrors: flight.request.mirrors[...],
      begun: clock.now())
    leg.downloaded = flight.traffic.downloaded
    leg.attempts = flight.traffic.attempts
    walk(leg)
  }

  /// Goes on from a hop, over redirects that are stored, until there is an answer or the network is needed.
  func walk(_ leg: Leg) {
    var next: Leg? = leg
    while let leg = next { next = step(leg) }
  }

  /// The next hop.
  func leg(at hop: NextHop, after leg: Leg) -> Leg {
    let flight = leg.flight
    var next = Leg(
      flight, at: hop.url, key: key(of: flight, at: hop.url), request: cacheRequest(of: flight, to: hop.url),
      mirrors: hop.mirrors, begun: leg.begun)
    next.hops = hop.hops
    next.attempts = hop.traffic.attempts
    next.downloaded = hop.traffic.downloaded
    next.staleBecause = leg.staleBecause
    next.isFromPublic = hop.isFromPublic
    next.isByHearsay = leg.isByHearsay
    return next
  }

  private func cacheRequest(of flight: Flight, to url: WebURL) -> CacheRequest {
    CacheRequest(cacheFields(of: flight, at: url), now: clock.wallTime())
  }

  /// Whether the hop is behind us, and which is the next; nil: the flight was answered, or is on its way.
  private func step(_ leg: Leg) -> Leg? {
    let flight = leg.flight
    if isCancelled {
      land(flight, nil, Self.cancelled)
      return nil
    }
    if leg.request.preconditions.isForOrigin {
      explain(flight) { "not looked for in the cache: the request's condition is for the origin to judge" }
      setOut(leg)
      return nil
    }
    if flight.options.distrustsCache {
      var leg = leg
      leg.look = .skipped(clock.wallTime())
      setOut(leg)
      return nil
    }
    // What this process remembers will do while it may be served as it is; else the disk may have something newer.
    let remembered = Selection(leg.key, by: leg.request.fields) { [memory] key in
      memory.lookup(key).map { StoredFind($0.metadata, body: $0.image, entry: nil) }
    }
    if let found = remembered.found, case .serve(let rule) = verdict(on: found, leg) {
      switch serve(found, leg, as: .stored(rule)) {
      case .landed: return nil
      case .goesOn(let next): return next
      case .unfit: break
      }
    }
    var leg = leg
    let selection = Selection(leg.key, by: leg.request.fields) { key in entry(at: key, for: flight).map(StoredFind.init)
    }
    leg.place = selection.place
    // It tells where the others are, so it is remembered with them.
    if selection.place != leg.key, let first = selection.first { memory.insert(first) }
    leg.variedBy = selection.variedBy
    leg.look = selection.present?.entry.map { .saw($0.stamp) } ?? .missed
    guard let found = selection.found else {
      if servePart(leg) { return nil }
      explain(flight) {
        selection.present == nil && selection.variedBy.isEmpty
          ? "not stored" : "stored, but for requests that differ in \(selection.variedBy.joined(separator: ", "))"
      }
      setOut(leg)
      return nil
    }
    if let reason = refusal(of: found, leg) {
      explain(flight) { "stored, but not to be served: \(reason)" }
      setOut(leg)
      return nil
    }
    switch verdict(on: found, leg) {
    case .ignore(let obstacle): explain(flight) { "stored, but not for this policy: \(obstacle)" }
    case .validate(let rule):
      explain(flight) { "stored, and \(rule)" }
      // That the origin calls it right would not make it do.
      if let objection = lastingObjection(to: found, leg) {
        explain(flight) { "stored, but it does not do: \(objection)" }
        break
      }
      leg.found = found
      leg.mayServeStale = flight.options.servesStale && rule.mayServeStaleOnError && found.answer.status < 500
      leg.prefersStale = leg.mayServeStale && rule.hasErrorWindow
    case .serve(let rule):
      switch serve(found, leg, as: .stored(rule)) {
      case .landed: return nil
      case .goesOn(let next): return next
      case .unfit:
        // Only for its way, of which the origin is asked.
        if verdict(on: found.metadata, flight) != .allowed, lastingObjection(to: found, leg) == nil {
          leg.found = found
        }
      }
    }
    setOut(leg)
    return nil
  }

  /// Why a stored answer is of no use for its way, whatever its origin says of it; nil: it may be.
  private func refusal(of found: StoredFind, _ leg: Leg) -> String? {
    if case .refused(let reason) = verdict(on: found.metadata, leg.flight) { return reason }
    return nil
  }

  private func verdict(on found: StoredFind, _ leg: Leg) -> HTTPVerdict {
    HTTPVerdict(found, for: leg.request, isRefresh: leg.flight.options.isRefresh, now: clock.wallTime())
  }

  /// To the network, unless the request wants nothing from there.
  private func setOut(_ leg: Leg) {
    let flight = leg.flight
    if leg.request.directives.onlyIfCached {
      let sentence = "there is no stored answer that could be used, and the request says only-if-cached"
      return land(flight, nil, FetchError(.offline, leg.url.display, sentence, status: 504))
    }
    if leg.hops == 0, let failure = knownFailure(of: flight, stored: leg.found?.entry?.stored) {
      return land(flight, nil, failure)
    }
    depart(Departure(flight: flight, validators: leg.validators(now: clock.wallTime()), leg: leg), leg.look)
  }

  /// Asks the origin about what was served although it is stale, once in a run. The run ends when that has come too: a
  /// program that answers one request and ends would else never learn of anything new within the time that
  /// `stale-while-revalidate` names.
  func refresh(_ leg: Leg) {
    guard !leg.flight.options.isRefresh, isFirstAsking(of: leg.flight.key) else { return }
    var request = leg.flight.request
    request.sink = nil
    request.options.isRefresh = true
    submit(request) { _ in }
  }
}
