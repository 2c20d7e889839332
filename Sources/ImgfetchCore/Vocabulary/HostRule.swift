/// Whether a host may be asked at all: before each request, each redirect, and of each host by way of which a stored answer came.
///
/// A pure value, made once for all requests that have the same options: patterns are read when it is made.
package struct HostRule: Sendable {
  /// Nil stands for what is no pattern.
  private let allowed: [HostPattern?]
  private let denied: [HostPattern?]

  /// Nil where every host may be asked.
  package init?(_ options: FetchOptions) {
    if options.allowedHosts.isEmpty && options.deniedHosts.isEmpty { return nil }
    allowed = options.allowedHosts.map(HostPattern.init)
    denied = options.deniedHosts.map(HostPattern.init)
  }

  /// Why not; nil: it may.
  package func objection(to origin: Origin) -> String? {
    // An invalid pattern refuses every host: it was written to keep one out.
    if denied.contains(where: { $0?.matches(origin) ?? true }) {
      return "the host \(origin.host) is among the denied hosts"
    }
    if !allowed.isEmpty, !allowed.contains(where: { $0?.matches(origin) == true }) {
      return "the host \(origin.host) is not among the allowed hosts"
    }
    return nil
  }
}
