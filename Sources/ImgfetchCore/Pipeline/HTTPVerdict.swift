/// What HTTP's rules make of a stored answer for one request: the table that `-v` tells about.
enum HTTPVerdict {
  /// Use it: as fresh, or marked as stale.
  case serve(ReuseRule)
  /// Ask the origin first.
  case validate(ReuseRule)
  /// As if it were not there: a run under another policy stored what these rules do not allow.
  case ignore(StorageRule.Obstacle)

  /// - Parameter isRefresh: whether the origin is to be asked now, after a stale answer was served.
  init(_ found: StoredFind, for request: CacheRequest, isRefresh: Bool, now: WallTime) {
    if let obstacle = found.answer.obstacle {
      self = .ignore(obstacle)
      return
    }
    let rule = found.answer.reuse(for: request.directives, now: now)
    switch rule.action {
    case .validate: self = .validate(rule)
    case .serveStaleAndRefresh: self = isRefresh ? .validate(rule) : .serve(rule)
    case .serve, .serveStale: self = .serve(rule)
    }
  }
}
