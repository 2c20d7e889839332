/// Makes the answer of a stored copy, if it meets this run's demands. Follows stored redirects.
struct ServeStage: Stage {
  let pipeline: Pipeline

  /// Serves a copy. Returns the flight's answer, its next hop or its failure, or ``FlightMachine/Event/notFound``
  /// if the copy will not do.
  func serve(_ stored: StoredCopy, _ flight: Flight, as serving: CachingRules.Serving) -> Flight.Event {
    guard sources.isAllowed(stored, flight), sources.mayFollow(stored, flight) else { return .notFound }
    let rules = flight.hop.rules
    if rules.followsStoredRedirects, let event = follow(stored, flight, serving) { return event }
    let copy = inspected(stored, flight)
    guard var answer = answer(of: copy, flight.hop, serving) else { return .notFound }
    if rules.http != nil, answer.status != 206, !flight.options.acceptedStatuses.contains(answer.status) {
      if case .insteadOf = serving { return .notFound }
      log.explain(flight) { "stored with status \(copy.metadata.status), \(serving)" }
      noteUse(of: copy, flight)
      return .failed(AnswerRule.refusal(answer.status, flight.hop.url))
    }
    if let objection = objection(answer, copy, flight) {
      log.explain(flight) { "stored, but it does not do: \(objection)" }
      flight.hop.objection = objection
      return .notFound
    }
    log.explain(flight) { "\(copy.whereabouts), \(serving): served" }
    noteUse(of: copy, flight, isVerified: answer.body === copy.body)
    answer.isShared = flight.hop.isShared
    answer.copy = copy
    switch serving {
    case .age: break
    case .confirmed: answer.isRevalidated = true
    case .insteadOf(let error): answer.markStale(because: told(error, flight))
    case .gone(let mark):
      answer.isStale = true
      answer.warnings = ["\(flight.request.url.display): \(mark.reason); a stored image is served"]
    case .rule(let rule):
      answer.isStale = rule.action != .serve
      answer.isToBeRefreshed = rule.action == .serveStaleAndRefresh
    }
    if let error = flight.hop.staleBecause { answer.markStale(because: error) }
    return .answered(CompleteAnswer(answer))
  }

  /// The failure as one of the image, also if the target of a redirect has failed.
  private func told(_ error: FetchError, _ flight: Flight) -> FetchError {
    let request = flight.request
    if error.subject == request.url.display { return error }
    return error.told(
      to: request.url.display, mirrors: request.mirrors, redirectedTo: flight.traffic.lastAsked)
  }

  /// Moves on to the target of a stored redirect. Returns nil if the copy is not a redirect.
  private func follow(
    _ copy: StoredCopy, _ flight: Flight, _ serving: CachingRules.Serving
  ) -> Flight.Event? {
    let status = copy.metadata.status
    // Most copies are images, whose fields are not decoded here.
    guard RedirectRule.statuses.contains(status) else { return nil }
    switch RedirectRule.decide(
      status: status, location: copy.answer.fields.first("Location"), from: flight.hop.url, hops: flight.hop.hops,
      options: flight.options)
    {
    case .notARedirect: return nil
    case .refuse(let reason, let remedy):
      return .failed(FetchError(.refused, flight.hop.url.display, reason, status: status, remedy: remedy))
    case .follow(let target):
      log.explain(flight) { "redirects (\(status), stored, \(serving)) to \(target.display)" }
      if let reason = flight.objection(to: target) { return .failed(FetchError(.refused, target.display, reason)) }
      noteUse(of: copy, flight)
      var next = self.hop(
        of: flight,
        to: NextHop(
          target, from: flight.hop.givenURL, hops: flight.hop.hops + 1, mirrors: flight.hop.mirrors,
          isFromPublic: flight.hop.isFromPublic))
      switch copy.metadata.provenance.address {
      case .allPublic: next.isFromPublic = true
      case .notPublic: break
      case .unknown, .ownFile:
        let isElsewhere = target.host != flight.hop.url.host && !flight.hop.rules.isOffline
        if isElsewhere { (next.isFromPublic, next.isFromUnknownRedirect) = (true, true) }
      }
      if case .insteadOf(let error) = serving { next.staleBecause = error }
      flight.move(to: next)
      return .movedOn
    }
  }

