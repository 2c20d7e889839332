/// The next flight of an origin: the facts that decide when it may start, and whether it goes before those of other
/// origins.
///
/// Kept with the origin, since each start looks at all turns. With many hosts that took most of the time.
struct Turn {
  let slot: Int
  /// The seat of the first flight in line, or nil if the flights have to be looked at one by one.
  var seat: Int?
  var priority: FetchRequest.Priority
  var order: Int
  /// The number of flights that had started when this one came.
  var came: Int
  /// True if the origin has had its places: some of its flights continue beside the others.
  var isLate: Bool
  var isProven: Bool
  var running: Int
  /// The most flights that may be out.
  var limit: Int
  var due: Instant
  var standing: OriginConnections.Standing
  /// The time until which a handshake is waited for.
  var waitsUntil: Instant?
  /// The wait that a further connection may save.
  var gain: Instant.Span
}
