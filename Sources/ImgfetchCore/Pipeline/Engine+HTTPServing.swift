// A stored answer becomes the asker's.
extension Engine {
  /// Why a stored answer is used.
  enum Serving {
    /// The rules allow it without asking the origin.
    case stored(ReuseRule)
    /// The origin has just confirmed it.
    case confirmed
    /// The origin failed.
    case insteadOf(FetchError)
  }

  enum Served {
    /// The flight has its answer, or its failure.
    case landed
    /// It is a redirect: this hop is next.
    case goesOn(Leg)
    /// It is not what this run demands.
    case unfit
  }

  /// Answers a flight with what was found at a hop.
  func serve(_ found: StoredFind, _ leg: Leg, as serving: Serving) -> Served {
    let flight = leg.flight
    let answer = found.answer
    guard isAllowed(found.metadata, flight), mayFollow(found, leg) else { return .unfit }
    switch RedirectRule.decide(
      status: answer.status, location: answer.fields.first("Location"), from: leg.url, hops: leg.hops,
      options: flight.options)
    {
    case .follow(let target):
      explain(flight) { "redirects (\(answer.status), stored, \(words(serving))) to \(target.display)" }
      if let reason = flight.objection(to: target) {
        return refuse(leg, FetchError(.refused, target.display, reason))
      }
      note(found)
      let hop = NextHop(
        url: target, hops: leg.hops + 1, mirrors: leg.mirrors, isFromPublic: leg.isFromPublic,
        traffic: Traffic(downloaded: leg.downloaded, attempts: leg.attempts))
      var next = self.leg(at: hop, after: leg)
      switch found.metadata.provenance.address {
      case .allPublic: next.isFromPublic = true
      case .notPublic: break
      case .unknown, .ownFile: if target.host != leg.url.host { (next.isFromPublic, next.isByHearsay) = (true, true) }
      }
      if case .insteadOf(let error) = serving { next.staleBecause = error }
      return .goesOn(next)
    case .refuse(let reason):
      return refuse(leg, FetchError(.refused, leg.url.display, reason, status: answer.status))
    case .notARedirect: break
    }
    guard let form = form(of: found, leg, serving) else { return .unfit }
    guard form.status == 206 || flight.options.acceptedStatuses.contains(form.status) else {
      if case .insteadOf = serving { return .unfit }
      explain(flight) { "stored with status \(answer.status), \(words(serving))" }
      note(found)
      return refuse(leg, AnswerRule.refusal(form.status, leg.url))
    }
    if let objection = objection(form, found, flight) {
      explain(flight) { "stored, but it does not do: \(objection)" }
      return .unfit
    }
    explain(flight) { "\(found.cache == .disk ? "on disk" : "in memory"), \(words(serving)): served" }
    note(found)
    var result = form
    result.isShared = leg.isShared
    result.entry = found.entry
    var isToBeRefreshed = false
    switch serving {
    case .confirmed: result.isRevalidated = true
    case .insteadOf(let error): result.markStale(because: error)
    case .stored(let rule):
      result.isStale = rule.action != .serve
      isToBeRefreshed = rule.action == .serveStaleAndRefresh
    }
    if let error = leg.staleBecause { result.markStale(because: error) }
    // Submitted first: a run that has nothing left to do ends.
    if isToBeRefreshed { refresh(leg) }
    land(flight, result, nil)
    return .landed
  }

  /// A redirect does not lead from a public address to one that is not, whether or not the answers are stored.
  private func mayFollow(_ found: StoredFind, _ leg: Leg) -> Bool {
    guard leg.isFromPublic, found.metadata.provenance.address == .notPublic else { return true }
    explain(leg.flight) { "stored, but not to be served: a public address redirects to one that is not" }
    return false
  }

