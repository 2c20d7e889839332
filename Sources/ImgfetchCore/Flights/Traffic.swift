/// The cost of a flight on the network, and the URL that it reached.
struct Traffic: Sendable {
  /// Bytes of bodies.
  var downloaded: Int64 = 0
  /// Requests, redirects not counted.
  var attempts = 0
  /// The time at which the first request went out.
  var asked: Instant?
  /// The URL that was requested last, or nil if the flight was not on the network.
  var lastAsked: WebURL?
  /// Redirects on the way there, from the URL or the mirror that it began with.
  var redirects = 0
}
