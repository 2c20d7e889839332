/// HTTP's own rules for a stored answer (RFC 9111).
struct HTTPRules: Sendable {
  /// The cache directives and conditions in the request's own fields.
  let request: CacheRequest
  /// True if the origin is asked now because a stale answer was served.
  var isRefresh = false
  /// True if the stored answer has turned out to be useless for the request.
  var isDistrusted = false

  enum Verdict {
    /// Use the copy: as fresh, or marked as stale.
    case serve(ReuseRule)
    /// Ask the origin first.
    case validate(ReuseRule)
    /// Ignore the copy: a run under another policy stored an answer that these rules do not allow.
    case ignore(StorageRule.Obstacle)
  }

  /// - Parameter isExpired: true if its origin has answered otherwise since, which could not be stored.
  func verdict(on answer: StoredAnswer, isExpired: Bool = false, now: WallTime) -> Verdict {
    if let obstacle = answer.obstacle { return .ignore(obstacle) }
    let rule = answer.reuse(for: request.directives, now: now)
    if isExpired { return .validate(rule) }
    switch rule.action {
    case .validate: return .validate(rule)
    case .serveStaleAndRefresh: return isRefresh ? .validate(rule) : .serve(rule)
    case .serve, .serveStale: return .serve(rule)
    }
  }

  /// True if an answer may be kept. If the request has a condition that only the origin can judge, the answer is of no
  /// use to others.
  var keepsAnswers: Bool { !request.directives.noStore && !request.preconditions.isForOrigin }

  /// True if an answer that is not kept makes the stored one obsolete. Failures that may pass do not, and neither do
  /// answers to the request's own conditions and ranges.
  static func supersedes(_ status: Int) -> Bool {
    ![206, 304, 412, 416].contains(status) && status < 500 && !PassingStatuses.all.contains(status)
  }
}
