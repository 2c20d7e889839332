/// Judges the use of a stored copy, and of the network, by age or by HTTP's own rules. The two
/// answer the same questions.
enum CachingRules: Sendable {
  case byAge(AgeRules)
  // In a box of their own, since most flights go by age, and carry these rules along.
  indirect case byHTTP(HTTPRules)

  /// The use of a stored copy.
  enum Use {
    case serve(Serving)
    /// The origin is asked about the copy first, which has this use if that fails.
    case ask(Fallback)
    /// Ignore the copy.
    case ignore
  }

  /// The reason for which a stored copy is served.
  enum Serving {
    /// The copy is this many seconds old.
    case age(Double)
    case rule(ReuseRule)
    /// The origin has just confirmed it.
    case confirmed
    /// The origin failed.
    case insteadOf(FetchError)
    /// The origin has it no more, and is not asked.
    case gone(GoneMark)
  }

  /// The use of a stored copy if the origin fails.
  enum Fallback: Sendable {
    case none
    /// The copy is served, marked as stale.
    case stale
    /// Preferred even to a 5xx that the user accepts: the response allows `stale-if-error`.
    case preferred
  }

  /// True if this process's memory is searched.
  var readsMemory: Bool {
    switch self {
    case .byAge(let rules): rules.readsMemory
    case .byHTTP(let rules): !rules.isDistrusted && !rules.request.preconditions.isForOrigin
    }
  }

  /// True if the disk is searched.
  var readsDisk: Bool {
    switch self {
    case .byAge(let rules): rules.readsDisk
    case .byHTTP: readsMemory
    }
  }

  /// True if the origin may be asked about a stored copy. It may not without a network, or where only memory is used.
  var asksOrigin: Bool {
    if case .byAge(let rules) = self { rules.policy != .only && rules.policy != .memory } else { true }
  }

  var isOffline: Bool { if case .byAge(let rules) = self { rules.policy == .only } else { false } }

  /// HTTP's own rules, or nil under the rules by age.
  var http: HTTPRules? { if case .byHTTP(let rules) = self { rules } else { nil } }

  /// True if a stored redirect is followed. Under HTTP's own rules, a run stores each hop by itself, and its result
  /// must be available again without a network.
  var followsStoredRedirects: Bool { http != nil || isOffline }

  /// The rules for the network, beside a copy with that use.
  func onNetwork(_ fallback: Fallback) -> NetworkCaching {
    guard let http else { return .byAge }
    return .byHTTP(
      .init(
        directives: http.request.directives, keepsAnswers: http.keepsAnswers, mayServeStale: fallback != .none,
        prefersStale: fallback == .preferred))
  }

  /// The error for a request without an answer whose origin may not be asked, or nil if it may be.
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

/// The policies that go by age, as a value: the use of a stored image under each.
struct AgeRules: Sendable {
  let policy: CachePolicy
  /// True if the origin is still to be asked, under policies that ask once per key and run.
  let isFirstAsking: Bool
  let maximumAge: Double
  /// True if the stored answer has turned out to be of no use to the asker.
  var isDistrusted = false
  /// True if an answer that is valid for a shorter time, by its own word, is revalidated sooner.
  var believesServers = true
  /// The least time for which an answer of this run stays fresh, whatever the asker's maximum is.
  var leastAge: Double = 0

  /// The least time for which an answer of this run stays fresh, however strict its server is: else each
  /// line of a list would ask.
  static let leastStatedAge: Double = 60

  enum Verdict: Equatable {
    case serve
    /// Ask the origin whether it is still right.
    case revalidate
    /// Ignore the copy.
    case ignore
  }

  /// The verdict on a stored copy.
  ///
  /// - Parameters:
  ///   - age: the seconds since it was stored or revalidated. Nil means that its time lies in the
  ///     future, and says nothing.
  ///   - isOfThisRun: true if this run has fetched it.
  ///   - stated: the age that its server states.
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

