/// Formats sizes and times for people. Short and of nearly constant width, so that columns and progress bars do not
/// jump.
enum Amount {
  /// `532 B`, `4.5 KB`, `45 KB`, `1.2 MB`: units of 1024, as options take them.
  static func size(_ bytes: Int64) -> String {
    if bytes < 1000 { return "\(max(0, bytes)) B" }
    var value = Double(bytes)
    var unit = ""
    for next in ["KB", "MB", "GB", "TB", "PB", "EB"] {
      value /= 1024
      unit = next
      // Stops before a fourth digit would be needed.
      if value < 999.5 { break }
    }
    return "\(short(value)) \(unit)"
  }

  /// A size of at least `bytes` bytes, in the form that options take: `812K`, `35M`, `6G`.
  static func option(_ bytes: Int64) -> String {
    for (unit, shift) in [("K", 10), ("M", 20)] where bytes < 1000 << shift { return "\((bytes >> shift) + 1)\(unit)" }
    return "\((bytes >> 30) + 1)G"
  }

  /// A number of up to three digits, with one decimal if there is room.
  private static func short(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
  }

  static func speed(_ bytesPerSecond: Double) -> String { size(whole(bytesPerSecond)) + "/s" }

  /// `12 ms`, `1.2 s`, `2m05s`, `3h07m`.
  static func duration(milliseconds: Double) -> String {
    let time = whole(milliseconds)
    if time < 1000 { return "\(time) ms" }
    if time < 59_950 { return "\((time + 50) / 1000).\((time + 50) / 100 % 10) s" }
    return clock(seconds: Double((time + 500) / 1000))
  }

  /// `5s`, `2m05s`, `3h07m`, `4d03h`: the remaining time of a run.
  static func clock(seconds: Double) -> String {
    let time = whole(seconds.rounded(.up))
    if time < 60 { return "\(time)s" }
    if time < 3600 { return "\(time / 60)m\(twoDigits(time % 60))s" }
    if time < 86_400 { return "\(time / 3600)h\(twoDigits(time / 60 % 60))m" }
    return "\(time / 86_400)d\(twoDigits(time / 3600 % 24))h"
  }

  private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }

  /// Clamps values at which the conversion would trap.
  static func whole(_ value: Double) -> Int64 { value.isFinite ? Int64(min(max(value, 0), 1e18)) : 0 }

  /// `1 image`, `2,200 images`.
  static func count(_ number: Int, _ noun: String) -> String { "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")" }

  /// `2,200`: digits grouped by thousands.
  static func grouped(_ number: Int) -> String {
    var groups: [Substring] = []
    var digits = String(number.magnitude)[...]
    while digits.utf8.count > 3 {
      groups.append(digits.suffix(3))
      digits.removeLast(3)
    }
    groups.append(digits)
    return (number < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
  }
}
