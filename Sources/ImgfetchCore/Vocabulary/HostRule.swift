/// Decides whether a host may be asked. The rule is applied before each request and each redirect, and to each host
/// that a stored answer came through.
///
/// A pure value, made once for all requests with the same options. The patterns are parsed when it is made.
package struct HostRule: Sendable {
  /// An invalid pattern is nil.
  private let allowed: [HostPattern?]
  private let denied: [HostPattern?]

  /// Nil if every host may be asked.
  package init?(_ options: FetchOptions) {
    if options.allowedHosts.isEmpty && options.deniedHosts.isEmpty { return nil }
    allowed = options.allowedHosts.map(HostPattern.init)
    denied = options.deniedHosts.map(HostPattern.init)
  }

  /// The reason why the host may not be asked, or nil if it may.
  package func objection(to origin: Origin) -> String? {
    // An invalid pattern refuses every host: it was meant to keep one out.
    if denied.contains(where: { $0?.matches(origin) ?? true }) {
      return "the host \(origin.hostAndPort) is among the denied hosts"
    }
    if !allowed.isEmpty, !allowed.contains(where: { $0?.matches(origin) == true }) {
      return "the host \(origin.hostAndPort) is not among the allowed hosts"
    }
    return nil
  }
}