  /// True if this process's memory is searched.
  var readsMemory: Bool {
    !isDistrusted && policy != .off && !(isFirstAsking && (policy == .reload || policy == .refresh))
  }
  /// True if the disk is searched.
  var readsDisk: Bool { !isDistrusted && policy != .off && policy != .memory && !(isFirstAsking && policy == .reload) }
}

// Why, for `-v`.
extension AgeRules {
  /// The reason why the origin is asked although the disk holds an image of that age.
  func reasonToAsk(whenStored age: Double?, stated: StatedAge, gone: GoneMark?) -> String {
    if let gone { return "on disk, but gone since \(HTTPDate.format(gone.since)): \(gone.reason)" }
    if policy == .refresh { return "on disk, which under refresh is not enough" }
    guard let age else { return "on disk, with a time that lies ahead" }
    if age <= maximumAge, believesServers, stated != .nothing {
      return "on disk, \(Self.words(age)) old, and its server says \(stated)"
    }
    return "on disk, \(Self.words(age)) old, which is more than \(Self.words(maximumAge))"
  }

  /// The reason why the origin is asked if nothing was found.
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

/// HTTP's own rules for a stored answer (RFC 9111).
struct HTTPRules: Sendable {
  /// The cache directives and conditions in the request's own fields.
  let request: CacheRequest
  /// True if the origin is asked now because a stale answer was served.
  var isRefresh = false
  /// True if the stored answer has turned out to be of no use to the asker.
  var isDistrusted = false

  enum Verdict {
    /// Use it: as fresh, or marked as stale.
    case serve(ReuseRule)
    /// Ask the origin first.
    case validate(ReuseRule)
    /// Ignore the copy: a run under another policy stored an answer that these rules do not allow.
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

  /// True if anything of an answer may be kept. A condition that only the origin can judge makes an answer
  /// that is of no use to others.
  var keepsAnswers: Bool { !request.directives.noStore && !request.preconditions.isForOrigin }

  /// True if an answer that is not kept makes the stored one obsolete. Failures that may pass do not, and neither do
  /// answers to the request's own conditions and ranges.
  static func supersedes(_ status: Int) -> Bool {
    ![206, 304, 412, 416].contains(status) && status < 500 && !RetryRule.transientStatuses.contains(status)
  }
}

/// The rules of caching for the network: those that go by age, and HTTP's own.
enum NetworkCaching: Sendable {
  /// One stored image answers for the whole way, and nothing but images is kept.
  case byAge
  /// Each place on the way has an answer of its own.
  case byHTTP(HTTP)

  struct HTTP: Sendable {
    let directives: RequestDirectives
    /// True if anything of an answer may be kept.
    let keepsAnswers: Bool
    /// True if a stored copy may be served, marked as stale, if the origin fails.
    let mayServeStale: Bool
    /// True if a stale copy is better than a 5xx that the user accepts as an answer: `stale-if-error` was said.
    let prefersStale: Bool
  }

  /// True if the target of a redirect, or a mirror, is looked up before it is asked.
  var looksUpEachHop: Bool { if case .byHTTP = self { true } else { false } }

  /// True if the body of an answer is kept although it is not the asker's image.
  func keepsAside(_ conclusion: DownloadMachine.Conclusion) -> Bool {
    guard case .byHTTP(let rules) = self, rules.keepsAnswers else { return false }
    switch conclusion {
    case .redirect: return true
    // A failure that is retried soon is not worth keeping, nor one that a stored answer replaces.
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

  /// True if another run may resume the body of this answer. Under HTTP's rules, an incomplete body may be stored if
  /// the whole could be (RFC 9111 §3.3). Where answers vary, a date does not say which of them it belongs to.
  func mayNote(_ head: AnswerHead) -> Bool {
    guard case .byHTTP(let rules) = self else { return true }
    let obstacle = StorageRule.obstacle(
      request: rules.directives, status: head.status, response: ResponseDirectives(head.fields), fields: head.fields)
    return obstacle == nil && (head.fields.contains("etag") || !head.fields.contains("vary"))
  }
}
