/// When a transfer has had its time: to connect, to say something, to be done. A value; the loop asks it once in a while.
struct TransferDeadlines {
  enum Expiry: Equatable { case connecting, stalled, overall }

  private let connectTimeout: Instant.Span
  private let stallTimeout: Instant.Span
  private let deadline: Instant?
  /// When it began, and from then on when something was last heard.
  private var lastSign: Instant
  private var isConnected = false
  /// We do not listen: it is not the other side's fault that nothing is heard.
  private(set) var isPaused = false

  /// libcurl has its own time to connect and better words for its end (which address, which part of it). Ours is for the
  /// transfers that it keeps waiting for another's connection, and comes a little later.
  private static let grace = Instant.Span.milliseconds(500)

  init(_ request: TransferRequest, at now: Instant) {
    connectTimeout = request.connectTimeout
    stallTimeout = request.stallTimeout
    deadline = request.deadline
    lastSign = now
  }

  /// The connection stands, the request goes out.
  mutating func connected(at now: Instant) {
    isConnected = true
    lastSign = now
  }

  /// A header or a byte has come.
  mutating func heard(at now: Instant) { lastSign = now }

  mutating func paused() { isPaused = true }

  mutating func resumed(at now: Instant) {
    isPaused = false
    lastSign = now
  }

  /// When to ask again at the latest.
  var next: Instant? {
    let quiet = isPaused ? nil : isConnected ? lastSign + stallTimeout : lastSign + connectTimeout + Self.grace
    guard let deadline else { return quiet }
    return quiet.map { min($0, deadline) } ?? deadline
  }

  /// What it has run out of; nil: it may go on.
  func expiry(at now: Instant) -> Expiry? {
    if let deadline, deadline <= now { return .overall }
    if isPaused { return nil }
    if isConnected { return lastSign + stallTimeout <= now ? .stalled : nil }
    return lastSign + connectTimeout + Self.grace <= now ? .connecting : nil
  }
}

/// How many bytes may come, when a rate is set for the run: a debt that time pays off. A value without a clock.
///
/// Received bytes are not given back, so a turn may run into debt; then nothing is received until it is paid. The mean
/// is what was asked for, whatever the sizes of the pieces.
struct RateBudget {
  private let rate: Int64
  /// When all that has been received would have been received at exactly the rate.
  private var paidUntil: Instant?

  /// `rate` in bytes a second; 0: no limit.
  init(rate: Int64) { self.rate = max(0, rate) }

  /// What is received before time has to pass: a tenth of a second's worth, so that the flow is even; at least the 1 KiB
  /// that libcurl asks a socket for.
  var slice: Int64 { rate == 0 ? .max : max(1024, rate / 10) }

  /// Notes that bytes have come.
  mutating func spend(_ bytes: Int64, at now: Instant) {
    guard rate > 0, bytes > 0 else { return }
    let nanoseconds = Double(bytes) / Double(rate) * 1e9
    let start = max(paidUntil ?? now, now)
    paidUntil = start + Instant.Span(nanoseconds: nanoseconds >= 9e18 ? .max : Int64(nanoseconds))
  }

  /// Until when nothing may be received; nil: go on.
  func resumption(at now: Instant) -> Instant? {
    guard let paidUntil, paidUntil > now else { return nil }
    return paidUntil
  }
}