  /// The answer to the request: the whole copy, or the reply to the request's own conditions.
  private func answer(of copy: StoredCopy, _ hop: borrowing Hop, _ serving: CachingRules.Serving) -> Answer? {
    var answer = Answer(of: copy)
    guard let http = hop.rules.http else { return answer }
    let now = clock.wallTime()
    answer.finalURL = hop.url.displayWithScheme
    let fields =
      if case .confirmed = serving { copy.answer.fields } else { copy.answer.deliveredFields(now: now) }
    let length = copy.body.count
    let outcome = http.request.preconditions.judge(copy.answer, length: length, now: now)
    var part: ImageBody?
    if case .part(let range) = outcome {
      part = copy.body.part(range, spool: configuration.spoolFolder)
      if part == nil { return nil }
    }
    answer.apply(outcome, fields, length: length, part: part)
    return answer
  }

  /// Notes that a copy was used: for the order in which entries are evicted, and in this process's memory.
  private func noteUse(of copy: StoredCopy, _ flight: Flight, isVerified: Bool = false) {
    guard copy.cache != .memory else { return }
    // An image from the cache that machines share is in the disk's folder by now.
    if copy.cache == .remote, copy.entry.file == nil {
      for tier in configuration.ownTiers { tier.touch(copy.entry) }
      if flight.options.policy.storesOnDisk { disk?.keep(copy.body, copy.metadata, stored: copy.entry.stored) }
    } else {
      disk?.touch(copy.entry)
    }
    if flight.options.policy.keepsReadInMemory {
      // An own format is not decoded again for each answer from this memory, see `StoreStage`.
      let isOwn = isVerified && !configuration.ownFormats.isEmpty
      memory.keep(isOwn ? copy.entry.having(copy.metadata.verified(flight.options.verification)) : copy.entry)
    }
  }
}

// MARK: - Hops

extension ServeStage {
  /// The hop that a flight begins at.
  func firstHop(of waiter: Waiter) -> Hop {
    let request = waiter.request
    var hop = Hop(
      at: request.url, from: request.url, key: waiter.key, rules: rules(for: request, waiter.key, at: request.url),
      mirrors: request.mirrors[...])
    hop.isFromPublic = request.options.isNamedByPublicPage
    return hop
  }

  /// The hop that a redirect or a mirror leads a flight to.
  func hop(of flight: Flight, to next: NextHop) -> Hop {
    let rules = flight.hop.rules.isOffline ? flight.hop.rules : rules(for: flight.request, flight.key, at: next.url)
    var made = Hop(
      at: next.url, from: next.givenURL, key: identity.key(of: flight, at: next.url), rules: rules, hops: next.hops,
      mirrors: next.mirrors)
    made.isFromPublic = next.isFromPublic
    made.mayPass = next.mayPass
    if next.isMirror { return made }
    made.isFromUnknownRedirect = flight.hop.isFromUnknownRedirect
    made.staleBecause = flight.hop.staleBecause
    return made
  }

  func hop(of flight: Flight, toMirror next: NextHop) -> Hop {
    if flight.machine.looksUpEachHop { return hop(of: flight, to: next) }
    // The image is kept under its own URL, wherever it comes from.
    var made = Hop(
      at: next.url, from: next.givenURL, key: flight.key, rules: flight.hop.rules, mirrors: next.mirrors)
    made.mayPass = next.mayPass
    return made
  }

  private func rules(for request: FetchRequest, _ key: CacheKey, at url: WebURL) -> CachingRules {
    let options = request.options
    if options.policy == .http {
      let fields = CacheRequest(identity.cacheFields(of: request, at: url), now: clock.wallTime())
      return .byHTTP(
        HTTPRules(request: fields, isRefresh: request.purpose.isRefresh, isDistrusted: request.shared.distrustsCaches))
    }
    let asksOnce = options.policy == .reload || options.policy == .refresh
    return .byAge(
      AgeRules(
        policy: options.policy, isFirstAsking: asksOnce && mayAskAgain(key),
        maximumAge: options.ageLimit, isDistrusted: request.shared.distrustsCaches,
        believesServers: options.believesServers, leastAge: options.leastAge))
  }

  /// True if the origin still has to be asked, under policies that always ask. Once is enough in a run. A program that
  /// uses the library wants to know each time it asks, and shares a request only while that is in progress.
  private func mayAskAgain(_ key: CacheKey) -> Bool {
    configuration.memories == .ofTime || record.isFirstAsking(of: key)
  }
}

// MARK: - Ranges

