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
  }

  /// What a stored copy is good for should the origin fail.
  enum Fallback: Sendable {
    case none
    /// It is served, marked as stale.
    case stale
    /// That is better than a 5xx, even where the user takes that for an answer: `stale-if-error` was said.
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
    }
  }
}
