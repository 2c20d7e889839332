/// What a stored copy is good for, and what is wanted of the network: by age, or by HTTP's own rules. The two answer the same questions.
enum CachingRules: Sendable {
  case byAge(AgeRules)
  // In a box of their own, since most flights go by age, and carry these rules along.
  indirect case byHTTP(HTTPRules)

  /// What is to become of a stored copy.
  enum Use {
    case serve(Serving)
    /// The origin is asked about it first; and what it is good for if that fails.
    case ask(Fallback)
    /// As if it were not there.
    case ignore
  }

  /// Why a stored copy is served.
  enum Serving {
    /// It is that many seconds old.
    case age(Double)
    case rule(ReuseRule)
    /// The origin has just confirmed it.
    case confirmed
    /// The origin failed.
    case insteadOf(FetchError)
    /// The origin has it no more, and is not asked.
    case gone(GoneMark)
  }

  /// What a stored copy is good for should the origin fail.
  enum Fallback: Sendable {
    case none
    /// It is served, marked as stale.
    case stale
    /// Preferred even to a 5xx that the user accepts: the response allows `stale-if-error`.
    case preferred
  }

  /// Whether this process's memory is looked at.
  var readsMemory: Bool {
    switch self {
    case .byAge(let rules): rules.readsMemory
    case .byHTTP(let rules): !rules.isDistrusted && !rules.request.preconditions.isForOrigin
    }
  }

  /// Whether the disk is.
  var readsDisk: Bool {
    switch self {
    case .byAge(let rules): rules.readsDisk
    case .byHTTP: readsMemory
    }
  }

  /// Whether the origin is asked about what is stored: not without a network, nor where only memory is used.
  var asksOrigin: Bool {
    if case .byAge(let rules) = self { rules.policy != .only && rules.policy != .memory } else { true }
  }

  var isOffline: Bool { if case .byAge(let rules) = self { rules.policy == .only } else { false } }

  /// What HTTP's rules go by; nil under the others.
  var http: HTTPRules? { if case .byHTTP(let rules) = self { rules } else { nil } }

  /// Whether a stored redirect leads on. Runs under HTTP's own rules store each place of a way for itself, and what they had is to be
  /// had again without a network.
  var followsStoredRedirects: Bool { http != nil || isOffline }

  /// What is wanted of the network, where a copy has that use.
  func onNetwork(_ fallback: Fallback) -> NetworkCaching {
    guard let http else { return .byAge }
    return .byHTTP(
      .init(
        directives: http.request.directives, keepsAnswers: http.keepsAnswers, mayServeStale: fallback != .none,
        prefersStale: fallback == .preferred))
  }

  /// Why the origin is not asked although there is no answer; nil: it is.
  func refusalToAsk(_ url: WebURL, hops: Int, of request: WebURL) -> FetchError? {
    if isOffline {
      let subject = hops == 0 ? "not in the cache" : "redirects (stored) to \(url.display), which is not in the cache"
      return FetchError(.offline, request.display, "\(subject), and the network was not to be asked")
    }
    guard let http, http.request.directives.onlyIfCached else { return nil }
    return FetchError(
      .offline, url.display, "there is no stored answer that could be used, and the request says only-if-cached",
      status: 504)
  }
}

extension CachingRules.Serving: CustomStringConvertible {
  var description: String {
    switch self {
    case .age(let seconds): "\(AgeRules.words(seconds)) old"
    case .rule(let rule): "\(rule)"
    case .confirmed: "confirmed by the origin"
    case .insteadOf: "stale, as the origin failed"
    case .gone(let mark): "though gone, as \(mark.reason)"
    }
  }
}

/// What a stored image is good for under the policies that go by age: the table of policies as a value.
struct AgeRules: Sendable {
  let policy: CachePolicy
  /// Under policies that ask the origin once per key and run: whether that is still to be done.
  let isFirstAsking: Bool
  let maximumAge: Double
  /// Whether what is there has turned out to be of no use to the asker.
  var isDistrusted = false
  /// Whether an answer that is right for a shorter time, by its own word, is asked about sooner.
  var believesServers = true
  /// For how long what was had in this run stands at least, whatever the asker's maximum is.
  var leastAge: Double = 0

  /// For how long what was had in this run stands, however strict its server is: else each line of a list would ask.
  static let leastStatedAge: Double = 60

  enum Verdict: Equatable {
    case serve
    /// Ask the origin whether it is still right.
    case revalidate
    /// As if it were not there.
    case ignore
  }

