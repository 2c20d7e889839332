/// Decides which responses a private cache may store (RFC 9111 §3). For complete responses to GET; partial ones have
/// their own rule.
package enum StorageRule {
  /// The reason for which a response must not be stored.
  package enum Obstacle: Hashable, Sendable, CustomStringConvertible {
    case notFinal(Int)
    case notWhole(Int)
    case requestNoStore
    case noStore
    case notUnderstood(Int)
    case varyEverything
    case notCacheable(Int)

    /// The obstacle, as a text for `-v`.
    package var description: String {
      switch self {
      case .notFinal(let status): "status \(status) is not a final answer"
      case .notWhole(let status): "status \(status) is not a complete answer"
      case .requestNoStore: "the request says no-store"
      case .noStore: "the answer says no-store"
      case .notUnderstood(let status): "the answer says must-understand, and status \(status) is not understood"
      case .varyEverything: "the answer says Vary: *"
      case .notCacheable(let status): "status \(status) is only cacheable with explicit freshness, and has none"
      }
    }
  }

  /// The obstacle to storing a response, or nil if it may be stored.
  package static func obstacle(
    request: RequestDirectives, status: Int, response: ResponseDirectives, fields: HeaderFields
  ) -> Obstacle? {
    if status < 200 { return .notFinal(status) }
    if status == 206 || status == 304 { return .notWhole(status) }
    if request.noStore { return .requestNoStore }
    if response.mustUnderstand {
      // A status that is understood overrides no-store, which is for caches that do not know must-understand
      // (§5.2.2.3).
      if !isUnderstood(status) { return .notUnderstood(status) }
    } else if response.noStore {
      return .noStore
    }
    if Variance(fields) == .everything { return .varyEverything }
    let isExplicit =
      response.isPublic || response.isPrivate || response.maxAge != nil || fields.contains("expires")
    return isExplicit || isHeuristicallyCacheable(status) ? nil : .notCacheable(status)
  }

  /// RFC 9110 §15.1, except 206, which is never stored as a complete response.
  static func isHeuristicallyCacheable(_ status: Int) -> Bool {
    switch status {
    case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }

  /// The final statuses that RFC 9110 defines. None requires more of a cache than is implemented.
  private static func isUnderstood(_ status: Int) -> Bool {
    switch status {
    case 200...205, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
    default: false
    }
  }
}
