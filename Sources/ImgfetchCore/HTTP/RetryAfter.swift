/// The Retry-After of an answer: how long to wait before one asks again.
package enum RetryAfter {
  /// Seconds (`120`) or a date, from `now`; a date in the past is no wait. Nil where it is neither.
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
