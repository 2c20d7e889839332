// What was stored by other runs, whose rules about addresses and hosts were others, must be what this one would have got.
extension Engine {
  func verdict(on metadata: EntryMetadata, _ flight: Flight) -> SourceRule.Verdict {
    // Most runs have no such rules.
    flight.hasRules ? SourceRule.verdict(on: metadata, flight.shared) : .allowed
  }

  /// Whether a stored answer may be delivered as it is. What is not known does not do either.
  func isAllowed(_ metadata: EntryMetadata, _ flight: Flight) -> Bool {
    switch verdict(on: metadata, flight) {
    case .allowed: return true
    case .refused(let reason), .unknown(let reason):
      explain(flight) { "stored, but not to be served: \(reason)" }
      return false
    }
  }

  /// What a stored copy is good for, which by its rules of caching has that use: nothing where the rules about addresses and hosts
  /// refuse its way, and its validators where that way is not known.
  func permitted(_ use: CachingRules.Use, _ metadata: EntryMetadata, _ flight: Flight) -> CachingRules.Use {
    switch (verdict(on: metadata, flight), use) {
    case (.allowed, _), (.unknown, .ignore): return use
    case (.refused(let reason), _):
      explain(flight) { "stored, but not to be served: \(reason)" }
      return .ignore
    case (.unknown(let reason), _):
      explain(flight) { "stored, but to be asked about: \(reason)" }
      if case .ask = use { return use }
      return .ask(.none)
    }
  }

  /// Why a flight is refused before anything is looked up for it: its own host is. With mirrors another may have the image.
  func refusal(of flight: Flight) -> FetchError? {
    guard flight.hasRules, flight.request.mirrors.isEmpty else { return nil }
    let url = flight.request.url
    return flight.objection(to: url).map { FetchError(.refused, url.display, $0) }
  }

  /// Why a stored answer is not delivered without the network, which alone could say more.
  ///
  /// - Parameter isFromPublic: whether a redirect of a public address led to it.
  func objectionOffline(to metadata: EntryMetadata, isFromPublic: Bool, _ flight: Flight) -> FetchError? {
    let url = flight.request.url.display
    if isFromPublic, metadata.provenance.address == .notPublic {
      return FetchError(.refused, url, "in the cache, but a public address redirects there to one that is not")
    }
    return switch verdict(on: metadata, flight) {
    case .allowed: nil
    case .refused(let reason): FetchError(.refused, url, "in the cache, but \(reason)")
    case .unknown(let reason):
      FetchError(.offline, url, "in the cache, but \(reason), and the network was not to be asked")
    }
  }

  /// Said where a 304 has not told more than the entry.
  static let isUnknownAfterAll = "still not known which way it came: the origin is asked plainly"
}

extension EntryMetadata {
  /// Which way bytes and fields have come once an answer has called the bytes right.
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
