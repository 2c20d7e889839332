/// A moment on the monotonic clock. Only differences between two of them mean anything.
package struct Instant: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
  package static func - (left: Instant, right: Instant) -> Span {
    Span(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
  package static func + (left: Instant, right: Span) -> Instant {
    let (sum, over) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
    return Instant(nanoseconds: over ? .max : sum)
  }

  /// The earlier of two moments, each of which may be missing.
  static func earlier(_ one: Instant?, _ other: Instant?) -> Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }

  /// A length of time.
  package struct Span: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    package static func milliseconds(_ count: Int) -> Span { Span(nanoseconds: Int64(count) * 1_000_000) }
    /// Creates a span. Any number is allowed: one that is too large, and NaN, becomes the longest span.
    package static func seconds(_ count: Double) -> Span {
      Span(nanoseconds: count < 9e9 ? Int64(max(count, -9e9) * 1_000_000_000) : .max)
    }
    package var milliseconds: Int { Int(nanoseconds / 1_000_000) }
    package var seconds: Double { Double(nanoseconds) / 1_000_000_000 }
    package static func < (left: Span, right: Span) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The same length; one that is too long becomes the longest.
    package init(_ duration: Duration) {
      let (seconds, attoseconds) = duration.components
      let (whole, over) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      let (sum, overToo) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
      nanoseconds = over || overToo ? (seconds < 0 ? .min : .max) : sum
    }

    package var duration: Duration { .nanoseconds(nanoseconds) }
    /// The seconds as a text for messages: `10 s`, `1.5 s`, `0.05 s`.
    package var inSeconds: String {
      let sign = nanoseconds < 0 ? "-" : ""
      let size = milliseconds.magnitude
      // Below a tenth that is all there is to say.
      if size > 0, size < 100 { return "\(sign)0.\(size < 10 ? "00" : "0")\(size) s" }
      let tenths = (size + 50) / 100
      return tenths % 10 == 0 ? "\(sign)\(tenths / 10) s" : "\(sign)\(tenths / 10).\(tenths % 10) s"
    }
  }
}
