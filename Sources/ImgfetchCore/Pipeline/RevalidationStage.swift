/// Serves a stored copy that the origin has confirmed with a 304, and notes that in the caches.
struct RevalidationStage: Stage {
  let pipeline: Pipeline

  /// Judges a 304.
  func run(_ head: AnswerHead, _ flight: Flight, _ claim: Claim) -> Flight.Event {
    claim.part?.abandon(keepForResume: false)
    guard let copy = flight.hop.copy,
      flight.hop.condition?.areConfirmed(by: Validators(head.fields, now: clock.wallTime())) == true,
      // If the request asked with its own tags, a 304 without a tag may be about those.
      flight.hop.rules.http?.request.preconditions.areConditional != true || head.fields.contains("etag")
    else { return other(head, flight, claim.lock) }
    let confirmed = confirm(copy, by: head, flight, claim.lock)
    switch serving.serve(confirmed, flight, as: .confirmed) {
    case .notFound where sources.verdict(on: confirmed, flight) != .allowed:
      log.explain(flight) { "still not known which way it came: the origin is asked plainly" }
      return .settledNothing
    case .notFound:
      // Still valid, but it does not meet this run's demands.
      return .failed(
        FetchError(.limit, flight.hop.url.display, "the stored answer is right, but not what was asked for"))
    case let event: return event
    }
  }

  /// Notes in the caches that a copy is still right.
  private func confirm(
    _ copy: StoredCopy, by head: AnswerHead, _ flight: Flight, _ lock: EntryLock?
  ) -> StoredCopy {
    guard flight.hop.rules.http != nil else {
      let provenance = head.provenance(confirming: copy.metadata)
      let renewed = disk?.revalidated(
        copy.entry, head.fields, provenance: provenance,
        isProvenanceNews: sources.verdict(on: copy, flight) != .allowed)
      if renewed == nil { lock?.giveUp() } else { lock?.release() }
      // If that cannot be written, this process at least remembers when the copy was confirmed.
      let entry = renewed ?? copy.entry.confirmed(at: clock.wallTime(), provenance)
      return StoredCopy(entry, in: copy.confirmedCache, isJudged: false)
    }
    let confirmed = copy.confirmed(by: head)
    if let obstacle = confirmed.answer.obstacle {
      log.explain(flight) { "confirmed by the origin, and not kept any longer: \(obstacle)" }
      storing.dropSuperseded(by: confirmed.metadata.status, flight.hop)
    } else if flight.hop.keepsAnswers {
      memory.keep(confirmed)
      if let written = disk?.rewritten(confirmed.entry, confirmed.metadata) {
        return StoredCopy(written, in: copy.confirmedCache)
      }
    }
    return confirmed
  }

  /// Handles a 304 that is not about the stored answer: it is about the request's own condition, or about nothing.
  private func other(_ head: AnswerHead, _ flight: Flight, _ lock: EntryLock?) -> Flight.Event {
    guard flight.hop.rules.http?.request.preconditions.areConditional == true else {
      lock?.giveUp()
      log.explain(flight) { "the 304 is about another version than the stored one: the origin is asked plainly" }
      return .settledNothing
    }
    guard flight.options.acceptedStatuses.contains(304) else { return .failed(AnswerRule.refusal(304, flight.hop.url)) }
    var answer = Answer(
      cache: .network, status: 304, finalURL: flight.hop.url.displayWithScheme, mime: nil, facts: nil,
      fields: .ready(head.fields), body: ImageBody(.bytes([])))
    answer.warnings = flight.hop.warnings.map(\.text)
    return .answered(CompleteAnswer(answer))
  }
}
