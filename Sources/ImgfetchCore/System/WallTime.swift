import CPosixShim

/// A moment of the calendar, in nanoseconds since 1970 (UTC). The clock may jump, and a moment may lie in the future.
public struct WallTime: Hashable, Comparable, Sendable {
  /// The nanoseconds since the beginning of 1970, negative before.
  public var nanoseconds: Int64

  /// Creates a moment.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
  /// Moments outside of what 64 bits hold (1677 to 2262) become the nearest that they do hold.
  package init(seconds: Int64) { self.init(seconds: seconds, nanoseconds: 0) }
  /// The same with nanoseconds added.
  package init(seconds: Int64, nanoseconds: Int64) {
    let (whole, over) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overToo) = whole.addingReportingOverflow(nanoseconds)
    self.nanoseconds = over || overToo ? (seconds < 0 ? .min : .max) : sum
  }
  package var seconds: Int64 { nanoseconds / 1_000_000_000 }
  /// The time from `other` to this one, which is negative if this one is earlier.
  package func since(_ other: WallTime) -> Instant.Span {
    let (difference, over) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
    return Instant.Span(nanoseconds: over ? (self < other ? .min : .max) : difference)
  }
  /// Compares two times: the earlier one is less.
  public static func < (left: WallTime, right: WallTime) -> Bool { left.nanoseconds < right.nanoseconds }

  package func earlier(_ span: Instant.Span) -> WallTime {
    let (difference, over) = nanoseconds.subtractingReportingOverflow(span.nanoseconds)
    return over ? self : WallTime(nanoseconds: difference)
  }
}

extension WallTime {
  /// The seconds from this time to the other, which are negative if the other is earlier.
  func seconds(before other: WallTime) -> Double { (Double(other.nanoseconds) - Double(nanoseconds)) / 1e9 }

  /// The day in this machine's time zone, as `2026-11-26`.
  package var localDay: String {
    let seconds = nanoseconds / 1_000_000_000
    let day = CalendarDay(dayNumber: (seconds + Int64(imgfetch_zone_offset(seconds))) / 86_400)
    func padded(_ number: Int64, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
    return "\(padded(day.year, 4))-\(padded(day.month, 2))-\(padded(day.day, 2))"
  }
}
