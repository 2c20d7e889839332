/// A stored answer, with its body, and the kind of cache it is from. A reference, because it is handed on from stage to stage.
final class StoredCopy: Sendable {
  let entry: CachedEntry
  let cache: CacheType
  /// What HTTP's rules need of it, if they apply. For an image of the right age no field is decoded.
  private let judged: StoredAnswer?

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
