/// What an answer allows a private cache: its Cache-Control (RFC 9111 §5.2.2, RFC 5861, RFC 8246). The directives for
/// shared caches (`s-maxage`, `proxy-revalidate`) are not ours to obey, and are not read.
package struct ResponseDirectives: Hashable, Sendable {
  package var noStore = false
  /// Unqualified: never without asking the origin.
  package var noCache = false
  /// Qualified (`no-cache="set-cookie"`): the fields, in lower case, that no answer from the cache may have.
  package var noCacheFields: [String] = []
  package var isPublic = false
  package var isPrivate = false
  package var mustRevalidate = false
  package var mustUnderstand = false
  package var immutable = false
  /// Garbage is 0: invalid freshness is none (RFC 9111 §4.2.1).
  package var maxAge: Int?
  package var staleWhileRevalidate: Int?
  package var staleIfError: Int?

  /// No directives.
  package init() {}

  package init(_ fields: HeaderFields) {
    CacheControl.forEach(in: fields) { name, argument in
      switch name {
      case "no-store": noStore = true
      case "no-cache":
        if argument.names.isEmpty { noCache = true } else { noCacheFields += argument.names }
      case "public": isPublic = true
      // Qualified, it is about fields that a shared cache may not have, and allows nothing (§5.2.2.7).
      case "private": isPrivate = isPrivate || argument.names.isEmpty
      case "must-revalidate": mustRevalidate = true
      case "must-understand": mustUnderstand = true
      case "immutable": immutable = true
      case "max-age": maxAge = maxAge ?? argument.seconds ?? 0
      case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? argument.seconds
      case "stale-if-error": staleIfError = staleIfError ?? argument.seconds
      default: break
      }
    }
  }
}
