/// The cost of a flight on the network.
struct Traffic: Sendable {
  /// Bytes of bodies.
  var downloaded: Int64 = 0
  /// Requests, redirects not counted.
  var attempts = 0
  /// The time at which the first request went out.
  var asked: Instant?
}