  /// - Parameters:
  ///   - age: in seconds since it was stored or revalidated; nil: its time lies in the future, and says nothing.
  ///   - isOfThisRun: whether it was had in this run.
  ///   - stated: what its server says.
  func verdict(
    age: Double?, isOfThisRun: Bool = false, stated: @autoclosure () -> StatedAge = .nothing
  ) -> Verdict {
    switch policy {
    case .only, .memory: return .serve
    case .off: return .ignore
    case .reload: return isFirstAsking ? .ignore : .serve
    case .refresh: return isFirstAsking ? .revalidate : .serve
    case .age, .http:
      guard let age else { return .revalidate }
      if isOfThisRun, age <= leastAge { return .serve }
      guard age <= maximumAge else { return .revalidate }
      guard believesServers, !(isOfThisRun && age <= Self.leastStatedAge), let seconds = stated().seconds else {
        return .serve
      }
      return age <= Double(seconds) ? .serve : .revalidate
    }
  }

  /// Whether this process's memory is looked at.
  var readsMemory: Bool {
    !isDistrusted && policy != .off && !(isFirstAsking && (policy == .reload || policy == .refresh))
  }
  /// Whether the disk is.
  var readsDisk: Bool { !isDistrusted && policy != .off && policy != .memory && !(isFirstAsking && policy == .reload) }
}

// Why, for `-v`.
extension AgeRules {
  /// Why the origin is asked although the disk holds an image that is so old.
  func reasonToAsk(whenStored age: Double?, stated: StatedAge, gone: GoneMark?) -> String {
    if let gone { return "on disk, but gone since \(HTTPDate.format(gone.since)): \(gone.reason)" }
    if policy == .refresh { return "on disk, which under refresh is not enough" }
    guard let age else { return "on disk, with a time that lies ahead" }
    if age <= maximumAge, believesServers, stated != .nothing {
      return "on disk, \(Self.words(age)) old, and its server says \(stated)"
    }
    return "on disk, \(Self.words(age)) old, which is more than \(Self.words(maximumAge))"
  }

  /// Why it is asked where nothing was found.
  var reasonToAsk: String {
    if readsDisk { return "not in the cache" }
    return policy == .memory ? "not in memory" : "not looked for in the cache (\(policy.rawValue))"
  }

  /// A length of time in the largest unit of which there are two: `90 s`, `36 h`, `7.5 d`.
  static func words(_ seconds: Double) -> String {
    let units: [(name: String, seconds: Double)] = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
    let unit = units.first { seconds >= 2 * $0.seconds } ?? ("s", 1)
    let tenths = (seconds / unit.seconds * 10).rounded(.down)
    guard tenths < 1e15 else { return "ages" }
    let (whole, rest) = Int64(tenths).quotientAndRemainder(dividingBy: 10)
    return whole < 10 && rest > 0 && unit.seconds > 1 ? "\(whole).\(rest) \(unit.name)" : "\(whole) \(unit.name)"
  }
}

/// What a stored answer is good for under HTTP's own rules (RFC 9111).
struct HTTPRules: Sendable {
  /// What the request's own fields say of caches.
  let request: CacheRequest
  /// Whether the origin is to be asked now, after a stale answer was served.
  var isRefresh = false
  /// Whether what is there has turned out to be of no use to the asker.
  var isDistrusted = false

  enum Verdict {
    /// Use it: as fresh, or marked as stale.
    case serve(ReuseRule)
    /// Ask the origin first.
    case validate(ReuseRule)
    /// As if it were not there: a run under another policy stored what these rules do not allow.
    case ignore(StorageRule.Obstacle)
  }

  func verdict(on answer: StoredAnswer, now: WallTime) -> Verdict {
    if let obstacle = answer.obstacle { return .ignore(obstacle) }
    let rule = answer.reuse(for: request.directives, now: now)
    switch rule.action {
    case .validate: return .validate(rule)
    case .serveStaleAndRefresh: return isRefresh ? .validate(rule) : .serve(rule)
    case .serve, .serveStale: return .serve(rule)
    }
  }

  /// Whether anything of an answer may be kept. A condition that only the origin can judge makes an answer that says nothing to
  /// others.
  var keepsAnswers: Bool { !request.directives.noStore && !request.preconditions.isForOrigin }

  /// Whether an answer that is not kept makes the stored one obsolete. Failures that may pass do not. Nor do answers to the request's own
  /// conditions and ranges.
  static func supersedes(_ status: Int) -> Bool {
    ![206, 304, 412, 416].contains(status) && status < 500 && !RetryRule.transientStatuses.contains(status)
  }
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
