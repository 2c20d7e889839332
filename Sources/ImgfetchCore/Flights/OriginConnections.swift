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
  /// True if requests share a connection.
  var isMultiplexed = false
  /// The start of the flight that opens the first connection, or nil if none is under way.
  private(set) var opening: Instant?
  /// The shortest time from a start to a request over a new connection, or nil if it is not known.
  private var handshake: Instant.Span?
  /// The mean time of a request, or nil if it is not known.
  private var answer: Instant.Span?

  init(isSecure: Bool = false) { self.isSecure = isSecure }

  /// Notes that a flight starts.
  ///
  /// - Parameter running: the number of flights that are out.
  mutating func started(beside running: Int, at now: Instant) {
    if ready == 0, running == 0 || opening == nil { opening = now }
  }

  /// Notes that requests can go over one more connection.
  ///
  /// - Parameter span: the time that it took to open.
  mutating func opened(in span: Instant.Span) {
    ready += 1
    opening = nil
    handshake = min(handshake ?? span, span)
  }

  mutating func closed() { ready = max(0, ready - 1) }

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
