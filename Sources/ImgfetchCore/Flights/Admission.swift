/// Decides which flight may start now, within the limits on all flights and on those to one origin, in the order of
/// asking.
///
/// A pure value. Its events are ``enqueue(_:to:priority:notBefore:refusals:hasSpare:onward:keeping:)``,
/// ``ended(at:onward:)``, ``answered(_:overHTTP2:at:)``, ``slow(_:until:)`` and those of ``Throttle`` and
/// ``OriginHealth``; ``next(at:)`` returns the flight that starts. A flight that waits (for its turn, for a retry, for
/// another process) holds no place. A run bounds by its window how many flights wait here. The tasks of a program have
/// no such bound, so leaving and changing the priority take the same time in a long line.
package struct Admission {
  package struct Limits: Sendable {
    /// Flights at once in the whole run.
    var jobs = 100
    /// The most flights at once to one origin. Nil means 6, the habit of browsers, and ``multiplexedPerHost`` once the
    /// origin has answered over HTTP/2, where further flights cost no further connection.
    var perHost: Int?
    var isNewestFirst = false
    /// Requests a second to one origin at most. Nil means any number, and so does 0: else the second request would wait
    /// for ever.
    var requestsPerSecond: Double?
    /// The origins that this number of processes asks at the same time: one flight at once, and an equal part
    /// of the requests a second.
    var sharing: (hosts: [HostPattern], processes: Int) = ([], 1)
    /// True if only priority and order decide the next flight to start.
    var keepsOrder: Bool { jobs == 1 || isNewestFirst || isInOrder }
    /// True if the user asked for the order.
    var isInOrder = false
    /// True if connections are spared: flights that can use an open connection go first, then those that open the first
    /// one to their origin. Needs notices of connections.
    package var sparesConnections = false
    /// True if an origin whose requests share connections gets no more of these than other origins. Needs notices of
    /// requests that go out.
    package var boundsSharedConnections = false

    package static let politePerHost = 6
    /// Most servers allow 100 or 128 streams a connection.
    static let multiplexedPerHost = 100

    /// True if a flight keeps its place until its result is known, so that none begins after one that has failed.
    package var holdsPlaces = false

    /// The time for which an origin that has answered may be silent before it is given up.
    var outage = Instant.Span(nanoseconds: 0)

    /// Flights at once to all origins together that have not answered yet: dead ones never hold up those that answer.
    var unproven: Int { half }
    /// Half of the places, rounded up.
    var half: Int { jobs / 2 + jobs % 2 }

    package init(
      jobs: Int = 100, perHost: Int? = nil, isNewestFirst: Bool = false, requestsPerSecond: Double? = nil,
      sharing: (hosts: [HostPattern], processes: Int) = ([], 1)
    ) {
      self.jobs = jobs
      self.perHost = perHost
      self.isNewestFirst = isNewestFirst
      self.requestsPerSecond = requestsPerSecond
      self.sharing = sharing
    }
  }

  var limits: Limits
  var waiting = WaitingSeats()
  private var hosts: [Origin: Int] = [:]
  var slots: [AdmittedOrigin] = []
  /// Slots of origins that were forgotten.
  private var free: [Int] = []
  /// The number of origins above which those without anything to remember are forgotten. A list may name a million.
  private var mostHosts = leastHosts
  /// The origin asked about last, which is mostly the next one too.
  private var last: (origin: Origin, slot: Int)?
  /// The turns of the origins for which a flight waits, in no order.
  var turns: [Turn] = []
  /// The number of flights that have started.
  var starts = 0
  private var running = 0
  /// The flights whose answers have come, and whose results are not known. They have places, but no request.
  private var unsettled: Set<UInt64> = []
  /// The number of running flights to origins that have not answered yet.
  var unproven = 0
  private var count = 0
  /// The number of origins that have refused a request as one too many.
  private var throttled = 0
  /// The number of origins that are down.
  private var down = 0

  package init(_ limits: Limits) { self.limits = limits }

  /// Changes the limits. Places that are taken are not taken away.
  mutating func setLimits(_ change: (inout Limits) -> Void) {
    change(&limits)
    renewAll()
  }

  /// The number of running flights.
  var inProgress: Int { running }
  /// The number of origins that are remembered.
  var remembered: Int { hosts.count }

  /// Adds a flight to the line at its origin.
  ///
  /// - Parameters:
  ///   - hasSpare: true if another refusal would not be the flight's last.
  ///   - onward: the origin that is asked next if this one, a remote cache, does not have the image. The flight waits
  ///     as long as that origin has a queue of its own, because another machine may put the image into the remote cache
  ///     meanwhile.
  ///   - turn: the turn that the flight had, if its next request follows at once, as after a redirect. It comes before
  ///     the flights that have come since. Nil for a flight that is new or has to wait.
  /// - Returns: The turn of the flight.
  @discardableResult
  package mutating func enqueue(
    _ flight: UInt64, to origin: Origin, priority: FetchRequest.Priority, notBefore: Instant? = nil, refusals: Int = 0,
    hasSpare: Bool = false, onward: Origin? = nil, keeping turn: Int? = nil
  ) -> Int {
    let onward = onward.map { self.slot(of: $0) }
    let slot = slot(of: origin)
    if onward != nil { slots[slot].isRemoteCache = true }
    let order = newOrder(after: turn)
    let new = WaitingFlight(
      flight: flight, slot: slot, priority: priority, order: order, came: starts, notBefore: notBefore,
      refusals: refusals, hasSpare: hasSpare, onward: onward)
    let seat = waiting.take(new)
    slots[slot].line.add(seat, waiting, newestFirst: limits.isNewestFirst)
    renew(slot)
    return order
  }

  /// A number that no flight has had: the next one behind a turn, as long as there are any before those of the next
  /// flight.
  private mutating func newOrder(after turn: Int?) -> Int {
    if let turn, turn & Self.lastOfTurn < Self.lastOfTurn { return turn + 1 }
    count += 1
    return count * (Self.lastOfTurn + 1)
  }

  /// A flight has more requests in one turn only where redirects have no limit.
  private static let lastOfTurn = 0xFF

  /// Changes the priority of a flight. It keeps its place among those of its new priority. Has no effect on a flight
  /// that does not wait.
  package mutating func setPriority(_ priority: FetchRequest.Priority, of flight: UInt64) {
    guard let seat = waiting.seat(of: flight), let known = waiting[seat], known.priority != priority else { return }
    slots[known.slot].line.remove(known)
    waiting.setPriority(priority, of: seat)
    slots[known.slot].line.add(seat, waiting, newestFirst: limits.isNewestFirst)
    renew(known.slot)
  }

  /// Notes that a flight that started has ended, or waits again, and gives its place back.
  ///
  /// - Parameter onward: the same as in ``enqueue(_:to:priority:notBefore:refusals:hasSpare:onward:keeping:)``.
  package mutating func ended(at origin: Origin, onward: Origin? = nil) {
    if let onward { slots[self.slot(of: onward)].approaching -= 1 }
    let slot = slot(of: origin)
    running -= 1
    slots[slot].running -= 1
    if !slots[slot].health.isProven { unproven -= 1 }
    renew(slot)
  }

  /// Notes that a flight that has ended keeps its place until ``settled(_:)``.
  package mutating func hold(_ flight: UInt64) { unsettled.insert(flight) }

  /// Notes that the result of a flight is known, or that it has to be asked for once more.
  package mutating func settled(_ flight: UInt64) { unsettled.remove(flight) }

  private var hasPlace: Bool { running + unsettled.count < limits.jobs }

  /// Notes that a flight that started gives its place back, and goes on. ``endedBeside(at:)`` follows.
  mutating func stepAside(at origin: Origin, onward: Origin? = nil) {
    ended(at: origin, onward: onward)
    let slot = slot(of: origin)
    slots[slot].beside += 1
    renew(slot)
  }

  /// Notes that a flight without a place has ended.
  mutating func endedBeside(at origin: Origin) {
    let slot = slot(of: origin)
    slots[slot].beside = max(0, slots[slot].beside - 1)
    renew(slot)
  }

  /// Removes a flight that is no longer wanted. Returns true if it waited.
  @discardableResult
  package mutating func remove(_ flight: UInt64) -> Bool {
    guard let seat = waiting.seat(of: flight) else { return false }
    take(seat)
    return true
  }

  /// Removes a flight from its seat and its line.
  private mutating func take(_ seat: Int) {
    guard let known = waiting[seat] else { return }
    slots[known.slot].line.remove(known)
    waiting.leave(seat)
    renew(known.slot)
  }

  /// Notes that the origin answers. Over HTTP/2 it may have many flights from now on.
  /// ``answerEnded(by:isWhole:after:)`` follows.
  package mutating func answered(_ origin: Origin, overHTTP2: Bool, at now: Instant) {
    let slot = slot(of: origin)
    if overHTTP2 { slots[slot].connections.areShared(at: now) }
    change(slot) { $0.answerBegan(at: now) }
  }

  /// Notes the end of an answer.
  ///
  /// - Parameters:
  ///   - isWhole: true if all of it has come.
  ///   - span: the time since its request went out, or nil if that is not known.
  package mutating func answerEnded(by origin: Origin, isWhole: Bool = true, after span: Instant.Span? = nil) {
    let slot = slot(of: origin)
    if isWhole, let span { slots[slot].connections.answered(in: span) }
    change(slot) { $0.answerEnded(isWhole: isWhole) }
  }

  /// Notes that further connections to the origin are ready for requests.
  ///
  /// - Parameters:
  ///   - span: the time that it took to open them.
  ///   - start: the start of the flight that has opened them, or nil if it is not known.
  package mutating func opened(
    _ count: Int = 1, to origin: Origin, in span: Instant.Span, startedAt start: Instant? = nil
  ) {
    let slot = slot(of: origin)
    for number in 0..<count { slots[slot].connections.opened(in: span, startedAt: number == 0 ? start : nil) }
    renew(slot)
  }

  /// Notes that one of those is closed.
  package mutating func closed(to origin: Origin) {
    let slot = slot(of: origin)
    slots[slot].connections.closed()
    renew(slot)
  }

  /// Notes that the request of a flight that has started goes out.
  package mutating func wentOut(to origin: Origin) {
    let slot = slot(of: origin)
    slots[slot].unsent = max(0, slots[slot].unsent - 1)
    if slots[slot].connections.isMultiplexed { renew(slot) }
  }

  /// Notes that the request of a flight that has started will not go out. Its end follows.
  mutating func stayed(from origin: Origin) {
    let slot = slot(of: origin)
    slots[slot].unsent = max(0, slots[slot].unsent - 1)
  }

  /// Returns true if a flight waits for the origin.
  package func hasWaiting(for origin: Origin) -> Bool { hosts[origin].map { slots[$0].count > 0 } ?? false }

  /// Changes an origin's health, and counts the consequences.
  private mutating func change<Result>(_ slot: Int, _ body: (inout OriginHealth) -> Result) -> Result {
    let (wasProven, wasDown) = (slots[slot].health.isProven, slots[slot].health.isDown)
    let result = body(&slots[slot].health)
    let health = slots[slot].health
    if health.isProven != wasProven { unproven += health.isProven ? -slots[slot].running : slots[slot].running }
    if health.isDown != wasDown { down += health.isDown ? 1 : -1 }
    renew(slot)
    return result
  }

  /// Notes that an attempt that began at `start`, and gave its place back, ended without one byte of an answer.
  package mutating func wasSilent(
    _ origin: Origin, to start: Instant, at now: Instant, because reason: String, retries: Int, random: Double
  ) -> OriginHealth.Change {
    let (slot, patience) = (slot(of: origin), limits.outage)
    return change(slot) {
      $0.wasSilent(to: start, at: now, because: reason, retries: retries, patience: patience, random: random)
    }
  }

  /// Notes that an answer to an attempt that began at `start` was broken off because it came too slowly.
  mutating func wasSlow(
    _ origin: Origin, to start: Instant, at now: Instant, because reason: String, retries: Int, random: Double
  ) -> OriginHealth.Change {
    let slot = slot(of: origin)
    return change(slot) { $0.wasSlow(to: start, at: now, because: reason, retries: retries, random: random) }
  }

  /// The health of an origin, or nil if there is nothing to know of it.
  func health(of origin: Origin) -> OriginHealth? { hosts[origin].map { slots[$0].health } }

  /// True if the origin keeps answering "too many requests", however long it is left alone.
  func isHopeless(_ origin: Origin, at now: Instant) -> Bool {
    throttled > 0 && hosts[origin].map { slots[$0].throttle?.isHopeless(at: now) == true } ?? false
  }

  /// True if a flight waits for a place.
  var hasWaiting: Bool { !turns.isEmpty }

  /// The reason why the origin is down, or nil if it is up.
  func outage(of origin: Origin) -> String? {
    down > 0 ? health(of: origin)?.reason : nil
  }

  /// True if a flight to the origin fails instead of waiting for it.
  package func isGivenUp(_ origin: Origin, at now: Instant) -> Bool {
    health(of: origin)?.isGivenUp(at: now) == true
  }

  /// The flights that wait for the origin, in the order of their requests.
  package mutating func waiting(for origin: Origin) -> [UInt64] {
    guard let slot = hosts[origin] else { return [] }
    return line(of: slot).sorted { $0.order < $1.order }.map(\.flight)
  }

  /// All that wait for an origin, in no order.
  private mutating func line(of slot: Int) -> [WaitingFlight] {
    WaitingLine.order.flatMap { slots[slot].line.all($0, waiting) }.compactMap { waiting[$0] }
  }

  /// Notes that the origin asked for a pause: nothing starts there before `instant`.
  mutating func slow(_ origin: Origin, until instant: Instant) {
    let slot = slot(of: origin)
    slots[slot].pausedUntil = max(slots[slot].pausedUntil ?? instant, instant)
    renew(slot)
  }

  /// Notes the least time that the origin wants between two requests.
  mutating func space(_ origin: Origin, by span: Instant.Span) { slots[slot(of: origin)].spacing = span }

  /// Notes that the origin refused a request that began at `start` as one too many, without a time to come back.
  /// Returns the time to ask it again, or nil if others may start at once. `isCounted` is true if it counts requests.
  mutating func refused(
    by origin: Origin, startedAt start: Instant, at now: Instant, random: Double, isCounted: Bool = true
  ) -> Instant? {
    let slot = slot(of: origin)
    defer { renew(slot) }
    guard var throttle = slots[slot].throttle else {
      throttled += 1
      slots[slot].throttle = Throttle(places: limit(of: slots[slot]), refusedAt: now)
      return nil
    }
    throttle.refused(startedAt: start, at: now, random: random, isCounted: isCounted)
    slots[slot].throttle = throttle
    return throttle.notBefore > now ? throttle.notBefore : nil
  }

  /// Notes that the origin gave another answer than "too many" to a request that began at `start`.
  mutating func served(by origin: Origin, startedAt start: Instant) {
    guard throttled > 0 else { return }
    let slot = slot(of: origin)
    let most = limit(of: slots[slot])
    slots[slot].throttle?.answered(startedAt: start, of: most)
    if slots[slot].throttle?.isOver(of: most) == true {
      slots[slot].throttle = nil
      throttled -= 1
    }
    renew(slot)
  }

  /// The next flight to start, which holds a place from now on, or nil if none may start.
  package mutating func next(at now: Instant) -> UInt64? {
    guard hasPlace, !turns.isEmpty else { return nil }
    if hosts.count >= mostHosts { forgetIdle(at: now) }
    var best: (turn: Turn, seat: Int)?
    for turn in turns where mayStart(turn, now) {
      if let seat = turn.seat {
        if let best, !goesBefore(turn, best.turn) { continue }
        best = (turn, seat)
      } else if let seat = candidate(in: turn.slot, now), let flight = waiting[seat] {
        var turn = turn
        (turn.priority, turn.order, turn.came) = (flight.priority, flight.order, flight.came)
        if let best, !goesBefore(turn, best.turn) { continue }
        best = (turn, seat)
      }
    }
    guard let seat = best?.seat, let chosen = waiting[seat] else { return nil }
    let slot = chosen.slot
    slots[slot].connections.started(
      beside: slots[slot].running + slots[slot].beside, unsent: slots[slot].unsent, at: now)
    if let onward = chosen.onward { slots[onward].approaching += 1 }
    slots[slot].running += 1
    slots[slot].unsent += 1
    running += 1
    starts += 1
    if !slots[slot].health.isProven { unproven += 1 }
    slots[slot].throttle?.started(at: now)
    let asking = slots[slot].isShared ? Double(max(1, limits.sharing.processes)) : 1
    let interval = limits.requestsPerSecond.flatMap { $0 > 0 ? Instant.Span.seconds(asking / $0) : nil }
    if let pause = [interval, slots[slot].spacing].compactMap(\.self).max() {
      slots[slot].nextByRate = max(slots[slot].nextByRate ?? now, now) + pause
    }
    take(seat)
    return chosen.flight
  }

  /// The time at which ``next(at:)`` should be asked again although no event came, or nil if only an
  /// event can change its answer.
  package mutating func nextWake(after now: Instant) -> Instant? {
    guard hasPlace else { return nil }
    var earliest: Instant?
    for turn in turns where turn.running < turn.limit {
      var wake = max(turn.due, turn.waitsUntil ?? turn.due)
      if turn.seat == nil, slots[turn.slot].line.timed == slots[turn.slot].count,
        let soonest = line(of: turn.slot).compactMap(\.notBefore).min()
      {
        wake = max(wake, soonest)
      }
      if wake > now { earliest = min(earliest ?? wake, wake) }
    }
    return earliest
  }

  private mutating func candidate(in slot: Int, _ now: Instant) -> Int? {
    for priority in WaitingLine.order {
      guard let seat = slots[slot].line.first(priority, waiting), let first = waiting[seat] else { continue }
      if slots[slot].line.isPlain, !isEarly(first) { return seat }
      if let seat = best(of: slots[slot].line.all(priority, waiting), at: slots[slot], now) { return seat }
    }
    return nil
  }

  /// The next flight among several of one priority, some of which may not start yet.
  private func best(of seats: [Int], at host: AdmittedOrigin, _ now: Instant) -> Int? {
    var best: (seat: Int, flight: WaitingFlight)?
    // Most flights of a queue have the same next origin, which is asked about only once.
    var early: Int?
    for seat in seats {
      guard let flight = waiting[seat], (flight.notBefore ?? now) <= now else { continue }
      if let early, flight.onward == early { continue }
      if isEarly(flight) {
        early = flight.onward
        continue
      }
      if let best, !isBefore(flight, best.flight, at: host) { continue }
      best = (seat, flight)
    }
    return best?.seat
  }

  /// True if the flight's next origin has enough to do. An origin that is down, or wants a pause, does not hold up the
  /// flight: the remote cache has the only copy that can be had.
  private func isEarly(_ flight: WaitingFlight) -> Bool {
    guard let onward = flight.onward else { return false }
    let host = slots[onward]
    if host.health.isDown || host.throttle != nil { return false }
    return host.count > 0 && host.running >= places(of: host)
  }

  /// True if `left` is the flight that tries whether the origin answers again. The flight that was refused most often
  /// has the fewest attempts left, so another one tries. Once the origin answers, that flight goes first. But some
  /// servers refuse each image the first time: after several refusals in a row, a flight tries that was refused and can
  /// afford another refusal.
  private func isBefore(_ left: WaitingFlight, _ right: WaitingFlight, at host: AdmittedOrigin) -> Bool {
    guard left.priority == right.priority else { return isBefore(left, right) }
    if host.throttle?.isStuck == true, left.mayInsist != right.mayInsist { return left.mayInsist }
    guard left.refusals != right.refusals else { return isBefore(left, right) }
    return (left.refusals < right.refusals) == (host.health.isDown || host.throttle?.isClosed ?? false)
  }

  private func isBefore(_ left: WaitingFlight, _ right: WaitingFlight) -> Bool {
    if left.priority != right.priority { return left.priority > right.priority }
    return limits.isNewestFirst ? left.order > right.order : left.order < right.order
  }

  private mutating func slot(of origin: Origin) -> Int {
    if let last, last.origin == origin { return last.slot }
    if let slot = hosts[origin] {
      last = (origin, slot)
      return slot
    }
    let slot = free.popLast() ?? slots.count
    if slot == slots.count { slots.append(AdmittedOrigin()) }
    slots[slot].connections = OriginConnections(isSecure: origin.isSecure)
    slots[slot].isShared = limits.sharing.hosts.contains { $0.matches(origin) }
    hosts[origin] = slot
    last = (origin, slot)
    return slot
  }

  /// Some 600 bytes each: half a megabyte in all, and more origins than most lists name.
  private static let leastHosts = 1024

  private mutating func forgetIdle(at now: Instant) {
    // Flights that will ask an origin later have its slot.
    let expected = Set(turns.flatMap { line(of: $0.slot).compactMap(\.onward) })
    for (origin, slot) in hosts where slots[slot].isForgettable(at: now) && !expected.contains(slot) {
      if slots[slot].health.isDown { down -= 1 }
      slots[slot] = AdmittedOrigin()
      free.append(slot)
      hosts[origin] = nil
    }
    last = nil
    mostHosts = max(Self.leastHosts, 2 * hosts.count)
  }
}
