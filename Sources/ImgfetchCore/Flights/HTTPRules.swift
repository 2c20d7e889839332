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

  /// Whether an answer that is not kept leaves the stored one behind the times. Trouble that passes does not, and what answers the
  /// asker's own conditions says nothing of the whole.
  static func supersedes(_ status: Int) -> Bool {
    ![206, 304, 412, 416].contains(status) && status < 500 && !RetryRule.transientStatuses.contains(status)
  }
}
