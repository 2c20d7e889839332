/// One hop of a flight under HTTP's own caching rules, where every URL on the way has an answer of its own in the cache.
///
/// A value: who stands at a hop, what is asked there, and what the cache has of it. A redirect or a mirror makes the next
/// by a ``Turn``.
struct Leg: Sendable {
  let flight: Flight
  let url: WebURL
  /// Where the first answer of this URL is kept, and what tells by which fields its answers vary.
  let key: CacheKey
  let request: CacheRequest
  var hops = 0
  var mirrors: ArraySlice<WebURL>
  /// What the hops before this one cost: requests sent, redirects not counted, and bytes of bodies.
  var attempts = 0
  var downloaded: Int64 = 0
  /// When the flight began to need the network.
  let begun: Instant
  /// Whether an answer on the way here came from a public address.
  var isFromPublic = false
  /// Whether a stored redirect led here of which it is not known by what address it came. It counts as public until an address is
  /// refused for that; then the way is gone again without what is stored.
  var isByHearsay = false

  /// Where an answer to this request would be kept.
  var place: CacheKey
  /// The fields by which the answers of this URL vary, where the request does not select the first of them.
  var variedBy: [String] = []
  /// What was seen at `place`.
  var look = FirstLook.missed
  /// The stored answer that the request selects, good for its validators or in case the origin fails.
  var found: StoredFind?
  /// Whether that may be served, marked as stale, should the origin fail.
  var mayServeStale = false
  /// Whether it is better than a 5xx, even where the user takes that for an answer: somebody said `stale-if-error`.
  var prefersStale = false
  /// Another process stored what is served.
  var isShared = false
  /// A stale redirect led here, since the origin failed so.
  var staleBecause: FetchError?

  init(
    _ flight: Flight, at url: WebURL, key: CacheKey, request: CacheRequest, mirrors: ArraySlice<WebURL>, begun: Instant
  ) {
    self.flight = flight
    self.url = url
    self.key = key
    self.request = request
    self.mirrors = mirrors
    self.begun = begun
    place = key
  }

  /// The same hop, when another process has stored something for it.
  var answeredElsewhere: Leg {
    var leg = self
    leg.found = nil
    leg.isShared = true
    return leg
  }

  /// What a first request here makes one more of: behind a redirect it belongs to the attempt that led here.
  var attemptsBefore: Int { hops > 0 ? max(0, attempts - 1) : attempts }

  /// Whether anything of the answer may be kept. A condition that only the origin can judge makes an answer that says
  /// nothing to others.
  var keepsAnswers: Bool { !request.directives.noStore && !request.preconditions.isForOrigin }

  /// What is wanted of the network for this hop.
  var caching: NetworkCaching {
    .byHTTP(
      .init(
        directives: request.directives, keepsAnswers: keepsAnswers, mayServeStale: mayServeStale,
        prefersStale: prefersStale))
  }

  /// What the origin is asked about the stored answer; nil where it has nothing to be asked by. Only a 2xx has: a 304
  /// speaks of what would have been one (RFC 9110 §13.2.1).
  func validators(now: WallTime) -> Validators? {
    guard let found, (200..<300).contains(found.answer.status) else { return nil }
    let validators = Validators(found.answer.fields, now: now)
    return validators.isEmpty ? nil : validators
  }

  /// Whether an answer to this hop that is not kept leaves the stored one behind the times. Trouble that passes does not,
  /// and what answers the asker's own conditions says nothing of the whole.
  static func supersedes(_ status: Int) -> Bool {
    ![206, 304, 412, 416].contains(status) && status < 500 && !RetryRule.transientStatuses.contains(status)
  }

  /// The entry that an answer's head would make here, or why there may be none.
  func entry(
    for head: AnswerHead, length: Int64, facts: ImageFacts?, verification: Verification
  ) -> (metadata: EntryMetadata, obstacle: StorageRule.Obstacle?) {
    var answer = StoredAnswer(
      status: head.status, fields: head.fields, requestTime: head.requestTime, responseTime: head.responseTime)
    // A part that says which it is is judged as the whole would be (RFC 9111 §3.3), and kept beside it.
    let isPart =
      head.status == 206 && request.preconditions.hasRange && StoredPart.place(head.fields, length: length) != nil
    let obstacle = StorageRule.obstacle(
      request: request.directives, status: isPart ? 200 : head.status, response: answer.directives, fields: head.fields)
    answer.makeStorable()
    let (place, selecting) = placing(of: answer.fields)
    let metadata = EntryMetadata(
      key: isPart ? place.ofPart : place, finalURL: url.displayWithScheme, status: head.status, fields: answer.fields,
      varyFields: selecting.map { ($0.name, $0.value) }, requestTime: head.requestTime, responseTime: head.responseTime,
      facts: facts, mime: EntryMetadata.mime(facts, head.fields), verification: verification,
      provenance: head.provenance)
    return (metadata, obstacle)
  }

  /// The newest Vary tells by what the answers of a URL vary; one without a Vary beside others that have one counts as
  /// varying like them (RFC 9111 §4.1).
  private func placing(of fields: HeaderFields) -> (CacheKey, HeaderFields) {
    switch Variance(fields) {
    case .fields(let names) where names != variedBy:
      (key, Variance.fields(names).selecting(from: request.fields))
    case .nothing where place == key: (key, HeaderFields())
    case .fields, .nothing, .everything: (place, Variance.fields(variedBy).selecting(from: request.fields))
    }
  }
}

extension EntryMetadata {
  /// The type of a body: as its bytes tell it, or as the server says where nobody looked.
  static func mime(_ facts: ImageFacts?, _ fields: HeaderFields) -> String {
    facts?.format.mime ?? fields.first("Content-Type") ?? "application/octet-stream"
  }
}
