/// A stored answer, with its body. A reference, as it is carried along by what it is the answer to.
final class StoredCopy: Sendable {
  let metadata: EntryMetadata
  let body: ImageBody
  /// The entry on disk; nil: this process remembered it.
  let entry: CachedEntry?
  /// When it was stored, or confirmed last.
  let stored: WallTime
  /// What HTTP's rules see in it, where they are asked: for an image of the right age no field is looked at.
  private let seen: StoredAnswer?

  init(_ metadata: EntryMetadata, body: ImageBody, entry: CachedEntry?, stored: WallTime, isJudged: Bool) {
    self.metadata = metadata
    self.body = body
    self.entry = entry
    self.stored = stored
    seen = isJudged ? StoredAnswer(metadata) : nil
  }

  convenience init(_ entry: CachedEntry, isJudged: Bool = true) {
    self.init(entry.metadata, body: entry.body, entry: entry, stored: entry.stored, isJudged: isJudged)
  }

  convenience init(_ kept: MemoryCache.Kept, isJudged: Bool = true) {
    self.init(kept.metadata, body: kept.image, entry: nil, stored: kept.stored, isJudged: isJudged)
  }

  var answer: StoredAnswer { seen ?? StoredAnswer(metadata) }

  var cache: CacheType { entry == nil ? .memory : .disk }

  /// In seconds; nil: its time lies in the future, and says nothing.
  func age(now: WallTime) -> Double? {
    entry == nil ? now.since(stored).seconds : CachedEntry.age(of: stored, now: now)
  }

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
    return StoredCopy(metadata, body: body, entry: entry, stored: stored, isJudged: true)
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
