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
      return Instant.Span(.seconds(seconds))
    }
    guard let date = HTTPDate.parse(value, now: now) else { return nil }
    return max(Instant.Span(nanoseconds: 0), date.since(now))
  }
}
