/// The speed of a flight's body, and the time at which the flight took its place. A pure value.
struct Pace {
  /// The state of a transfer at one moment.
  struct Reading: Equatable {
    /// The bytes of its body so far, or nil before the answer has begun.
    var received: Int64?
    /// False if a head has come in part.
    var hasHead = true
    /// The number of times that the transfer was not read because this side held it up.
    var holdUps = 0
    /// True if the transfer is held up now.
    var isHeld = false
  }

  private struct Window {
    let start: Instant
    let received: Int64
    let holdUps: Int
  }

  /// The time at which the flight took its place.
  let start: Instant
  /// True if the flight has given its place back, and goes on.
  var isBeside = false
  /// True if an answer has begun whose head has not come whole.
  private(set) var isInHead = false
  /// The time since which the flight is too slow, or nil if it is not.
  private(set) var slowSince: Instant?
  private var window: Window?

  init(start: Instant) { self.start = start }

  /// Notes the state of the transfer. Returns true if it has shown that it is fast enough.
  mutating func note(_ reading: Reading, atLeast speed: Int64, at now: Instant) -> Bool {
    isInHead = reading.received != nil && !reading.hasHead
    // A delay on this side is not the server's fault.
    guard let received = reading.received, !reading.isHeld, window?.holdUps ?? reading.holdUps == reading.holdUps else {
      (window, slowSince) = (nil, nil)
      return false
    }
    guard let begun = window else {
      window = Window(start: now, received: received, holdUps: reading.holdUps)
      return false
    }
    let span = now - begun.start
    if span < Self.span { return false }
    let isFast = Self.isFast(received - begun.received, in: span, atLeast: speed)
    slowSince = isFast ? nil : slowSince ?? now
    window = Window(start: now, received: received, holdUps: reading.holdUps)
    return isFast
  }

  /// True if so many bytes in that time reach the wanted speed.
  static func isFast(_ bytes: Int64, in span: Instant.Span, atLeast speed: Int64) -> Bool {
    bytes > 0 && Double(bytes) >= Double(speed) * span.seconds
  }

  /// The time over which the speed is measured: a server may think in between.
  static let span = Instant.Span.seconds(10)
}
