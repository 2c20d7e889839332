/// The freshness lifetime and the age of a response (RFC 9111 §4.2), for a private cache.
package struct Freshness: Hashable, Sendable {
  /// The source of the lifetime.
  package enum Source: Hashable, Sendable {
    case maxAge
    case expires
    /// A tenth of the time since it was last modified (§4.2.2).
    case heuristic
    /// The response gives no lifetime, and a heuristic is not allowed.
    case none
  }

  /// The lifetime in seconds.
  package var lifetime: Int
  package var source: Source
  /// The age in nanoseconds: a second is long for a script.
  package var age: Int64

  /// The longest heuristic lifetime: the default of `--max-age`, so that even an image that seldom changes is
  /// revalidated once a week.
  static let longestGuess = 7 * 86400

  /// - Parameters:
  ///   - fields: The stored fields.
  ///   - requestTime: When the request was sent whose response, or 304, was stored last.
  ///   - responseTime: When that response was received.
  package init(
    status: Int, fields: HeaderFields, directives: ResponseDirectives, requestTime: WallTime, responseTime: WallTime,
    now: WallTime
  ) {
    // Without a valid Date the time of receipt is used (RFC 9110 §6.6.1).
    let date = fields.first("date").flatMap { HTTPDate.parse($0, now: now) }
    let origin = date ?? responseTime
    (lifetime, source) = Self.lifetime(status, fields, directives, date: origin, now: now)

    let apparent = date.map { max(0, Self.seconds(from: $0, to: responseTime)) } ?? 0
    let stated = Self.statedAge(fields)
    let delay = max(0, responseTime.since(requestTime).nanoseconds)
    let initial = max(Self.nanoseconds(apparent), Self.sum(Self.nanoseconds(stated), delay))
    let resident = now.since(responseTime).nanoseconds
    // The clock was set back. A little is normal; by more than a day, the clock was wrong then or is wrong now.
    let day = Self.nanoseconds(86400)
    age = resident < -day ? .max : Self.sum(initial, max(0, resident))
  }

  /// True if its age alone permits use without revalidation.
  package var isFresh: Bool { Self.nanoseconds(lifetime) > age }

  /// The age in whole seconds, as in the Age field.
  package var ageInSeconds: Int { Int(age / 1_000_000_000) }

  /// The time for which it has been stale, in nanoseconds, which is negative while it is fresh.
  var staleness: Int64 { age - Self.nanoseconds(lifetime) }

  private static func lifetime(
    _ status: Int, _ fields: HeaderFields, _ directives: ResponseDirectives, date: WallTime, now: WallTime
  ) -> (Int, Source) {
    if let maxAge = directives.maxAge { return (maxAge, .maxAge) }
    if let expires = fields.first("expires") {
      // An invalid date, most often `0`, counts as past (§5.3).
      guard let time = HTTPDate.parse(expires, now: now) else { return (0, .expires) }
      return (min(max(0, seconds(from: date, to: time)), CacheControl.ever), .expires)
    }
    guard StorageRule.isHeuristicallyCacheable(status) || directives.isPublic,
      let modified = fields.first("last-modified").flatMap({ HTTPDate.parse($0, now: now) })
    else { return (0, .none) }
    return (min(max(0, seconds(from: modified, to: date) / 10), longestGuess), .heuristic)
  }

  /// The first value of the Age field; 0 where it is invalid (§5.1).
  private static func statedAge(_ fields: HeaderFields) -> Int {
    guard let bytes = fields.firstBytes("age") else { return 0 }
    var first = bytes.prefix { $0 != UInt8(ascii: ",") }
    while let last = first.last, HeaderFields.isBlank(last) { first.removeLast() }
    return min(DecimalNumber.clamped(first) ?? 0, CacheControl.ever)
  }

  private static func seconds(from start: WallTime, to end: WallTime) -> Int {
    Int(end.since(start).nanoseconds / 1_000_000_000)
  }

  static func nanoseconds(_ seconds: Int) -> Int64 {
    let (product, over) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return over ? .max : product
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, over) = left.addingReportingOverflow(right)
    return over ? .max : sum
  }
}
