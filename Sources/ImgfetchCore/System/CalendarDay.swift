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
