/// The Retry-After field of a response: how long to wait before the next attempt.
package enum RetryAfter {
  /// The longest pause that is kept.
  static let longestObeyed = Instant.Span.seconds(60)

  /// The pause that an answer asks for, or nil if it asks for none.
  ///
  /// A date is one of the server's clock, which the answer's `Date` tells. If by the clock of this machine the pause is
  /// over, or longer than is waited for, the two clocks may differ.
  static func stated(in fields: HeaderFields, now: WallTime) -> Instant.Span? {
    guard let value = fields.first("Retry-After"), let pause = parse(value, now: now) else { return nil }
    guard pause.nanoseconds == 0 || pause > longestObeyed,
      let sent = fields.first("Date").flatMap({ HTTPDate.parse($0, now: now) }), let own = parse(value, now: sent)
    else { return pause }
    if pause > longestObeyed { return min(pause, own) }
    // A server that repeats one Date for ever says nothing of its clock.
    return own > longestObeyed ? pause : own
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
