// What becomes of a flight that the network is done with, on a disk thread: another hop, a copy that was confirmed, or no answer.
extension Engine {
  /// A redirect or a mirror: the flight goes on at another hop, which may be answered from the cache.
  func goOn(_ departure: Departure, to next: NextHop) {
    departure.flight.note(next.traffic)
    workers.add(.later) { [self] in
      keepAside(departure)
      walk(hop(to: next, after: departure.hop))
    }
  }

  /// Keeps a redirect or a refusal if the rules allow it, and lets go of the part.
  private func keepAside(_ departure: Departure) {
    let hop = departure.hop
    guard let request = hop.rules.http?.request, let aside = departure.aside else {
      departure.part?.abandon(keepForResume: departure.aside == nil)
      return
    }
    let (metadata, obstacle) = hop.entry(
      for: aside.head, length: Int64(aside.body.count), facts: nil, verification: .none, request)
    tell(obstacle, metadata, hop)
    guard obstacle == nil else {
      departure.part?.abandon(keepForResume: false)
      return dropSuperseded(by: metadata.status, hop)
    }
    memory.insert(metadata.key, metadata: metadata, body: aside.body, stored: metadata.responseTime)
    // What went wrong with the disk is told when an image cannot be kept; a redirect is asked for again.
    try? departure.part?.publish(metadata, body: aside.body, hash: ContentHash(of: aside.body.span))
  }

  /// What was stored must not be served again after the origin has said something else that is not kept.
  func dropSuperseded(by status: Int, _ hop: Hop) {
    guard HTTPRules.supersedes(status) else { return }
    memory.remove(hop.place)
    guard case .saw = hop.look, let entry = disk?.lookup(hop.place) else { return }
    disk?.withdraw(entry)
  }

  /// Says for `-v` whether an answer is kept, and for how long it is fresh.
  func tell(_ obstacle: StorageRule.Obstacle?, _ metadata: EntryMetadata, _ hop: Hop) {
    explain(hop.flight) {
      if let obstacle { return "not stored: \(obstacle)" }
      if metadata.status == 206 { return "stored as a part" }
      let rule = StoredAnswer(metadata).reuse(for: RequestDirectives(), now: clock.wallTime())
      return "stored with status \(metadata.status), \(rule)"
    }
  }

  /// The origin answered 304. Called on the network's thread.
  func revalidated(_ departure: Departure, _ head: AnswerHead) {
    workers.add(.later) { [self] in
      departure.part?.abandon(keepForResume: false)
      let (flight, hop) = (departure.flight, departure.hop)
      guard let copy = hop.copy,
        departure.validators?.areConfirmed(by: Validators(head.fields, now: clock.wallTime())) == true,
        // With the asker's own tags in the question, a 304 without one may be about those.
        hop.rules.http?.request.preconditions.areConditional != true || head.fields.contains("etag")
      else { return confirmedOther(departure, by: head) }
      let confirmed = confirm(copy, departure, by: head)
      switch serve(confirmed, hop, as: .confirmed) {
      case .landed: break
      case .goesOn(let next): walk(next)
      case .unfit where verdict(on: confirmed.metadata, flight) != .allowed:
        explain(flight) { Self.isUnknownAfterAll }
        depart(departure.askingPlainly)
      case .unfit:
        // It is still right, but not what this run demands.
        land(
          flight, nil, FetchError(.limit, hop.url.display, "the stored answer is right, but not what was asked for"))
      }
    }
  }

  /// Notes in the caches that a copy is still right.
  private func confirm(_ copy: StoredCopy, _ departure: Departure, by head: AnswerHead) -> StoredCopy {
    let (flight, hop) = (departure.flight, departure.hop)
    guard hop.rules.http != nil else {
      guard let entry = copy.entry else { return copy }
      let provenance = copy.metadata.provenance(confirmedBy: head)
      let renewed = disk?.revalidated(
        entry, head.fields, provenance: provenance, isProvenanceNews: verdict(on: copy.metadata, flight) != .allowed)
      if renewed == nil { departure.lock?.giveUp() } else { departure.lock?.release() }
      return StoredCopy(renewed ?? entry.having(provenance), isJudged: false)
    }
    let confirmed = copy.confirmed(by: head)
    if let obstacle = confirmed.answer.obstacle {
      explain(flight) { "confirmed by the origin, and not kept any longer: \(obstacle)" }
      dropSuperseded(by: confirmed.metadata.status, hop)
    } else if hop.keepsAnswers {
      memory.insert(confirmed)
      if let entry = confirmed.entry, let written = disk?.rewritten(entry, confirmed.metadata) {
        return StoredCopy(written)
      }
    }
    return confirmed
  }

  static let isAboutAnother = "the 304 is about another version than the stored one: the origin is asked plainly"

  /// The 304 is not about what is stored: it answers the asker's own condition, or nothing that was asked.
  private func confirmedOther(_ departure: Departure, by head: AnswerHead) {
    let (flight, hop) = (departure.flight, departure.hop)
    guard hop.rules.http?.request.preconditions.areConditional == true else {
      departure.lock?.giveUp()
      explain(flight) { Self.isAboutAnother }
      return depart(departure.askingPlainly)
    }
    guard flight.options.acceptedStatuses.contains(304) else {
      return land(flight, nil, AnswerRule.refusal(304, hop.url))
    }
    var answer = Answer(
      cache: .none, status: 304, finalURL: hop.url.displayWithScheme, mime: nil, facts: nil,
      fields: .ready(head.fields),
      body: ImageBody(.bytes([])))
    answer.warnings = departure.warnings
    land(flight, answer, nil)
  }

  /// There is no answer from the network. A stored copy that is past its age does where the origin could not be reached.
  ///
  /// - Parameter hasReception: the reception sees to the part.
  func failed(_ departure: Departure, _ error: FetchError, hasReception: Bool) {
    workers.add { [self] in
      let (flight, hop) = (departure.flight, departure.hop)
      departure.lock?.giveUp()
      if !hasReception { keepAside(departure) }
      let others = noteFailure(error, of: flight)
      defer { for other in others { rejoin(other, after: Traffic()) } }
      if error.kind == .refused, hop.isByHearsay, !flight.options.distrustsCache {
        return lookUp(flight.distrusting)
      }
      guard hop.fallback != .none, error.isOfTheOrigin, let copy = hop.copy else { return land(flight, nil, error) }
      switch serve(copy, hop, as: .insteadOf(error)) {
      case .landed: break
      case .goesOn(let next): walk(next)
      case .unfit: land(flight, nil, error)
      }
    }
  }
}

extension FetchError {
  /// Whether the origin could not be reached, or could not answer: then an old image is better than none.
  var isOfTheOrigin: Bool {
    switch kind {
    case .name, .connect, .tls, .timeout, .truncated: true
    case .http: (status ?? 0) >= 500
    default: false
    }
  }
}

extension MemoryCache {
  /// Keeps what was found, if its body is in memory.
  func insert(_ copy: StoredCopy) {
    guard case .bytes(let bytes) = copy.body.content else { return remove(copy.metadata.key) }
    insert(copy.metadata.key, metadata: copy.metadata, body: bytes, stored: copy.answer.responseTime)
  }
}
