/// A URL on the way of a flight for which the caches are asked: the request's own, or the target of a redirect, or a
/// mirror.
///
/// A value with one owner, its flight. It has the URL, the rules, the results from the caches, and the question for the
/// origin. By age, one stored image answers for the whole way, so there is one hop, unless stored redirects are
/// followed without a network.
struct Hop: ~Copyable, Sendable {
  let url: WebURL
  /// The URL that the user gave and that led here: the image's own, or a mirror.
  let givenURL: WebURL
  /// The key for the first answer of this URL.
  let key: CacheKey
  let rules: CachingRules
  let hops: Int
  let mirrors: ArraySlice<WebURL>
  /// True if an answer on the way here came from a public address.
  var isFromPublic = false
  /// True if a URL or mirror that was given up for this one may have the image later.
  var mayPass = false
  /// True if a stored redirect from an unknown address led here. The address counts as public until another one is
  /// refused for that reason. Then the flight begins again, without stored answers.
  var isFromUnknownRedirect = false

  /// The key under which an answer to this request would be kept.
  var entryKey: CacheKey
  /// The fields by which the answers of this URL vary, if the request does not select the first of them.
  var variedBy: [String] = []
  /// The result of the look-up under `entryKey`.
  var look = EarlierLookup.missed
  /// The stored copy that the origin is asked about, or that is served if the origin fails.
  var copy: StoredCopy?
  var fallback = CachingRules.Fallback.none
  /// The reason why a stored copy does not meet this run's demands, or nil if none was looked at that does not.
  var objection: String?
  /// The condition for the origin, which names the stored copy, or nil to ask without a condition.
  var condition: Validators?
  /// Header fields that the program has added for the origin.
  var addedFields: [(name: String, value: String)] = []
  /// Warnings about the cache's disk, for the answer.
  var warnings: [CacheWarning] = []
  /// True if the origin was asked before. Its first request belongs to the attempt that led there.
  var isAskedAgain = false
  /// True if another process stored the copy that is served.
  var isShared = false
  /// A stale redirect led here, because the origin failed with this error.
  var staleBecause: FetchError?

  init(
    at url: WebURL, from givenURL: WebURL, key: CacheKey, rules: CachingRules, hops: Int = 0,
    mirrors: ArraySlice<WebURL>
  ) {
    self.url = url
    self.givenURL = givenURL
    self.key = key
    self.rules = rules
    self.hops = hops
    self.mirrors = mirrors
    entryKey = key
  }

  /// Notes that another process has stored an answer, so that the caches are asked again.
  mutating func noteStoredElsewhere() {
    copy = nil
    isShared = true
  }

  /// Notes that the origin is asked once more, because its 304 settled nothing.
  mutating func askPlainly() {
    condition = nil
    isAskedAgain = true
  }

  /// The entry that the origin is asked about. Under HTTP's own rules there is none, because the answer may
  /// belong to another entry.
  var questioned: CachedEntry? { condition == nil || rules.http != nil ? nil : copy?.entry }

  /// True if the answer may be kept.
  var keepsAnswers: Bool { rules.http?.keepsAnswers ?? true }

  /// Sets the condition for the origin, if the stored copy has a validator. The copy must be a 2xx, because a 304
  /// stands for an answer that would have been one (RFC 9110 §13.2.1).
  mutating func setCondition(now: WallTime) {
    condition = nil
    guard let copy, (200..<300).contains(copy.metadata.status) else { return }
    let validators = Validators(copy.answer.fields, now: now)
    if !validators.isEmpty { condition = validators }
  }
}

/// A hop that was given up for a mirror, because its origin failed. Its stored copy stands in if the mirrors fail.
struct GivenUpHop: ~Copyable, Sendable {
  var hop: Hop
  let error: FetchError
}

// The storing of answers under HTTP's own rules.
extension Hop {
  /// The entry that an answer's head would make here, or the reason why there may be none.
  func entry(
    for head: AnswerHead, length: Int64, facts: ImageFacts?, verification: Verification, _ request: CacheRequest
  ) -> (metadata: EntryMetadata, obstacle: StorageRule.Obstacle?) {
    var answer = StoredAnswer(
      status: head.status, fields: head.fields, requestTime: head.requestTime, responseTime: head.responseTime)
    // A part that states its range is judged as the whole would be (RFC 9111 §3.3), and kept beside it.
    let isPart =
      head.status == 206 && request.preconditions.hasRange && StoredRange.place(head.fields, length: length) != nil
    let obstacle = StorageRule.obstacle(
      request: request.directives, status: isPart ? 200 : head.status, response: answer.directives, fields: head.fields)
    answer.makeStorable()
    let (key, selecting) = entryKey(for: answer.fields, request)
    let metadata = EntryMetadata(
      key: isPart ? key.ofPart : key, finalURL: url.displayWithScheme, status: head.status, fields: answer.fields,
      varyFields: selecting.map { ($0.name, $0.value) }, requestTime: head.requestTime, responseTime: head.responseTime,
      facts: facts, mime: EntryMetadata.mime(facts, head.fields), verification: verification,
      provenance: head.provenance)
    return (metadata, obstacle)
  }

  /// The key for an answer, and the fields of the request that it stands for. The newest Vary decides by which fields
  /// the answers of a URL vary. An answer without a Vary, beside others that have one, counts as varying like them (RFC
  /// 9111 §4.1).
  private func entryKey(for fields: HeaderFields, _ request: CacheRequest) -> (CacheKey, HeaderFields) {
    switch Variance(fields) {
    case .fields(let names) where names != variedBy: (key, Variance.fields(names).selecting(from: request.fields))
    case .nothing where entryKey == key: (key, HeaderFields())
    case .fields, .nothing, .everything: (entryKey, Variance.fields(variedBy).selecting(from: request.fields))
    }
  }
}
