import CPosixShim
import Glibc

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

  /// The earlier of two moments of which there may be none.
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

extension Duration {
  /// A duration in seconds. Any number is allowed: one that is too large, and NaN, becomes the longest
  /// time that counts, 292 years.
  package static func lasting(_ seconds: Double) -> Duration { Instant.Span.seconds(seconds).duration }

  /// The duration in seconds.
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

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

/// The source of time for the core. Tests pass their own, so that years go by in no time.
package protocol Clock: Sendable {
  /// The time for deadlines and durations.
  func now() -> Instant
  /// The time for the ages of files and for dates in header fields.
  func wallTime() -> WallTime
}

/// The machine's clocks.
package struct SystemClock: Clock {
  package init() {}

  package func now() -> Instant { Instant(nanoseconds: read(CLOCK_MONOTONIC).nanoseconds) }
  package func wallTime() -> WallTime { read(CLOCK_REALTIME) }

  private func read(_ clock: clockid_t) -> WallTime {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return WallTime(time)
  }
}

/// A heap of deadlines, each with a value that identifies the due event.
///
/// A pure value: it reads no clock and never sleeps. Its owner sleeps until ``nextDeadline`` and then calls
/// ``popDue(at:)``. A timer cannot be removed: its value says whether it is still valid (by a generation, for example).
package struct Timers<Value> {
  private var heap: [(deadline: Instant, order: UInt64, value: Value)] = []
  private var count: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { heap.isEmpty }

  /// The earliest deadline, or nil if there is none.
  package var nextDeadline: Instant? { heap.first?.deadline }
  /// The number of pending timers.
  var pending: Int { heap.count }

  package mutating func add(_ value: Value, at deadline: Instant) {
    heap.append((deadline, count, value))
    count += 1
    var child = heap.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes and returns the earliest value whose deadline has passed, if any. Values with the same deadline come in
  /// the order in which they were added.
  package mutating func popDue(at now: Instant) -> Value? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) { least = child }
      if least == parent { return first.value }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    (heap[left].deadline, heap[left].order) < (heap[right].deadline, heap[right].order)
  }
}

extension WallTime {
  /// The seconds from this time to the other, which are negative if the other is earlier.
  func seconds(before other: WallTime) -> Double { (Double(other.nanoseconds) - Double(nanoseconds)) / 1e9 }
}

/// A day of the Gregorian calendar, and its distance from 1 January 1970.
///
/// Years are counted from March, so that the leap day is a year's last day, in cycles of 400 years or 146,097 days.
struct CalendarDay: Hashable {
  var year: Int64
  var month: Int64
  var day: Int64

  private static let daysOfCycle: Int64 = 146_097
  /// Days from 1 March of year 0 to 1 January 1970.
  private static let epoch: Int64 = 719_468

  /// Nil if the month has no such day.
  init?(year: Int64, month: Int64, day: Int64) {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let long: Int64 = month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
    guard day <= (month == 2 ? (isLeap ? 29 : 28) : long) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that is `dayNumber` days after 1 January 1970, for any day that 64 bits of seconds can express.
  init(dayNumber: Int64) {
    let shifted = dayNumber + Self.epoch
    let cycle = (shifted >= 0 ? shifted : shifted - (Self.daysOfCycle - 1)) / Self.daysOfCycle
    let dayOfCycle = shifted - cycle * Self.daysOfCycle
    // Leap days, centuries without one and the last day of the cycle are subtracted before dividing by 365.
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    // From March on the lengths of months repeat every 153 days.
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
  }

  var dayNumber: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let cycle = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfCycle = shiftedYear - cycle * 400
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
    return cycle * Self.daysOfCycle + dayOfCycle - Self.epoch
  }
}

extension WallTime {
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
