/// How long an answer is fresh, and how old it is (RFC 9111 §4.2), for a private cache.
package struct Freshness: Hashable, Sendable {
  /// Where the lifetime comes from.
  package enum Source: Hashable, Sendable {
    case maxAge
    case expires
    /// A tenth of the time since it was last modified (§4.2.2).
    case heuristic
    /// The answer says nothing, and nothing may be guessed.
    case none
  }

  /// In seconds.
  package var lifetime: Int
  package var source: Source
  /// In nanoseconds: a second is long for a script.
  package var age: Int64

  /// An answer that is said to change seldom is asked about once a week all the same, as `--max-age` has it by default.
  static let longestGuess = 7 * 86400

  /// - Parameters:
  ///   - fields: as stored.
  ///   - requestTime: when the request was sent that the answer, or the 304 that last confirmed it, came to.
  ///   - responseTime: when that came.
  package init(
    status: Int, fields: HeaderFields, directives: ResponseDirectives, requestTime: WallTime, responseTime: WallTime,
    now: WallTime
  ) {
    // Without a Date that can be read the time of receipt stands for it (RFC 9110 §6.6.1).
    let date = fields.first("date").flatMap { HTTPDate.parse($0, now: now) }
    let origin = date ?? responseTime
    (lifetime, source) = Self.lifetime(status, fields, directives, date: origin, now: now)

    let apparent = date.map { max(0, Self.seconds(from: $0, to: responseTime)) } ?? 0
    let stated = Self.statedAge(fields)
    let delay = max(0, Self.nanoseconds(from: requestTime, to: responseTime))
    let initial = max(Self.nanoseconds(apparent), Self.sum(Self.nanoseconds(stated), delay))
    let resident = Self.nanoseconds(from: responseTime, to: now)
    // The clock went back. A little is what clocks do; by more than a day it was wrong then, or is now.
    let day = Self.nanoseconds(86400)
    age = resident < -day ? .max : Self.sum(initial, max(0, resident))
  }

  /// Whether it may be used without asking the origin, as far as its age goes.
  package var isFresh: Bool { Self.nanoseconds(lifetime) > age }

  /// In whole seconds, as the Age field has it.
  package var ageInSeconds: Int { Int(age / 1_000_000_000) }

  /// For how long it has been stale, in nanoseconds; negative while it is fresh.
  var staleness: Int64 { age - Self.nanoseconds(lifetime) }

  private static func lifetime(
    _ status: Int, _ fields: HeaderFields, _ directives: ResponseDirectives, date: WallTime, now: WallTime
  ) -> (Int, Source) {
    if let maxAge = directives.maxAge { return (maxAge, .maxAge) }
    if let expires = fields.first("expires") {
      // A date that cannot be read, above all `0`, is in the past (§5.3).
      guard let time = HTTPDate.parse(expires, now: now) else { return (0, .expires) }
      return (min(max(0, seconds(from: date, to: time)), CacheControl.ever), .expires)
    }
    guard StorageRule.isHeuristicallyCacheable(status) || directives.isPublic,
      let modified = fields.first("last-modified").flatMap({ HTTPDate.parse($0, now: now) })
    else { return (0, .none) }
    return (min(max(0, seconds(from: modified, to: date) / 10), longestGuess), .heuristic)
  }

  /// The Age field's first value, and 0 where that is none (§5.1).
  private static func statedAge(_ fields: HeaderFields) -> Int {
    guard let bytes = fields.firstBytes("age") else { return 0 }
    var first = bytes.prefix { $0 != UInt8(ascii: ",") }
    while let last = first.last, HeaderFields.isBlank(last) { first.removeLast() }
    return min(DecimalNumber.clamped(first) ?? 0, CacheControl.ever)
  }

  private static func seconds(from start: WallTime, to end: WallTime) -> Int {
    Int(nanoseconds(from: start, to: end) / 1_000_000_000)
  }

  private static func nanoseconds(from start: WallTime, to end: WallTime) -> Int64 {
    let (difference, over) = end.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
    return over ? (end > start ? .max : .min) : difference
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
