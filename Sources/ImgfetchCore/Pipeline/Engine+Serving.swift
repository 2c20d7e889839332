// A stored copy becomes the asker's answer.
extension Engine {
  enum Served {
    /// The flight has its answer, or its failure.
    case landed
    /// It is a redirect: this hop is next.
    case goesOn(Hop)
    /// It is not what this run demands.
    case unfit
  }

  /// Answers a flight with what was found at a hop.
  func serve(_ copy: StoredCopy, _ hop: Hop, as serving: CachingRules.Serving) -> Served {
    let flight = hop.flight
    guard isAllowed(copy.metadata, flight), mayFollow(copy, hop) else { return .unfit }
    if hop.rules.followsStoredRedirects, let served = follow(copy, hop, serving) { return served }
    guard var result = form(of: copy, hop, serving) else { return .unfit }
    if hop.rules.http != nil, result.status != 206, !flight.options.acceptedStatuses.contains(result.status) {
      if case .insteadOf = serving { return .unfit }
      explain(flight) { "stored with status \(copy.metadata.status), \(serving)" }
      note(copy, flight)
      return refuse(hop, AnswerRule.refusal(result.status, hop.url))
    }
    if let objection = objection(result, copy, flight) {
      explain(flight) { "stored, but it does not do: \(objection)" }
      return .unfit
    }
    explain(flight) { "\(copy.cache == .disk ? "on disk" : "in memory"), \(serving): served" }
    note(copy, flight)
    result.isShared = hop.isShared
    result.entry = copy.entry
    var isToBeRefreshed = false
    switch serving {
    case .age: break
    case .confirmed: result.isRevalidated = true
    case .insteadOf(let error): result.markStale(because: error, hop.rules)
    case .rule(let rule):
      result.isStale = rule.action != .serve
      isToBeRefreshed = rule.action == .serveStaleAndRefresh
    }
    if let error = hop.staleBecause { result.markStale(because: error, hop.rules) }
    // Submitted first: a run that has nothing left to do ends.
    if isToBeRefreshed { refresh(flight) }
    land(flight, result, nil)
    return .landed
  }

  /// On to where a stored redirect leads; nil: it is none.
  private func follow(_ copy: StoredCopy, _ hop: Hop, _ serving: CachingRules.Serving) -> Served? {
    let flight = hop.flight
    let status = copy.metadata.status
    // Images are what is mostly found, and of those no field is looked at.
    guard RedirectRule.statuses.contains(status) else { return nil }
    switch RedirectRule.decide(
      status: status, location: copy.answer.fields.first("Location"), from: hop.url, hops: hop.hops,
      options: flight.options)
    {
    case .notARedirect: return nil
    case .refuse(let reason):
      let remedy = RedirectRule.remedy(hops: hop.hops, flight.options)
      return refuse(hop, FetchError(.refused, hop.url.display, reason, status: status, remedy: remedy))
    case .follow(let target):
      explain(flight) { "redirects (\(status), stored, \(serving)) to \(target.display)" }
      if let reason = flight.objection(to: target) { return refuse(hop, FetchError(.refused, target.display, reason)) }
      note(copy, flight)
      var next = self.hop(
        to: NextHop(
          url: target, hops: hop.hops + 1, mirrors: hop.mirrors, isFromPublic: hop.isFromPublic,
          traffic: hop.costBefore),
        after: hop)
      switch copy.metadata.provenance.address {
      case .allPublic: next.isFromPublic = true
      case .notPublic: break
      case .unknown, .ownFile:
        let isElsewhere = target.host != hop.url.host && !hop.rules.isOffline
        if isElsewhere { (next.isFromPublic, next.isByHearsay) = (true, true) }
      }
      if case .insteadOf(let error) = serving { next.staleBecause = error }
      return .goesOn(next)
    }
  }

  /// A redirect does not lead from a public address to one that is not, whether or not the answers are stored.
  private func mayFollow(_ copy: StoredCopy, _ hop: Hop) -> Bool {
    guard hop.isFromPublic, copy.metadata.provenance.address == .notPublic else { return true }
    explain(hop.flight) { "stored, but not to be served: a public address redirects to one that is not" }
    return false
  }

  /// The asker's answer: whole, or what its own conditions make of it.
  private func form(of copy: StoredCopy, _ hop: Hop, _ serving: CachingRules.Serving) -> Answer? {
    var answer = Answer(cache: copy.cache, metadata: copy.metadata, body: copy.body)
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
    answer.take(outcome, fields, length: length, part: part)
    return answer
  }

