/// The knowledge that ``Admission`` has of an origin: the flights that wait and those that are out, and the limits.
struct AdmittedOrigin {
  var line = WaitingLine()
  var running = 0
  /// The number of flights that are out, and whose requests have not gone out yet.
  var unsent = 0
  /// The number of flights that have given their places back, and go on.
  var beside = 0
  /// The number of flights that ask the remote cache first, and this origin if that has nothing.
  var approaching = 0
  var connections = OriginConnections()
  /// True if other processes ask the origin too.
  var isShared = false
  /// True for the remote cache, which is asked before the origins.
  var isRemoteCache = false
  var pausedUntil: Instant?
  var nextByRate: Instant?
  /// The least time from one request to the next, if the origin asks for one.
  var spacing: Instant.Span?
  /// The throttle while the origin refuses requests as too many.
  var throttle: Throttle?
  var health = OriginHealth()
  /// The index of its turn among all turns, while flights wait.
  var turnIndex: Int?
  var count: Int { line.count }

  /// True if no flight is out at the origin, and nothing is remembered that matters to the next one, which would find
  /// out again whether the origin answers.
  func isForgettable(at now: Instant) -> Bool {
    count == 0 && running == 0 && beside == 0 && approaching == 0 && connections.ready == 0 && !isRemoteCache
      && throttle == nil && spacing == nil && !health.isGivenUp(at: now)
      && max(pausedUntil ?? now, nextByRate ?? now) <= now
  }

  /// The time before which nothing starts, for reasons of the origin's own.
  var due: Instant {
    let start = Instant(nanoseconds: .min)
    return max(
      max(pausedUntil ?? start, nextByRate ?? start), max(throttle?.notBefore ?? start, health.notBefore ?? start))
  }
}
