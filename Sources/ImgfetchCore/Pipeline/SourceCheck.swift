/// Holds stored answers to this run's rules about addresses and hosts. Other runs with other rules may have stored them.
struct SourceCheck: Sendable {
  let log: FlightLog

  func verdict(on metadata: EntryMetadata, _ flight: Flight) -> SourceRule.Verdict {
    // Most runs have no such rules.
    flight.hasRules ? SourceRule.verdict(on: metadata.provenance, to: metadata.finalURL, flight.shared) : .allowed
  }

  /// Whether a stored answer may be delivered as it is. If its way is not known, it may not.
  func isAllowed(_ metadata: EntryMetadata, _ flight: Flight) -> Bool {
    switch verdict(on: metadata, flight) {
    case .allowed: return true
    case .refused(let reason), .unknown(let reason):
      log.explain(flight) { "stored, but not to be served: \(reason)" }
      return false
    }
  }

  /// What a stored copy is good for by these rules, if it is good for `use` by the rules of caching.
  func permitted(_ use: CachingRules.Use, _ metadata: EntryMetadata, _ flight: Flight) -> CachingRules.Use {
    let verdict = verdict(on: metadata, flight)
    switch (verdict, use) {
    case (.allowed, _), (.unknown, .ignore): break
    case (.refused(let reason), _): log.explain(flight) { "stored, but not to be served: \(reason)" }
    case (.unknown(let reason), _): log.explain(flight) { "stored, but to be asked about: \(reason)" }
    }
    return SourceRule.permitted(use, verdict)
  }

  /// Why a flight is refused before anything is looked up for it: its own host is. With mirrors another may have the image.
  func refusal(of flight: Flight) -> FetchError? {
    guard flight.hasRules, flight.request.mirrors.isEmpty else { return nil }
    let url = flight.request.url
    return flight.objection(to: url).map { FetchError(.refused, url.display, $0) }
  }

  /// Why a stored answer is not delivered without the network, which alone could say more.
  func objectionOffline(to metadata: EntryMetadata, _ flight: Flight) -> FetchError? {
    let url = flight.request.url.display
    if flight.hop.isFromPublic, metadata.provenance.address == .notPublic {
      return FetchError(.refused, url, "in the cache, but a public address redirects there to one that is not")
    }
    return switch verdict(on: metadata, flight) {
    case .allowed: nil
    case .refused(let reason): FetchError(.refused, url, "in the cache, but \(reason)")
    case .unknown(let reason):
      FetchError(.offline, url, "in the cache, but \(reason), and the network was not to be asked")
    }
  }

  /// A redirect does not lead from a public address to one that is not, whether or not the answers are stored.
  func mayFollow(_ copy: StoredCopy, _ flight: Flight) -> Bool {
    guard flight.hop.isFromPublic, copy.metadata.provenance.address == .notPublic else { return true }
    log.explain(flight) { "stored, but not to be served: a public address redirects to one that is not" }
    return false
  }
}

extension EntryMetadata {
  /// Where bytes and fields came from, once an answer has confirmed the bytes.
  func provenance(confirmedBy head: AnswerHead) -> Provenance {
    var confirmed = provenance.confirmed(by: head.provenance)
    // It may come from elsewhere than the bytes did.
    if head.url.displayWithScheme != finalURL {
      let origin = head.url.origin.description
      if confirmed.otherOrigins?.contains(origin) == false { confirmed.otherOrigins?.append(origin) }
    }
    return confirmed
  }
}
