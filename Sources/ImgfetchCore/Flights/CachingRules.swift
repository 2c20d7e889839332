/// Judges the use of a stored copy, and of the network, by age or by HTTP's own rules. The two
/// answer the same questions.
enum CachingRules: Sendable {
  case byAge(AgeRules)
  // In a box of their own, since most flights go by age, and carry these rules along.
  indirect case byHTTP(HTTPRules)

  /// The use of a stored copy.
  enum Use {
    case serve(Serving)
    /// The origin is asked about the copy first. If that fails, the copy has this use.
    case ask(Fallback)
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
    /// The origin no longer has the image, and is not asked.
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

  /// The rules for the network, beside a stored copy with this fallback.
  func onNetwork(_ fallback: Fallback) -> NetworkCaching {
    guard let http else { return .byAge }
    return .byHTTP(
      .init(
        directives: http.request.directives, keepsAnswers: http.keepsAnswers, mayServeStale: fallback != .none,
        prefersStale: fallback == .preferred))
  }

  /// The error for a request that has no answer and whose origin may not be asked, or nil if it may be.
  ///
  /// - Parameter objection: the reason why a stored copy does not do, or nil if there is none.
  func refusalToAsk(_ url: WebURL, hops: Int, of request: WebURL, objection: String? = nil) -> FetchError? {
    if isOffline {
      let place = objection.map { "in the cache, but \($0)" } ?? "not in the cache"
      let subject = hops == 0 ? place : "redirects (stored) to \(url.display), which is \(place)"
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

/// The rules of caching for the network: those that go by age, and HTTP's own.
enum NetworkCaching: Sendable {
  /// One stored image answers for all hops, and only images are kept.
  case byAge
  /// Each hop has an answer of its own.
  case byHTTP(HTTP)

  struct HTTP: Sendable {
    let directives: RequestDirectives
    /// True if an answer may be kept.
    let keepsAnswers: Bool
    /// True if a stored copy may be served, marked as stale, if the origin fails.
    let mayServeStale: Bool
    /// True if a stale copy is better than a 5xx that the user accepts as an answer, because of `stale-if-error`.
    let prefersStale: Bool
  }

  /// True if the target of a redirect, or a mirror, is looked up before it is asked.
  var looksUpEachHop: Bool { if case .byHTTP = self { true } else { false } }

  /// True if the body of an answer is kept although it is not the requested image.
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

  /// The failure that a 5xx counts as, if a stale stored answer is better than it (RFC 5861 §4).
  func prefersStale(to status: Int, of url: WebURL) -> FetchError? {
    guard case .byHTTP(let rules) = self, rules.prefersStale, [500, 502, 503, 504].contains(status) else { return nil }
    return FetchError(.http, url.display, "the server answered \(StatusPhrase.of(status))", status: status)
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
