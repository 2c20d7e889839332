/// A stored answer, with its body and the kind of its cache. A reference, because it is passed on from stage to stage.
final class StoredCopy: Sendable {
  let entry: CachedEntry
  let cache: CacheType
  /// True if the copy is in a tier of the program's own.
  let isOfOwnTier: Bool
  /// The facts that HTTP's rules need, if they apply. By age, the fields of an image need not be decoded.
  private let judged: StoredAnswer?

  /// The cache that an answer names if the origin has confirmed this copy: the copy is on disk then, wherever it came
  /// from in this run.
  var confirmedCache: CacheType { cache == .remote ? .remote : .disk }

  /// The place of the copy, in words for explanations.
  var whereabouts: String {
    switch cache {
    case .network: "on the network"
    case .memory: "in memory"
    case .disk: "on disk"
    case .remote: isOfOwnTier ? "in a tier of the program's own" : "in the remote cache"
    }
  }

  init(_ entry: CachedEntry, in cache: CacheType = .disk, isOfOwnTier: Bool = false, isJudged: Bool = true) {
    self.entry = entry
    self.cache = cache
    self.isOfOwnTier = isOfOwnTier
    judged = isJudged ? StoredAnswer(entry.metadata) : nil
  }

  var metadata: EntryMetadata { _read { yield entry.sharedMetadata.value } }
  var body: ImageBody { entry.body }

  var answer: StoredAnswer { judged ?? StoredAnswer(metadata) }

  /// The time for which the answer says that it is fresh.
  var statedAge: StatedAge { StatedAge(encoded: metadata.storedFields, received: metadata.responseTime) }

  /// The age in seconds, or nil if the copy's time lies in the future and is useless.
  func age(now: WallTime) -> Double? { CachedEntry.age(of: entry.stored, now: now) }

  /// The same copy after the origin has confirmed it.
  func confirmed(by head: AnswerHead) -> StoredCopy {
    var answer = answer
    answer.confirm(by: head.fields, requestTime: head.requestTime, responseTime: head.responseTime)
    var metadata = metadata
    metadata.fields = answer.fields
    metadata.provenance = head.provenance(confirming: metadata)
    metadata.received = metadata.received ?? metadata.responseTime
    metadata.requestTime = head.requestTime
    metadata.responseTime = head.responseTime
    metadata.mime = EntryMetadata.mime(metadata.facts, answer.fields)
    metadata.gone = nil
    return StoredCopy(entry.having(metadata), in: cache, isOfOwnTier: isOfOwnTier)
  }
}
