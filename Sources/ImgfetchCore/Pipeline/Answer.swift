/// The answer for all waiters of a flight. It is passed on and not copied, because copying its members costs as much as
/// reading them.
struct Answer: ~Copyable, Sendable {
  var cache: CacheType
  var isRevalidated = false
  var isShared = false
  var isStale = false
  var status: Int
  var finalURL: String
  var mime: String?
  var facts: ImageFacts?
  /// The details of the image beyond its facts.
  var details: ImageDetails?
  var fields: FieldSource
  var body: ImageBody
  /// The source of the bytes.
  var provenance = Provenance()
  /// The copy that it was made of, with its entry.
  var copy: StoredCopy?
  /// The key under which the answer is kept. With nil it is not kept, and neither is an image made of it.
  var entryKey: CacheKey?
  /// The reason why the answer may not go into a remote cache, because of the way by which it came, or nil if it may.
  var sharingObstacle: String?
  /// The image that was made when the answer came, if any.
  var made: ReadyDerivation?
  /// The hashes of the entry's earlier bodies.
  var earlier = EarlierBodies()
  /// The image that the answer has just replaced in the cache, if any.
  var superseded: SupersededImage?
  /// True if the cache had the same bytes before.
  var isAsStored = false
  var warnings: [String] = []
  /// The reason why the answer could not be kept on disk. Nil means that it was kept, or was not meant to be.
  var cacheFailure: CacheWarning?
  /// True if the origin is to be asked after the delivery (`stale-while-revalidate`).
  var isToBeRefreshed = false
}

extension Answer {
  init(of copy: StoredCopy) {
    // Field by field, since a copy of all metadata costs as much as the rest.
    self.init(
      cache: copy.cache, status: copy.metadata.status, finalURL: copy.metadata.finalURL, mime: copy.metadata.mime,
      facts: copy.metadata.facts, details: copy.metadata.details, fields: .encoded(copy.metadata.storedFields),
      body: copy.body, provenance: copy.metadata.provenance, entryKey: copy.metadata.key)
    earlier = copy.metadata.earlierBodies
  }

  /// An answer that will be in a cache.
  init(cache: CacheType, metadata: EntryMetadata, body: ImageBody) {
    self.init(
      cache: cache, status: metadata.status, finalURL: metadata.finalURL, mime: metadata.mime, facts: metadata.facts,
      details: metadata.details, fields: .encoded(metadata.storedFields), body: body, provenance: metadata.provenance,
      entryKey: metadata.key)
    earlier = metadata.earlierBodies
  }

  /// Turns into the stored answer's reply to the request's own conditions.
  ///
  /// - Parameters:
  ///   - length: the length of the whole.
  ///   - part: the bytes of the range, if there is one.
  mutating func apply(_ outcome: Preconditions.Outcome, _ stored: HeaderFields, length: Int64, part: ImageBody?) {
    var delivered = stored
    if outcome != .whole {
      facts = nil
      details = nil
      entryKey = nil
      body = part ?? ImageBody(.bytes([]))
    }
    switch outcome {
    case .whole: break
    case .part(let range):
      status = 206
      delivered.replace("Content-Length", with: String(range.count))
      delivered.replace("Content-Range", with: "bytes \(range.lowerBound)-\(range.upperBound)/\(length)")
    case .notModified, .unsatisfiable:
      // There is no body that these fields could describe (RFC 9110 §15.4.5).
      for name in ["content-length", "content-type", "content-encoding", "content-language", "content-range"] {
        delivered.remove(name)
      }
      status = outcome == .notModified ? 304 : 416
      if outcome == .unsatisfiable { delivered.append("Content-Range", "bytes */\(length)") }
    }
    fields = .ready(delivered)
  }

  /// Notes that the origin failed, and a stale answer is served.
  mutating func markStale(because error: FetchError) {
    isStale = true
    warnings = ["\(error.message); a stored image is served"]
  }
}
