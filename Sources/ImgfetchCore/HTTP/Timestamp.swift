extension WallTime {
  /// `2026-11-21T10:44:55Z` (RFC 3339, UTC): sorts as text, and is read by everything that reads dates.
  package var timestamp: String {
    let days = floorDivision(nanoseconds, by: 86_400_000_000_000)
    let day = CalendarDay(dayNumber: days.quotient)
    let second = days.remainder / 1_000_000_000
    let date = [digits(day.year, 4), digits(day.month, 2), digits(day.day, 2)].joined(separator: "-")
    let time = [second / 3600, second / 60 % 60, second % 60].map { digits($0, 2) }.joined(separator: ":")
    return "\(date)T\(time)Z"
  }

  private func floorDivision(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private func digits(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