  /// Answers a request for some bytes from a stored part that has them. False: there is none such that is fresh.
  func servePart(_ hop: Hop) -> Bool {
    let flight = hop.flight
    let now = clock.wallTime()
    guard let request = hop.rules.http?.request, request.preconditions.range != nil,
      let entry = disk?.lookup(hop.place.ofPart)
    else { return false }
    let copy = StoredCopy(entry)
    guard isAllowed(entry.metadata, flight), mayFollow(copy, hop) else { return false }
    guard let part = StoredPart(copy), part.whole.obstacle == nil, part.whole.isSelected(by: request.fields)
    else { return false }
    let rule = part.whole.reuse(for: request.directives, now: now)
    guard rule.action == .serve,
      case .part(let asked) = request.preconditions.judge(part.whole, length: part.total, now: now),
      let body = part.body(of: asked, spool: configuration.spoolFolder)
    else { return false }
    var answer = Answer(cache: .disk, metadata: entry.metadata, body: body)
    answer.finalURL = hop.url.displayWithScheme
    answer.take(.part(asked), part.whole.deliveredFields(now: now), length: part.total, part: body)
    if objection(answer, copy, flight) != nil { return false }
    explain(flight) { "a part on disk, \(rule): served" }
    disk?.touch(entry)
    land(flight, answer, nil)
    return true
  }

  private func objection(_ answer: Answer, _ copy: StoredCopy, _ flight: Flight) -> String? {
    guard answer.body === copy.body else {
      return flight.options.verification == .none || answer.status == 304 || verify(answer.body, flight)
        ? nil : "a part of an image cannot be verified; --verify none takes it"
    }
    return objection(copy, flight)
  }

  /// Why a stored copy does not do even if the origin confirms it; nil if it does, or is none that an asker gets as it is.
  func lastingObjection(to copy: StoredCopy, _ hop: Hop) -> String? {
    if let request = hop.rules.http?.request {
      let status = copy.metadata.status
      guard hop.flight.options.acceptedStatuses.contains(status), !RedirectRule.statuses.contains(status),
        request.preconditions.range == nil, !request.preconditions.areConditional
      else { return nil }
    }
    return objection(copy, hop.flight)
  }

  private func objection(_ copy: StoredCopy, _ flight: Flight) -> String? {
    let options = flight.options
    if copy.metadata.verification < options.verification, !verify(copy.body, flight) {
      return "it was verified less than is asked now, and is no whole image"
    }
    let facts = copy.metadata
    return Demands.objection(
      status: facts.status, facts: facts.facts, bytes: copy.body.count, url: flight.request.url, options)?.reason
  }

  /// Looks at a body that was stored by a run that looked less closely.
  private func verify(_ body: ImageBody, _ flight: Flight) -> Bool {
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

  /// That it was used: for the order in which entries go, and for this process's memory.
  private func note(_ copy: StoredCopy, _ flight: Flight) {
    guard let entry = copy.entry else { return }
    disk?.touch(entry)
    if flight.options.policy.storesInMemory, case .bytes(let bytes) = copy.body.content {
      memory.insert(entry.key, metadata: copy.metadata, body: bytes, hash: entry.bodyHash, stored: entry.stored)
    }
  }

  private func refuse(_ hop: Hop, _ error: FetchError) -> Served {
    hop.flight.note(hop.costBefore)
    land(hop.flight, nil, error)
    return .landed
  }

  /// Asks the origin about what was served although it is stale, once in a run. The run ends when that has come too: a
  /// program that answers one request and ends would else never learn of anything new within the time that
  /// `stale-while-revalidate` names.
  private func refresh(_ flight: Flight) {
    guard !flight.options.isRefresh, isFirstAsking(of: flight.key) else { return }
    var request = flight.request
    request.sink = nil
    request.options.isRefresh = true
    submit(request) { _ in }
  }
}

extension Answer {
  /// An answer that lies in a cache, or will.
  init(cache: CacheType, metadata: EntryMetadata, body: ImageBody) {
    self.init(
      cache: cache, status: metadata.status, finalURL: metadata.finalURL, mime: metadata.mime, facts: metadata.facts,
      fields: .encoded(metadata.storedFields), body: body, provenance: metadata.provenance, place: metadata.key)
  }
}

extension Answer {
  /// Becomes what a stored answer says to the asker's own conditions.
  ///
  /// - Parameters:
  ///   - length: of the whole.
  ///   - part: the bytes of the range, where it is one.
  fileprivate mutating func take(
    _ outcome: Preconditions.Outcome, _ stored: HeaderFields, length: Int64, part: ImageBody?
  ) {
    var delivered = stored
    if outcome != .whole {
      facts = nil
      place = nil
      body = part ?? ImageBody(.bytes([]))
    }
    switch outcome {
    case .whole: break
    case .part(let range):
      status = 206
      delivered.replace("Content-Length", with: String(range.count))
      delivered.replace("Content-Range", with: "bytes \(range.lowerBound)-\(range.upperBound)/\(length)")
    case .notModified, .unsatisfiable:
      // There is no body that these could speak of (RFC 9110 §15.4.5).
      for name in ["content-length", "content-type", "content-encoding", "content-language", "content-range"] {
        delivered.remove(name)
      }
      status = outcome == .notModified ? 304 : 416
      if outcome == .unsatisfiable { delivered.append("Content-Range", "bytes */\(length)") }
    }
    fields = .ready(delivered)
  }

  fileprivate mutating func markStale(because error: FetchError, _ rules: CachingRules) {
    isStale = true
    let copy = rules.http == nil ? "image past its age" : "answer that is stale"
    warnings = ["\(error.message); a stored \(copy) is served"]
  }
}