  /// The asker's answer: whole, or what its own conditions make of it.
  private func form(of found: StoredFind, _ leg: Leg, _ serving: Serving) -> Answer? {
    let now = clock.wallTime()
    var answer = Answer(cache: found.cache, metadata: found.metadata, body: found.body)
    answer.finalURL = leg.url.displayWithScheme
    let fields =
      if case .confirmed = serving { found.answer.fields } else { found.answer.deliveredFields(now: now) }
    let length = found.body.count
    let outcome = leg.request.preconditions.judge(found.answer, length: length, now: now)
    var part: ImageBody?
    if case .part(let range) = outcome {
      part = found.body.part(range, spool: configuration.spoolFolder)
      if part == nil { return nil }
    }
    answer.take(outcome, fields, length: length, part: part)
    return answer
  }

  /// Answers a request for some bytes from a stored part that has them. False: there is none such that is fresh.
  func servePart(_ leg: Leg) -> Bool {
    let flight = leg.flight
    let now = clock.wallTime()
    guard leg.request.preconditions.range != nil, let entry = disk?.lookup(leg.place.ofPart) else { return false }
    let find = StoredFind(entry)
    guard isAllowed(entry.metadata, flight), mayFollow(find, leg) else { return false }
    guard let part = StoredPart(find), part.whole.obstacle == nil, part.whole.isSelected(by: leg.request.fields)
    else { return false }
    let rule = part.whole.reuse(for: leg.request.directives, now: now)
    guard rule.action == .serve,
      case .part(let asked) = leg.request.preconditions.judge(part.whole, length: part.total, now: now),
      let body = part.body(of: asked, spool: configuration.spoolFolder)
    else { return false }
    var answer = Answer(cache: .disk, metadata: entry.metadata, body: body)
    answer.finalURL = leg.url.displayWithScheme
    answer.take(.part(asked), part.whole.deliveredFields(now: now), length: part.total, part: body)
    if objection(answer, find, flight) != nil { return false }
    explain(flight) { "a part on disk, \(rule): served" }
    disk?.touch(entry)
    land(flight, answer, nil)
    return true
  }

  private func objection(_ answer: Answer, _ found: StoredFind, _ flight: Flight) -> String? {
    guard answer.body === found.body else {
      return flight.options.verification == .none || answer.status == 304 || verify(answer.body, flight)
        ? nil : "a part of an image cannot be verified; --verify none takes it"
    }
    return objection(found, flight)
  }

  /// Why a stored answer does not do even if the origin confirms it; nil if it does, or is none that an asker gets as it is.
  func lastingObjection(to found: StoredFind, _ leg: Leg) -> String? {
    let status = found.answer.status
    guard leg.flight.options.acceptedStatuses.contains(status), !RedirectRule.statuses.contains(status),
      leg.request.preconditions.range == nil, !leg.request.preconditions.areConditional
    else { return nil }
    return objection(found, leg.flight)
  }

  private func objection(_ found: StoredFind, _ flight: Flight) -> String? {
    let options = flight.options
    if found.metadata.verification < options.verification, !verify(found.body, flight) {
      return "it was verified less than is asked now, and is no whole image"
    }
    return objection(found.metadata, found.body, flight)?.reason
  }

  /// That it was used: for the order in which entries go, and for this process's memory.
  private func note(_ found: StoredFind) {
    guard let entry = found.entry else { return }
    disk?.touch(entry)
    if case .bytes(let bytes) = found.body.content {
      memory.insert(found.metadata.key, metadata: found.metadata, body: bytes, stored: entry.stored)
    }
  }

  private func refuse(_ leg: Leg, _ error: FetchError) -> Served {
    leg.flight.note(Traffic(downloaded: leg.downloaded, attempts: leg.attempts))
    land(leg.flight, nil, error)
    return .landed
  }

  private func words(_ serving: Serving) -> String {
    switch serving {
    case .stored(let rule): "\(rule)"
    case .confirmed: "confirmed by the origin"
    case .insteadOf: "stale, as the origin failed"
    }
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

  fileprivate mutating func markStale(because error: FetchError) {
    isStale = true
    warnings = ["\(error.message); a stored answer that is stale is served"]
  }
}
