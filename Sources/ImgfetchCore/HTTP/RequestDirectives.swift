/// A request's demands on a cache: its Cache-Control (RFC 9111 §5.2.1), or `Pragma: no-cache` where there is none.
package struct RequestDirectives: Hashable, Sendable {
  package var noCache = false
  package var noStore = false
  package var onlyIfCached = false
  /// The greatest age in seconds. An invalid argument counts as 0, so that the origin is asked.
  package var maxAge: Int?
  /// The seconds for which the response must still stay fresh.
  package var minFresh: Int?
  /// The seconds for which the response may have been stale, or 2^31 if the directive has no argument.
  package var maxStale: Int?
  /// The same if the origin fails (RFC 5861 §4).
  package var staleIfError: Int?

  /// No demands.
  package init() {}

  package init(_ fields: HeaderFields) {
    CacheControl.forEach(in: fields) { name, argument in
      switch name {
      case "no-cache": noCache = true
      case "no-store": noStore = true
      case "only-if-cached": onlyIfCached = true
      case "max-age": maxAge = maxAge ?? argument.seconds ?? 0
      case "min-fresh": minFresh = minFresh ?? argument.seconds
      case "max-stale": maxStale = maxStale ?? (argument == .absent ? CacheControl.ever : argument.seconds)
      case "stale-if-error": staleIfError = staleIfError ?? argument.seconds
      default: break
      }
    }
    if !fields.contains("cache-control"), let pragma = fields.combined("pragma") {
      noCache = pragma.utf8.split(separator: UInt8(ascii: ",")).contains { member in
        member.filter { !HeaderFields.isBlank($0) }.map(URLHost.lower).elementsEqual("no-cache".utf8)
      }
    }
  }
}
