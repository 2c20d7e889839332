// The turns: whether each origin's next flight may start, and the order of those that may.
extension Admission {
  func limit(of host: AdmittedOrigin) -> Int {
    if host.isShared { return 1 }
    let usual = host.connections.isMultiplexed ? Limits.multiplexedPerHost : Limits.politePerHost
    return limits.perHost ?? usual
  }

  /// The number of flights that may be out to the host, as far as the host itself decides.
  private func ownPlaces(of host: AdmittedOrigin) -> Int {
    if host.health.isDown { return 1 }
    let limit = limit(of: host)
    return host.throttle.map { min($0.places, limit) } ?? limit
  }

  /// The number of flights that may be out to the host now.
  func places(of host: AdmittedOrigin) -> Int {
    let places = ownPlaces(of: host)
    return isScarce && !host.health.isProven ? min(OriginHealth.decisive, places) : places
  }

  /// The number of flights that may be out to the host, as far as its connections decide.
  private func sharedPlaces(of host: AdmittedOrigin) -> Int {
    guard limits.boundsSharedConnections, limits.perHost == nil,
      let room = host.connections.room(
        ofConnections: Limits.politePerHost, running: host.running + host.beside, unsent: host.unsent)
    else { return .max }
    return host.running + room
  }

  /// True if few places are left for origins that have not answered. If an origin is dead, some of its flights are
  /// enough to show it.
  private var isScarce: Bool { turns.count > 1 && 2 * unproven >= limits.unproven }

  func mayStart(_ turn: Turn, _ now: Instant) -> Bool {
    if turn.running >= turn.limit || turn.due > now { return false }
    if !turn.isProven {
      if unproven >= limits.unproven || (isScarce && turn.running >= OriginHealth.decisive) { return false }
    }
    guard limits.sparesConnections, turn.standing == .further else { return true }
    // After that the handshake has taken long, and further flights show whether the origin is dead.
    if let until = turn.waitsUntil { return until <= now }
    return turn.gain > slots[turn.slot].connections.cost(origins: turns.count)
  }

  /// Renews the turn of an origin whose state or line has changed.
  mutating func renew(_ slot: Int) {
    guard slots[slot].count > 0 else {
      guard let index = slots[slot].turnIndex else { return }
      slots[slot].turnIndex = nil
      let last = turns.removeLast()
      if index < turns.count {
        turns[index] = last
        slots[last.slot].turnIndex = index
      }
      return
    }
    let turn = turn(of: slot)
    if let index = slots[slot].turnIndex {
      turns[index] = turn
    } else {
      slots[slot].turnIndex = turns.count
      turns.append(turn)
    }
  }

  mutating func renewAll() { for turn in turns { renew(turn.slot) } }

  private mutating func turn(of slot: Int) -> Turn {
    // If some flights come from a remote cache, or have a time of their own, the next one depends on other origins and
    // on the time.
    let isPlain = slots[slot].line.isPlain && !slots[slot].isRemoteCache
    let seat = isPlain ? first(of: slot) : nil
    let first = seat.flatMap { waiting[$0] }
    let out = slots[slot].running + slots[slot].beside
    let connections = slots[slot].connections
    var standing = limits.sparesConnections ? connections.standing(running: out) : .open
    // An origin that may be dead is tried without delay. Its attempts and their pauses take longer than a list, and a
    // refusal takes no time.
    if standing == .first, slots[slot].health.isInDoubt { standing = .open }
    return Turn(
      slot: slot, seat: seat, priority: first?.priority ?? .normal, order: first?.order ?? 0, came: first?.came ?? 0,
      isLate: slots[slot].beside > 0, isProven: slots[slot].health.isProven, running: slots[slot].running,
      limit: min(ownPlaces(of: slots[slot]), sharedPlaces(of: slots[slot])), due: slots[slot].due, standing: standing,
      waitsUntil: standing == .further ? connections.waitsUntil : nil,
      gain: connections.gain(waiting: slots[slot].count, running: out))
  }

  private mutating func first(of slot: Int) -> Int? {
    for priority in WaitingLine.order {
      if let seat = slots[slot].line.first(priority, waiting) { return seat }
    }
    return nil
  }

  /// Flights that can use an open connection go first, then those that open the first one to their origin. But no
  /// flight is overtaken by more than ``mostOvertaken``.
  ///
  /// An origin with flights that go on beside the others has had its places, and comes last within a priority.
  /// Otherwise the first host of a list, if it is very slow, would take each place that one of its flights gives back.
  func goesBefore(_ left: Turn, _ right: Turn) -> Bool {
    if left.priority != right.priority { return left.priority > right.priority }
    if left.isLate != right.isLate { return right.isLate }
    if limits.sparesConnections, left.standing != right.standing {
      let (isLeftOverdue, isRightOverdue) = (isOverdue(left), isOverdue(right))
      if isLeftOverdue != isRightOverdue { return isLeftOverdue }
      if !isLeftOverdue { return left.standing < right.standing }
    }
    return limits.isNewestFirst ? left.order > right.order : left.order < right.order
  }

  /// A flight is not overdue if it would need a further connection: its origin's open connections get to it in time.
  private func isOverdue(_ turn: Turn) -> Bool { turn.standing != .further && starts - turn.came > Self.mostOvertaken }

  /// Five times the default number of downloads at once.
  private static let mostOvertaken = 512
}
