extension CacheType {
  /// Where a stored copy is, for explanations.
  var place: String {
    switch self {
    case .none: "on the network"
    case .memory: "in memory"
    case .disk: "on disk"
    case .remote: "in the remote cache"
    }
  }
}

/// A stored answer, with its body, and the kind of cache it is from. A reference, because it is handed on from stage to stage.
final class StoredCopy: Sendable {
  let entry: CachedEntry
  let cache: CacheType
  /// What HTTP's rules need of it, if they apply. For an image of the right age no field is decoded.
  private let judged: StoredAnswer?

  /// What an answer from it is called once the origin has confirmed it: it is on disk then, wherever it came from in this run.
  var confirmedCache: CacheType { cache == .remote ? .remote : .disk }

  init(_ entry: CachedEntry, in cache: CacheType = .disk, isJudged: Bool = true) {
    self.entry = entry
    self.cache = cache
    judged = isJudged ? StoredAnswer(entry.metadata) : nil
  }

  var metadata: EntryMetadata { _read { yield entry.metadata } }
  var body: ImageBody { entry.body }

  var answer: StoredAnswer { judged ?? StoredAnswer(metadata) }

  /// In seconds; nil: its time lies in the future, and means nothing.
  func age(now: WallTime) -> Double? { CachedEntry.age(of: entry.stored, now: now) }

  /// The same, once the origin has confirmed it.
  func confirmed(by head: AnswerHead) -> StoredCopy {
    var answer = answer
    answer.confirm(by: head.fields, requestTime: head.requestTime, responseTime: head.responseTime)
    var metadata = metadata
    metadata.fields = answer.fields
    metadata.provenance = metadata.provenance(confirmedBy: head)
    metadata.requestTime = head.requestTime
    metadata.responseTime = head.responseTime
    metadata.mime = EntryMetadata.mime(metadata.facts, answer.fields)
    return StoredCopy(entry.having(metadata), in: cache)
  }
}

extension StoredAnswer {
  init(_ metadata: EntryMetadata) {
    self.init(
      status: metadata.status, fields: metadata.fields, requestTime: metadata.requestTime,
      responseTime: metadata.responseTime, selecting: metadata.varyFields.map { (name: $0.0, value: $0.1) })
  }
}

/// Which of a URL's stored answers a request selects (RFC 9111 §4.1).
///
/// The first answer is kept under the URL's key; it tells by which request fields the answers vary. For a request that
/// does not select it, those fields name the place of another.
struct Selection {
  private(set) var found: StoredCopy?
  private(set) var first: StoredCopy?
  /// Where an answer to the request would be kept.
  private(set) var place: CacheKey
  private(set) var variedBy: [String] = []
  /// What lies at `place`, selected or not.
  private(set) var present: StoredCopy?

  /// - Parameter request: the fields that select; nil: one answer under the key is for all.
  init(_ key: CacheKey, by request: HeaderFields?, lookup: (CacheKey) -> StoredCopy?) {
    place = key
    guard let first = lookup(key) else { return }
    self.first = first
    present = first
    guard let request else {
      found = first
      return
    }
    if first.answer.isSelected(by: request) {
      found = first
      if case .fields(let names) = Variance(first.answer.fields) { variedBy = names }
      return
    }
    guard case .fields(let names) = Variance(first.answer.fields) else { return }
    variedBy = names
    place = key.variant(selecting: Variance.fields(names).selecting(from: request))
    present = lookup(place)
    if let other = present, other.answer.isSelected(by: request) { found = other }
  }
}

/// Holds stored answers to this run's rules about addresses and hosts. Other runs with other rules may have stored them.
struct SourceCheck: Sendable {
  let log: FlightLog

  func verdict(on metadata: EntryMetadata, _ flight: Flight) -> ProvenanceRule.Verdict {
    // Most runs have no such rules.
    flight.hasRules ? ProvenanceRule.verdict(on: metadata.provenance, to: metadata.finalURL, flight.shared) : .allowed
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
    return ProvenanceRule.permitted(use, verdict)
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
