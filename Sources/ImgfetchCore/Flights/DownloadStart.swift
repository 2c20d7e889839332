/// What a flight sets out with for the network.
struct DownloadStart: Sendable {
  /// The first asker's URL.
  let givenURL: WebURL
  /// The first asker's options, which decide.
  let shared: SharedOptions
  /// Where it begins: the request's URL, or the place that a stored redirect or a mirror led to.
  let url: WebURL
  var hops = 0
  var mirrors: ArraySlice<WebURL>
  /// Whether an answer on the way here came from a public address.
  var isFromPublic = false
  /// What the rules of caching want of the network.
  var caching = NetworkCaching.byAge
  /// Whether the origin is asked about a stored copy.
  var asksConditionally = false
  /// What is there of the body already.
  var resumption: Resumption?
  /// What the flight has cost on the network before.
  var costBefore = Traffic()
  var retry = RetryRule()
  var trail: RedirectTrail { RedirectTrail(url: url, hops: hops, isFromPublic: isFromPublic) }

  init(_ givenURL: WebURL, _ shared: SharedOptions, at url: WebURL, mirrors: ArraySlice<WebURL>) {
    self.givenURL = givenURL
    self.shared = shared
    self.url = url
    self.mirrors = mirrors
  }
}

extension FetchOptions {
  /// Whether the asker itself wants a part only.
  var asksForPart: Bool { headers.contains { $0.value != nil && $0.name.lowercased() == "range" } }

  /// Whether a body that came in part may be gone on with: not where the asker's own fields say which part, or on what condition.
  var mayResume: Bool {
    !headers.contains { field in
      guard field.value != nil else { return false }
      let name = field.name.lowercased()
      return name == "range" || name.hasPrefix("if-")
    }
  }
}

/// Where a redirect or a mirror leads.
struct NextHop: Sendable {
  let url: WebURL
  let hops: Int
  let mirrors: ArraySlice<WebURL>
  let isFromPublic: Bool
}

/// What a flight costs on the network.
struct Traffic: Sendable {
  /// Bytes of bodies.
  var downloaded: Int64 = 0
  /// Requests, redirects not counted.
  var attempts = 0
  /// When the first of them went out.
  var asked: Instant?
}

/// How many requests were sent for a flight, redirects not counted.
struct AttemptCount: Sendable {
  /// To the URL or mirror that is asked now.
  var made = 0
  /// Those of them that were sent because the one before showed how to ask.
  var repeats = 0
  /// How often the answer was that there are too many requests, or there was none.
  var refusals = 0
  /// To those that were given up.
  private var elsewhere = 0

  var inAll: Int { made + elsewhere }

  /// Another mirror is asked.
  mutating func moveOn() { (elsewhere, made, repeats, refusals) = (inAll, 0, 0, 0) }
}

/// What the rules of caching want of the network: those that go by age, and HTTP's own.
enum NetworkCaching: Sendable {
  /// One stored image answers for the whole way, and nothing but images is kept.
  case byAge
  /// Each place on the way has an answer of its own.
  case byHTTP(HTTP)

  struct HTTP: Sendable {
    let directives: RequestDirectives
    /// Whether anything of an answer may be kept.
    let keepsAnswers: Bool
    /// Whether a stored copy may be served, marked as stale, should the origin fail.
    let mayServeStale: Bool
    /// Whether that is better than a 5xx, even where the user takes that for an answer: `stale-if-error` was said.
    let prefersStale: Bool
  }

  /// Whether a redirect's target, or a mirror, is looked up before it is asked.
  var looksUpEachHop: Bool { if case .byHTTP = self { true } else { false } }

  /// Whether an answer's body is kept, although it is not what the asker gets.
  func keepsAside(_ conclusion: DownloadMachine.Conclusion) -> Bool {
    guard case .byHTTP(let rules) = self, rules.keepsAnswers else { return false }
    switch conclusion {
    case .redirect: return true
    // One that is asked for again soon is not worth keeping, nor one that a stored answer stands in for.
    case .fail(let error, _):
      return error.kind == .http && !error.isTransient && !((error.status ?? 0) >= 500 && rules.mayServeStale)
    case .again, .notModified: return false
    }
  }

  /// The failure that a 5xx is, where the stored answer is better although it is stale (RFC 5861 §4).
  func prefersStale(to status: Int, of url: WebURL) -> FetchError? {
    guard case .byHTTP(let rules) = self, rules.prefersStale, [500, 502, 503, 504].contains(status) else { return nil }
    return FetchError(.http, url.display, "the server answered \(AnswerRule.phrase(status))", status: status)
  }

  /// Whether another run may go on with the body of this answer. Under HTTP's rules: where the whole could be stored, an incomplete
  /// one may be (RFC 9111 §3.3). Where answers vary, a date says nothing of which of them it is.
  func mayNote(_ head: AnswerHead) -> Bool {
    guard case .byHTTP(let rules) = self else { return true }
    let obstacle = StorageRule.obstacle(
      request: rules.directives, status: head.status, response: ResponseDirectives(head.fields), fields: head.fields)
    return obstacle == nil && (head.fields.contains("etag") || !head.fields.contains("vary"))
  }
}
