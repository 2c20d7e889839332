/// Applies this run's rules about addresses and hosts to stored answers. Other runs with other rules may have stored
/// them.
struct SourceCheck: Stage {
  let pipeline: Pipeline

  func verdict(on copy: StoredCopy, _ flight: Flight) -> ProvenanceRule.Verdict {
    // Most runs have no such rules.
    guard flight.hasRules else { return .allowed }
    return ProvenanceRule.verdict(on: copy.metadata.provenance, to: copy.metadata.finalURL, flight.shared)
  }

  /// True if a stored answer may be delivered as it is. If the way by which it came is not known, it may not.
  func isAllowed(_ copy: StoredCopy, _ flight: Flight) -> Bool {
    switch verdict(on: copy, flight) {
    case .allowed: return true
    case .refused(let reason), .unknown(let reason):
      log.explain(flight) { "stored, but not to be served: \(reason)" }
      return false
    }
  }

  /// The use of a stored copy that these rules permit, if the rules of caching permit `use`.
  func permitted(_ use: CachingRules.Use, _ copy: StoredCopy, _ flight: Flight) -> CachingRules.Use {
    let verdict = verdict(on: copy, flight)
    switch (verdict, use) {
    case (.allowed, _), (.unknown, .ignore): break
    case (.refused(let reason), _): log.explain(flight) { "stored, but not to be served: \(reason)" }
    case (.unknown(let reason), _): log.explain(flight) { "stored, but to be asked about: \(reason)" }
    }
    return ProvenanceRule.permitted(use, verdict)
  }

  /// The refusal of a flight before any look-up, because its own host is refused. With mirrors, another host may have
  /// the image.
  func refusal(of flight: Flight) -> FetchError? {
    guard flight.hasRules, flight.request.mirrors.isEmpty else { return nil }
    let url = flight.request.url
    return flight.objection(to: url).map { FetchError(.refused, url.display, $0) }
  }

  /// The reason why a stored answer is not delivered while the network, which could clear it, is not used.
  func objectionOffline(to copy: StoredCopy, _ flight: Flight) -> FetchError? {
    let url = flight.request.url.display
    if flight.hop.isFromPublic, copy.metadata.provenance.address == .notPublic {
      return FetchError(.refused, url, "in the cache, but a public address redirects there to one that is not")
    }
    return switch verdict(on: copy, flight) {
    case .allowed: nil
    case .refused(let reason): FetchError(.refused, url, "in the cache, but \(reason)")
    case .unknown(let reason):
      FetchError(.offline, url, "in the cache, but \(reason), and the network was not to be asked")
    }
  }

  /// True if a redirect may be followed: it does not lead from a public address to one that is not, whether or
  /// not the answers are stored.
  func mayFollow(_ copy: StoredCopy, _ flight: Flight) -> Bool {
    guard flight.hop.isFromPublic, copy.metadata.provenance.address == .notPublic else { return true }
    log.explain(flight) { "stored, but not to be served: a public address redirects to one that is not" }
    return false
  }
}
