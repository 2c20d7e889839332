// The last stages under HTTP's own rules: what is kept of an answer, what a 304 means, and what is served when the origin
// fails.
extension Engine {
  /// A redirect or a mirror: the flight goes on at another hop, which may be answered from the cache.
  func goOn(_ departure: Departure, to hop: NextHop) {
    guard let leg = departure.leg else { return }
    departure.flight.note(hop.traffic)
    workers.add(.later) { [self] in
      keepAside(departure)
      walk(self.leg(at: hop, after: leg))
    }
  }

  /// Keeps a redirect or a refusal if the rules allow it, and lets go of the part.
  func keepAside(_ departure: Departure) {
    guard let leg = departure.leg, let aside = departure.aside else {
      departure.part?.abandon(keepForResume: departure.aside == nil)
      return
    }
    let (metadata, obstacle) = leg.entry(
      for: aside.head, length: Int64(aside.body.count), facts: nil, verification: .none)
    tell(obstacle, metadata, leg)
    guard obstacle == nil else {
      departure.part?.abandon(keepForResume: false)
      return dropSuperseded(by: metadata.status, leg)
    }
    memory.insert(metadata.key, metadata: metadata, body: aside.body, stored: metadata.responseTime)
    // What went wrong with the disk is told when an image cannot be kept; a redirect is asked for again.
    try? departure.part?.publish(metadata, body: aside.body, hash: ContentHash(of: aside.body.span))
  }

  /// What was stored must not be served again after the origin has said something else that is not kept.
  func dropSuperseded(by status: Int, _ leg: Leg) {
    guard Leg.supersedes(status) else { return }
    memory.remove(leg.place)
    guard case .saw = leg.look, let entry = disk?.lookup(leg.place) else { return }
    disk?.withdraw(entry)
  }

  /// Says for `-v` whether an answer is kept, and for how long it is fresh.
  func tell(_ obstacle: StorageRule.Obstacle?, _ metadata: EntryMetadata, _ leg: Leg) {
    explain(leg.flight) {
      if let obstacle { return "not stored: \(obstacle)" }
      let answer = StoredFind(metadata, body: ImageBody(.bytes([])), entry: nil).answer
      if metadata.status == 206 { return "stored as a part" }
      return "stored with status \(metadata.status), \(answer.reuse(for: RequestDirectives(), now: clock.wallTime()))"
    }
  }

  /// The origin answered 304. Called on a disk thread.
  func confirmed(_ departure: Departure, _ leg: Leg, by head: AnswerHead) {
    departure.part?.abandon(keepForResume: false)
    let flight = departure.flight
    let now = clock.wallTime()
    guard var found = leg.found, let validators = departure.validators,
      validators.areConfirmed(by: Validators(head.fields, now: now)),
      // With the asker's own tags in the question, a 304 without one may be about those.
      !leg.request.preconditions.areConditional || head.fields.contains("etag")
    else { return confirmedOther(departure, leg, by: head) }
    found.confirm(by: head)
    if let obstacle = found.answer.obstacle {
      explain(flight) { "confirmed by the origin, and not kept any longer: \(obstacle)" }
      dropSuperseded(by: found.answer.status, leg)
    } else if leg.keepsAnswers {
      memory.insert(found)
      if let entry = found.entry, let written = disk?.rewritten(entry, found.metadata) {
        found = StoredFind(written)
      }
    }
    switch serve(found, leg, as: .confirmed) {
    case .landed: break
    case .goesOn(let next): walk(next)
    case .unfit where verdict(on: found.metadata, flight) != .allowed:
      explain(flight) { Self.isUnknownAfterAll }
      depart(departure.askingPlainly, leg.look)
    case .unfit:
      // It is still right, but not what this run demands.
      land(
        flight, nil, FetchError(.limit, leg.url.display, "the stored answer is right, but not what was asked for"))
    }
  }

  static let isAboutAnother = "the 304 is about another version than the stored one: the origin is asked plainly"

  /// The 304 is not about what is stored: it answers the asker's own condition, or nothing that was asked.
  private func confirmedOther(_ departure: Departure, _ leg: Leg, by head: AnswerHead) {
    let flight = departure.flight
    guard leg.request.preconditions.areConditional else {
      explain(flight) { Self.isAboutAnother }
      return depart(departure.askingPlainly, leg.look)
    }
    guard flight.options.acceptedStatuses.contains(304) else {
      return land(flight, nil, AnswerRule.refusal(304, leg.url))
    }
    var answer = Answer(
      cache: .none, status: 304, finalURL: leg.url.displayWithScheme, mime: nil, facts: nil,
      fields: .ready(head.fields),
      body: ImageBody(.bytes([])))
    answer.warnings = departure.warnings
    land(flight, answer, nil)
  }

  /// There is no answer from the network. Called on a disk thread.
  func failed(_ leg: Leg, _ error: FetchError) {
    if error.kind == .refused, leg.isByHearsay, !leg.flight.options.distrustsCache {
      return prepareByHTTP(leg.flight.distrusting)
    }
    guard leg.mayServeStale, error.isOfTheOrigin, let found = leg.found else {
      return land(leg.flight, nil, error)
    }
    switch serve(found, leg, as: .insteadOf(error)) {
    case .landed: break
    case .goesOn(let next): walk(next)
    case .unfit: land(leg.flight, nil, error)
    }
  }
}

extension MemoryCache {
  /// Keeps what was found, if its body is in memory.
  func insert(_ found: StoredFind) {
    guard case .bytes(let bytes) = found.body.content else { return remove(found.metadata.key) }
    insert(found.metadata.key, metadata: found.metadata, body: bytes, stored: found.answer.responseTime)
  }
}
