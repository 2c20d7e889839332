/// A stored answer that was found, and what HTTP's rules see in it.
struct StoredFind: Sendable {
  var metadata: EntryMetadata
  let body: ImageBody
  /// The entry on disk; nil: this process remembered it.
  let entry: CachedEntry?
  var answer: StoredAnswer

  init(_ metadata: EntryMetadata, body: ImageBody, entry: CachedEntry?) {
    self.metadata = metadata
    self.body = body
    self.entry = entry
    answer = StoredAnswer(
      status: metadata.status, fields: metadata.fields, requestTime: metadata.requestTime,
      responseTime: metadata.responseTime, selecting: metadata.varyFields.map { (name: $0.0, value: $0.1) })
  }

  init(_ entry: CachedEntry) { self.init(entry.metadata, body: entry.body, entry: entry) }

  var cache: CacheType { entry == nil ? .memory : .disk }

  /// The origin has confirmed it.
  mutating func confirm(by head: AnswerHead) {
    answer.confirm(by: head.fields, requestTime: head.requestTime, responseTime: head.responseTime)
    metadata.fields = answer.fields
    metadata.provenance = metadata.provenance(confirmedBy: head)
    metadata.requestTime = head.requestTime
    metadata.responseTime = head.responseTime
    metadata.mime = EntryMetadata.mime(metadata.facts, answer.fields)
  }
}

/// Which of a URL's stored answers a request selects (RFC 9111 §4.1).
///
/// The first answer is kept under the URL's key; it tells by which request fields the answers vary. For a request that
/// does not select it, those fields name the place of another.
struct Selection {
  private(set) var found: StoredFind?
  private(set) var first: StoredFind?
  /// Where an answer to the request would be kept.
  private(set) var place: CacheKey
  private(set) var variedBy: [String] = []
  /// What lies at `place`, selected or not.
  private(set) var present: StoredFind?

  init(_ key: CacheKey, by request: HeaderFields, lookup: (CacheKey) -> StoredFind?) {
    place = key
    guard let first = lookup(key) else { return }
    self.first = first
    present = first
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
