/// The connections to one origin, and what a further one would be worth. A pure value.
///
/// A handshake takes longer than a small image, and its processor time is ten times an image's. So an origin gets a
/// second connection only if that ends sooner than waiting for the first one, and if nothing else wants the place.
struct OriginConnections {
  /// The connection of a flight that starts now.
  enum Standing: Int, Comparable {
    /// A connection that is open, and idle or shared.
    case open
    /// The first connection.
    case first
    /// A connection beside others.
    case further

    static func < (left: Standing, right: Standing) -> Bool { left.rawValue < right.rawValue }
  }

  /// True if a handshake belongs to a connection.
  let isSecure: Bool
  /// The number of connections that requests can go over.
  private(set) var ready = 0
  /// The time since which it is known that requests share a connection, or nil if it is not known.
  private var sharedSince: Instant?
  /// True if requests share a connection.
  var isMultiplexed: Bool { sharedSince != nil }
  /// The most connections that were all full: so many were shared when a flight had to open another one.
  private var full = 0
  /// The most requests that were out at once, since there has been a connection.
  private var mostOut = 0
  /// The start of the flight that opens the first connection, or nil if none is under way.
  private(set) var opening: Instant?
  /// The shortest time from a start to a request over a new connection, or nil if it is not known.
  private var handshake: Instant.Span?
  /// The mean time of a request, or nil if it is not known.
  private var answer: Instant.Span?

  init(isSecure: Bool = false) { self.isSecure = isSecure }

  /// Notes that a flight starts.
  ///
  /// - Parameters:
  ///   - running: the number of flights that are out.
  ///   - unsent: the number of those whose requests have not gone out.
  mutating func started(beside running: Int, unsent: Int = 0, at now: Instant) {
    // Counted here, since no answer has just ended whose flight is still out.
    mostOut = max(mostOut, running - unsent)
    if ready == 0, running == 0 || opening == nil { opening = now }
  }

  /// Notes that requests can go over one more connection.
  ///
  /// - Parameters:
  ///   - span: the time that it took to open.
  ///   - start: the start of the flight that has opened it, or nil if that does not tell anything.
  mutating func opened(in span: Instant.Span, startedAt start: Instant? = nil) {
    if ready > 0, let start, let sharedSince, start >= sharedSince { full = max(full, ready) }
    ready += 1
    opening = nil
    handshake = min(handshake ?? span, span)
  }

  mutating func closed() {
    ready = max(0, ready - 1)
    if ready == 0 { (full, mostOut) = (0, 0) }
  }

  /// Notes that requests share a connection.
  mutating func areShared(at now: Instant) { sharedSince = sharedSince ?? now }

  /// The number of flights that may start so that requests that share connections get at most `most` of these, or nil
  /// if requests share none.
  ///
  /// A server allows a number of requests on each connection, which libcurl does not tell, and it opens further ones
  /// for the others. So as many flights may be between their start and their request as there may be further
  /// connections. The last of these shows that all others are full. From then on, a flight takes the place of another.
  /// But each connection takes one request at least: all that were out may have ended before another flight starts.
  ///
  /// - Parameters:
  ///   - running: the number of flights that are out.
  ///   - unsent: the number of those whose requests have not gone out.
  func room(ofConnections most: Int, running: Int, unsent: Int) -> Int? {
    guard isMultiplexed else { return nil }
    let others = most - 1
    // Slow handshakes may have opened so many before it was known that requests share one.
    let further = full >= others ? max(0, others - ready) : max(1, others - ready)
    // Where none is out, nothing else would start the next one.
    return max(running == 0 ? 1 : 0, further - unsent, max(mostOut, ready) - running)
  }

  /// Notes that a request has had its whole answer, a span after it went out.
  mutating func answered(in span: Instant.Span) {
    let before = answer ?? span
    answer = Instant.Span(nanoseconds: before.nanoseconds / 4 * 3 + span.nanoseconds / 4)
  }

  /// - Parameter running: the number of flights that are out.
  func standing(running: Int) -> Standing {
    if ready > 0, isMultiplexed || running < ready { return .open }
    return ready == 0 && running == 0 ? .first : .further
  }

  /// The time until which flights wait for the first handshake, which tells whether further connections are needed, or
  /// nil if they need not wait.
  var waitsUntil: Instant? { isSecure && ready == 0 ? opening.map { $0 + Self.patience } : nil }

  /// The time until the last of the waiting flights starts, with the connections that there are.
  ///
  /// - Parameters:
  ///   - waiting: the number of flights that wait.
  ///   - running: the number of flights that are out.
  func gain(waiting: Int, running: Int) -> Instant.Span {
    let each = answer ?? max(Self.usualAnswer, handshake ?? Self.usualAnswer)
    let (work, over) = each.nanoseconds.multipliedReportingOverflow(by: Int64(waiting))
    return Instant.Span(nanoseconds: (over ? .max : work) / Int64(max(ready, running, 1)))
  }

  /// The time that a further connection takes. Other origins may open connections at the same time, and handshakes take
  /// turns on the processor.
  ///
  /// - Parameter origins: the number of origins that may want one at the same time.
  func cost(origins: Int) -> Instant.Span {
    let own = handshake ?? Self.usualAnswer
    let turns = (isSecure ? Self.work : Self.plainWork).nanoseconds * Int64(min(origins, 1 << 20))
    return max(isSecure ? own : Instant.Span(nanoseconds: 0), Instant.Span(nanoseconds: turns))
  }

  /// A longer handshake does not hold up the other flights: the origin may be dead, which three flights show sooner.
  private static let patience = Instant.Span.seconds(1)
  private static let usualAnswer = Instant.Span.milliseconds(50)
  /// The time of a handshake on two cores, with the round trip.
  private static let work = Instant.Span.milliseconds(8)
  private static let plainWork = Instant.Span(nanoseconds: 200_000)
}
