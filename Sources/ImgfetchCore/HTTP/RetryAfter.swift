/// The Retry-After field of a response: how long to wait before the next attempt.
package enum RetryAfter {
  /// The pause that an answer asks for, or nil if it asks for none.
  static func stated(in fields: HeaderFields, now: WallTime) -> Instant.Span? {
    fields.first("Retry-After").flatMap { parse($0, now: now) }
  }

  /// Parses seconds (`120`) or a date, relative to `now`. A past date gives 0; other text gives nil.
  package static func parse(_ value: String, now: WallTime) -> Instant.Span? {
    if let seconds = DecimalNumber.clamped(value.utf8) {
      let (nanoseconds, over) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
      return Instant.Span(nanoseconds: over ? .max : nanoseconds)
    }
    guard let date = HTTPDate.parse(value, now: now) else { return nil }
    let (wait, over) = date.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
    if over { return Instant.Span(nanoseconds: date > now ? .max : 0) }
    return Instant.Span(nanoseconds: max(0, wait))
  }
}
