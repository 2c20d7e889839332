/// A transfer's timeouts: to connect, to receive something, to finish. A pure value: the loop passes the time to it.
struct TransferDeadlines {
  enum Expiry: Equatable { case connecting, stalled, overall }

  private let connectTimeout: Instant.Span
  private let stallTimeout: Instant.Span
  private let deadline: Instant?
  /// The start of the transfer or, once connected, the time of the last receipt.
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

  /// Notes that the connection is established and the request is sent.
  mutating func connected(at now: Instant) {
    isConnected = true
    lastSign = now
  }

  /// Notes that a header line or a byte was received.
  mutating func heard(at now: Instant) { lastSign = now }

  mutating func paused() { isPaused = true }

  mutating func resumed(at now: Instant) {
    isPaused = false
    lastSign = now
  }

  /// The latest time to check again.
  var next: Instant? {
    let quiet = isPaused ? nil : isConnected ? lastSign + stallTimeout : lastSign + connectTimeout + Self.grace
    return Instant.earlier(quiet, deadline)
  }

  /// The timeout that has expired, or nil for none.
  func expiry(at now: Instant) -> Expiry? {
    if let deadline, deadline <= now { return .overall }
    if isPaused { return nil }
    if isConnected { return lastSign + stallTimeout <= now ? .stalled : nil }
    return lastSign + connectTimeout + Self.grace <= now ? .connecting : nil
  }
}