extension ServeStage {
  /// Answers a request for a range from a stored range that contains it. Returns nil if there is none that is fresh.
  func serveRange(_ flight: Flight) -> CompleteAnswer? {
    let now = clock.wallTime()
    guard let request = flight.hop.rules.http?.request, request.preconditions.range != nil,
      let entry = disk?.lookup(flight.hop.entryKey.ofPart)
    else { return nil }
    let copy = StoredCopy(entry)
    guard sources.isAllowed(copy, flight), sources.mayFollow(copy, flight) else { return nil }
    guard let range = StoredRange(copy), range.whole.obstacle == nil, range.whole.isSelected(by: request.fields)
    else { return nil }
    let rule = range.whole.reuse(for: request.directives, now: now)
    guard rule.action == .serve,
      case .part(let asked) = request.preconditions.judge(range.whole, length: range.total, now: now),
      let body = range.body(of: asked, spool: configuration.spoolFolder)
    else { return nil }
    var answer = Answer(cache: .disk, metadata: entry.metadata, body: body)
    answer.finalURL = flight.hop.url.displayWithScheme
    answer.apply(.part(asked), range.whole.deliveredFields(now: now), length: range.total, part: body)
    if objection(answer, copy, flight) != nil { return nil }
    log.explain(flight) { "a part on disk, \(rule): served" }
    disk?.touch(entry)
    return CompleteAnswer(answer)
  }
}

// MARK: - Demands

extension ServeStage {
  private func objection(_ answer: borrowing Answer, _ copy: StoredCopy, _ flight: Flight) -> String? {
    guard answer.body === copy.body else {
      return flight.options.verification == .none || answer.status == 304 || verify(answer.body, flight)
        ? nil : "a part of an image cannot be verified"
    }
    return objection(to: copy, flight)
  }

  /// The reason why a stored copy will not do even if the origin confirms it, or nil if it will, or is not delivered as
  /// it is.
  func lastingObjection(to copy: StoredCopy, _ flight: Flight) -> String? {
    if let request = flight.hop.rules.http?.request {
      let status = copy.metadata.status
      guard flight.options.acceptedStatuses.contains(status), !RedirectRule.statuses.contains(status),
        request.preconditions.range == nil, !request.preconditions.areConditional
      else { return nil }
    }
    return objection(to: copy, flight)
  }

  private func objection(to copy: StoredCopy, _ flight: Flight) -> String? {
    if copy.metadata.verification < flight.options.verification, !verify(copy.body, flight) {
      return "it was verified less than is asked now, and is no whole image"
    }
    return Demands.objection(
      status: copy.metadata.status, facts: copy.metadata.facts, bytes: copy.body.count, url: flight.request.url,
      flight.shared)?.reason
  }

  /// The copy with what its image is, if a run that verifies nothing has stored it: names, filters and rows need that.
  func inspected(_ copy: StoredCopy, _ flight: Flight) -> StoredCopy {
    guard copy.metadata.facts == nil, copy.metadata.verification < flight.options.verification else { return copy }
    var inspector = BodyInspector(
      limits: InspectionLimits(maxPixels: flight.options.maximumPixels), formats: configuration.ownFormats)
    var metadata = copy.metadata
    do {
      try copy.body.read { piece in _ = try? inspector.feed(piece) }
      switch try inspector.verdict() {
      case nil: return copy
      case .accepted(let facts): (metadata.facts, metadata.verification) = (facts, .structure)
      case .doubtful(let facts, _): metadata.facts = facts
      }
    } catch { return copy }
    metadata.mime = EntryMetadata.mime(metadata.facts, metadata.fields)
    return StoredCopy(
      copy.entry.having(metadata), in: copy.cache, isOfOwnTier: copy.isOfOwnTier,
      isJudged: flight.hop.rules.http != nil)
  }

  /// Inspects a body that a less strict run has stored.
  private func verify(_ body: ImageBody, _ flight: Flight) -> Bool {
    var inspector = BodyInspector(
      limits: InspectionLimits(maxPixels: flight.options.maximumPixels), formats: configuration.ownFormats)
    do {
      // The inspector keeps a failure, and returns it at the end.
      try body.read { piece in _ = try? inspector.feed(piece) }
      let facts: ImageFacts
      var isDecoded = flight.options.verification == .decode
      switch try inspector.verdict() {
      case nil:
        guard let own = inspector.own else { return false }
        try workers.engage { () throws(FetchError) in
          try own.verify(body, flight.options, about: flight.request.url.display)
        }
        return true
      case .accepted(let found): facts = found
      case .doubtful(let found, _):
        guard configuration.pixelExecutor.isShutIn else { return false }
        (facts, isDecoded) = (found, true)
      }
      if isDecoded {
        try workers.engage {
          try PixelCheck.verify(
            body, facts, configuration.pixelLimits(flight.options, configuration.pixelScope(of: flight)))
        }
      }
    } catch { return false }
    return true
  }
}
