/// A transfer's timeouts: to connect, to receive something, to finish. A pure value: the loop passes the time to it.
struct TransferDeadlines {
  enum Expiry: Equatable { case connecting, stalled, overall }

  private let connectTimeout: Instant.Span
  private let stallTimeout: Instant.Span
  private let deadline: Instant?
  /// When the transfer began; once connected, when something was last received.
  private var lastSign: Instant
  private var isConnected = false
  /// Paused by us, so that silence is not the server's fault.
  private(set) var isPaused = false

  /// libcurl has its own connect timeout, with better error texts (which address, which phase). Ours is for transfers
  /// that libcurl keeps waiting for another transfer's connection. It fires a little later.
  private static let grace = Instant.Span.milliseconds(500)

  init(_ request: TransferRequest, at now: Instant) {
    connectTimeout = request.connectTimeout
    stallTimeout = request.stallTimeout
    deadline = request.deadline
    lastSign = now
  }

  /// The connection is established and the request is sent.
  mutating func connected(at now: Instant) {
    isConnected = true
    lastSign = now
  }

  /// A header line or a byte was received.
  mutating func heard(at now: Instant) { lastSign = now }

  mutating func paused() { isPaused = true }

  mutating func resumed(at now: Instant) {
    isPaused = false
    lastSign = now
  }

  /// The latest time to check again.
  var next: Instant? {
    let quiet = isPaused ? nil : isConnected ? lastSign + stallTimeout : lastSign + connectTimeout + Self.grace
    guard let deadline else { return quiet }
    return quiet.map { min($0, deadline) } ?? deadline
  }

  /// The timeout that has expired; nil for none.
  func expiry(at now: Instant) -> Expiry? {
    if let deadline, deadline <= now { return .overall }
    if isPaused { return nil }
    if isConnected { return lastSign + stallTimeout <= now ? .stalled : nil }
    return lastSign + connectTimeout + Self.grace <= now ? .connecting : nil
  }
}

/// A rate limit over all transfers, kept as a debt that is paid off by time. A pure value.
///
/// Received bytes cannot be given back, so a turn may run into debt; nothing is received until it is paid. The average
/// rate is the requested one, whatever the sizes of the pieces.
struct RateBudget {
  private let rate: Int64
  /// When all bytes received so far would have arrived at exactly the given rate.
  private var paidUntil: Instant?

  /// - Parameter rate: Bytes a second; 0 for no limit.
  init(rate: Int64) { self.rate = max(0, rate) }

  /// What may be received before time has to pass: a tenth of a second's worth, for an even flow, but at least
  /// libcurl's read of 1 KiB.
  var slice: Int64 { rate == 0 ? .max : max(1024, rate / 10) }

  /// Notes that bytes were received.
  mutating func spend(_ bytes: Int64, at now: Instant) {
    guard rate > 0, bytes > 0 else { return }
    let nanoseconds = Double(bytes) / Double(rate) * 1e9
    let start = max(paidUntil ?? now, now)
    paidUntil = start + Instant.Span(nanoseconds: nanoseconds >= 9e18 ? .max : Int64(nanoseconds))
  }

  /// The time until which nothing may be received; nil if receiving may go on.
  func resumption(at now: Instant) -> Instant? {
    guard let paidUntil, paidUntil > now else { return nil }
    return paidUntil
  }
}
