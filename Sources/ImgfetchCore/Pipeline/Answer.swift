/// What all waiters of a flight get. It is handed on and not copied, because copies of all that it holds cost as much as reading it.
struct Answer: ~Copyable, Sendable {
  var cache: CacheType
  var isRevalidated = false
  var isShared = false
  var isStale = false
  var status: Int
  var finalURL: String
  var mime: String?
  var facts: ImageFacts?
  var fields: FieldSource
  var body: ImageBody
  /// Where the bytes came from.
  var provenance = Provenance()
  /// The entry that it was read from.
  var entry: CachedEntry?
  /// The key that it is kept under; nil: it is not kept, and nothing that is made of it is.
  var place: CacheKey?
  var warnings: [String] = []
  /// Whether the origin is to be asked after it was delivered (`stale-while-revalidate`).
  var isToBeRefreshed = false
}

extension Answer {
  /// An answer that is in a cache, or will be.
  init(cache: CacheType, metadata: EntryMetadata, body: ImageBody) {
    self.init(
      cache: cache, status: metadata.status, finalURL: metadata.finalURL, mime: metadata.mime, facts: metadata.facts,
      fields: .encoded(metadata.storedFields), body: body, provenance: metadata.provenance, place: metadata.key)
  }

  /// Becomes what a stored answer says to the request's own conditions.
  ///
  /// - Parameters:
  ///   - length: of the whole.
  ///   - part: the bytes of the range, if it is one.
  mutating func apply(_ outcome: Preconditions.Outcome, _ stored: HeaderFields, length: Int64, part: ImageBody?) {
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

  /// The origin failed, and this is served although it is stale.
  mutating func markStale(because error: FetchError, _ rules: CachingRules) {
    isStale = true
    let copy = rules.http == nil ? "image past its age" : "answer that is stale"
    warnings = ["\(error.message); a stored \(copy) is served"]
  }
}
