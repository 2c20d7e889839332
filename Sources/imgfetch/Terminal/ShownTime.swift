import ImgfetchCore

/// Writes times for people.
enum ShownTime {
  /// The time to the minute, in the local zone, with its distance from UTC: `2026-11-21 11:44 +0100`.
  static func local(_ time: WallTime) -> String {
    let offset = ProcessEnvironment.localOffset(at: time)
    let text = WallTime(seconds: time.seconds + Int64(offset)).timestamp
    let minutes = abs(offset) / 60
    let digits = [minutes / 60, minutes % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }.joined()
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) \(offset < 0 ? "-" : "+")\(digits)"
  }
}
