/// The permissions that a response gives a private cache: its Cache-Control (RFC 9111 §5.2.2, RFC 5861, RFC 8246).
/// Directives for shared caches (`s-maxage`, `proxy-revalidate`) do not apply and are ignored.
package struct ResponseDirectives: Hashable, Sendable {
  package var noStore = false
  /// Unqualified: the response must not be used without revalidation.
  package var noCache = false
  /// Qualified (`no-cache="set-cookie"`): names, in lower case, of fields that must not be reused without revalidation.
  package var noCacheFields: [String] = []
  package var isPublic = false
  package var isPrivate = false
  package var mustRevalidate = false
  package var mustUnderstand = false
  /// An invalid argument counts as 0: invalid freshness information means stale (RFC 9111 §4.2.1).
  package var maxAge: Int?
  package var staleWhileRevalidate: Int?
  package var staleIfError: Int?

  package init() {}

  package init(_ fields: HeaderFields) {
    CacheControl.forEach(in: fields) { name, argument in
      switch name {
      case "no-store": noStore = true
      case "no-cache":
        if argument.names.isEmpty { noCache = true } else { noCacheFields += argument.names }
      case "public": isPublic = true
      // Qualified, it lists fields that a shared cache must not store, and permits nothing (§5.2.2.7).
      case "private": isPrivate = isPrivate || argument.names.isEmpty
      case "must-revalidate": mustRevalidate = true
      case "must-understand": mustUnderstand = true
      case "max-age": maxAge = maxAge ?? argument.seconds ?? 0
      case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? argument.seconds
      case "stale-if-error": staleIfError = staleIfError ?? argument.seconds
      default: break
      }
    }
  }
}
