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
