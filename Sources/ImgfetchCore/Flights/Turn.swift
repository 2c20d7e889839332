/// The next flight of an origin: the facts by which it may start, and goes before those of other origins.
///
/// Kept beside the origin, since each start looks at all of them. With many hosts that took more time than all else.
struct Turn {
  let slot: Int
  /// The seat of the first flight in line, or nil if the flights have to be looked at one by one.
  var seat: Int?
  var priority: FetchRequest.Priority
  var order: Int
  /// The number of flights that had started when it came.
  var came: Int
  /// True if the origin has had its places: some of its flights go on beside the others.
  var isLate: Bool
  var isProven: Bool
  var running: Int
  /// The most flights that may be out.
  var limit: Int
  var due: Instant
  var standing: OriginConnections.Standing
  /// The time until which a handshake is waited for.
  var waitsUntil: Instant?
  /// The wait that a further connection may spare.
  var gain: Instant.Span
}
