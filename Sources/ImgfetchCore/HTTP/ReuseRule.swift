/// Decides whether a stored response may be used for a request (RFC 9111 §4, RFC 5861). The key and Vary must match
/// already.
package struct ReuseRule: Hashable, Sendable {
  /// The use of the stored response.
  package enum Action: Hashable, Sendable {
    /// Use it.
    case serve
    /// Use it, marked as stale, as the request permits.
    case serveStale
    /// Use it, marked as stale, and revalidate it afterwards (`stale-while-revalidate`).
    case serveStaleAndRefresh
    /// Revalidate it first.
    case validate
  }

  /// The reason, with the number that decided; for `-v`.
  package enum Reason: Hashable, Sendable {
    case fresh
    case stale
    case requestNoCache
    case responseNoCache
    case olderThanAsked(Int)
    case notFreshForLong(Int)
    case maxStale(Int)
    case staleWhileRevalidate(Int)
  }

  package let action: Action
  package let reason: Reason
  /// True if the response may be served, marked as stale, when the origin cannot be reached or answers with 5xx. The
  /// user decides whether it is.
  package let mayServeStaleOnError: Bool
  /// True if request or response limit for how long that is allowed (`stale-if-error`).
  package let hasErrorWindow: Bool
  let freshness: Freshness

  package init(request: RequestDirectives, response: ResponseDirectives, freshness: Freshness) {
    self.freshness = freshness
    (action, reason) = Self.decide(request, response, freshness)
    mayServeStaleOnError = Self.toleratesStale(request, response, freshness)
    hasErrorWindow = request.staleIfError != nil || response.staleIfError != nil
  }

  private static func decide(
    _ request: RequestDirectives, _ response: ResponseDirectives, _ freshness: Freshness
  ) -> (Action, Reason) {
    if request.noCache { return (.validate, .requestNoCache) }
    if response.noCache { return (.validate, .responseNoCache) }
    // `max-age=0` forces revalidation, however new the response is.
    if let maxAge = request.maxAge, maxAge == 0 || freshness.age > Freshness.nanoseconds(maxAge) {
      return (.validate, .olderThanAsked(maxAge))
    }
    if freshness.isFresh {
      if let minFresh = request.minFresh, -freshness.staleness < Freshness.nanoseconds(minFresh) {
        return (.validate, .notFreshForLong(minFresh))
      }
      return (.serve, .fresh)
    }
    if response.mustRevalidate || request.minFresh != nil { return (.validate, .stale) }
    if let maxStale = request.maxStale, isWithin(freshness, maxStale) { return (.serveStale, .maxStale(maxStale)) }
    // A request with max-age but without max-stale accepts nothing stale (§5.2.1.1).
    if request.maxAge == nil, let window = response.staleWhileRevalidate, isWithin(freshness, window) {
      return (.serveStaleAndRefresh, .staleWhileRevalidate(window))
    }
    return (.validate, .stale)
  }

  private static func toleratesStale(
    _ request: RequestDirectives, _ response: ResponseDirectives, _ freshness: Freshness
  ) -> Bool {
    if request.noCache || response.noCache || response.mustRevalidate { return false }
    if request.maxAge != nil, request.maxStale == nil, request.staleIfError == nil { return false }
    // A window means that beyond it an error is preferred.
    guard let window = request.staleIfError ?? response.staleIfError else { return true }
    return isWithin(freshness, window)
  }

  private static func isWithin(_ freshness: Freshness, _ window: Int) -> Bool {
    window >= CacheControl.ever || freshness.staleness <= Freshness.nanoseconds(window)
  }
}

extension ReuseRule: CustomStringConvertible {
  /// One line for `-v`: the decision, and the numbers behind it.
  package var description: String {
    let source =
      switch freshness.source {
      case .maxAge: "by max-age"
      case .expires: "by Expires"
      case .heuristic: "by a tenth of the time since Last-Modified"
      case .none: "as it names no lifetime"
      }
    let numbers = "age \(freshness.ageInSeconds) s, lifetime \(freshness.lifetime) s \(source)"
    switch reason {
    case .fresh: return "fresh (\(numbers))"
    case .stale: return "stale (\(numbers))"
    case .requestNoCache: return "to be validated: the request says no-cache (\(numbers))"
    case .responseNoCache: return "to be validated: the answer says no-cache (\(numbers))"
    case .olderThanAsked(let maxAge): return "to be validated: the request says max-age=\(maxAge) (\(numbers))"
    case .notFreshForLong(let time): return "to be validated: the request says min-fresh=\(time) (\(numbers))"
    case .maxStale: return "stale, which the request's max-stale allows (\(numbers))"
    case .staleWhileRevalidate(let window): return "stale, within stale-while-revalidate=\(window) (\(numbers))"
    }
  }
}
