/// Decides which names are looked up, and keeps the waiting flights and the results. A pure value.
///
/// Each name is looked up once at a time. Addresses are good for a minute. A name that does not exist stays absent for
/// the whole run, or for a minute, too. A look-up that fails for a passing reason is forgotten: its waiters are told,
/// and ask again later. The number of look-ups in progress is limited. Slow ones have a limit of their own, so that
/// they do not hold up flights that wait for other names.
struct NameBook {
  struct Limits: Sendable {
    /// The most look-ups in progress, not counting slow ones.
    var prompt = 64
    /// The most slow look-ups at once. A name whose servers are dead holds its look-up for ten seconds or more, and a
    /// list from the web has one in a hundred of them. Each costs a thread, which needs 20 KB.
    var slow = 192
    /// The time after which a look-up counts as slow: most answers come within a tenth of it.
    var slowAfter = Instant.Span.seconds(1)
    /// The time for which addresses are good. Most owners of names allow that time, and libcurl keeps addresses as
    /// long.
    var freshness = Instant.Span.seconds(60)
    /// The time for which a name stays absent, or nil for the whole run.
    var absence: Instant.Span?
    /// The number of names whose addresses are remembered. A list of a million hosts mostly asks for each in one place,
    /// and 150 bytes for each name of a minute would be too many.
    var remembered = 20_000
    /// The time that a flight waits for a look-up before that counts as failed.
    var patience = Instant.Span.seconds(10)
    /// The time for which name servers that have answered may be out of reach before look-ups stop.
    var outage = Instant.Span(nanoseconds: 0)
  }

  /// The next step of a flight that needs a name.
  enum Permission: Equatable {
    case go
    case wait
    case failed(Failure)
  }

  enum Failure: Equatable {
    /// There is no such name.
    case absent
    /// The next attempt may succeed.
    case passing(NameFailure)
    /// The resolver does not answer within the time allowed for connecting.
    case overdue(Instant.Span)
    /// No name server could be reached, several times in a row: nothing can be looked up.
    case isolated
  }

  private struct LookUp {
    let number: UInt64
    /// The flights that wait, with their order of asking.
    private var asking: [UInt64: UInt64] = [:]
    private var askers: UInt64 = 0
    var start: Instant?
    var isSlow = false
    /// True if an alarm is set for the end of the first waiting flight's patience.
    var hasAlarm = false

    init(number: UInt64) { self.number = number }

    var isWanted: Bool { !asking.isEmpty }
    var waiting: [UInt64] { asking.sorted { $0.value < $1.value }.map(\.key) }

    mutating func add(_ flight: UInt64) {
      askers += 1
      asking[flight] = askers
    }

    mutating func leave(_ flight: UInt64) { asking[flight] = nil }
    mutating func removeAll() { asking = [:] }
  }

  private enum Alarm {
    case slow(String, number: UInt64)
    case overdue(String, number: UInt64)
  }

  private let limits: Limits
  private var lookUps: [String: LookUp] = [:]
  /// Names that wait to be looked up, in the order of their first flights.
  private var line = Queue<String>()
  private var inProgress = 0
  private var slow = 0
  private var count: UInt64 = 0
  private var alarms = Timers<Alarm>()
  private var found: [String: (addresses: String, end: Instant)] = [:]
  /// The times at which known names expire, in order.
  private var ends = Queue<(name: String, end: Instant)>()
  /// Hashes of absent names, since a list may name a million hosts that no longer exist. A collision of 64 bits is not
  /// expected.
  private var absent: Set<Int> = []
  /// The absent names of a fetcher that forgets them, with the times at which that happens, and the same in that order.
  private var absentUntil: [Int: Instant] = [:]
  private var returns = Queue<(name: Int, end: Instant)>()
  /// The health of the name servers.
  private var resolver = OriginHealth()
  private let retries: Int

  init(_ limits: Limits = Limits(), retries: Int = 2) {
    self.limits = limits
    self.retries = retries
  }

  /// Asks for the name's addresses. A flight that has to wait is returned by ``learn(_:of:at:random:)`` or
  /// ``turn(at:)`` later.
  mutating func ask(_ name: String, for flight: UInt64, at now: Instant) -> Permission {
    if addresses(of: name, at: now) != nil { return .go }
    if isAbsent(name, at: now) { return .failed(.absent) }
    if resolver.isGivenUp(at: now) { return .failed(.isolated) }
    if lookUps[name] == nil {
      count += 1
      lookUps[name] = LookUp(number: count)
      line.append(name)
    }
    lookUps[name]?.add(flight)
    setAlarm(for: name, at: now)
    return .wait
  }

  /// The known addresses of a name, in libcurl's form: `192.0.2.1,[2001:db8::1]`. The result is nil if the name has to
  /// be looked up, and empty if libcurl has to do that itself.
  func addresses(of name: String, at now: Instant) -> String? {
    guard let known = found[name], now < known.end else { return nil }
    return known.addresses
  }

  /// True if look-ups that fail now fail because of an outage that may pass.
  var isExcused: Bool { resolver.isExcused }

  /// Removes a flight that waits no longer.
  mutating func leave(_ name: String, _ flight: UInt64) { lookUps[name]?.leave(flight) }

  /// Notes the end of a look-up. Returns the flights that waited for it, and the reason if it failed.
  mutating func learn(
    _ answer: NameAnswer, of name: String, at now: Instant, random: Double
  ) -> (waiting: [UInt64], failure: Failure?) {
    guard let lookUp = lookUps.removeValue(forKey: name), let start = lookUp.start else { return ([], nil) }
    inProgress -= 1
    if lookUp.isSlow { slow -= 1 }
    if case .failed(.unreachable) = answer {
      let change = resolver.wasSilent(
        to: start, at: now, because: "", retries: retries, patience: limits.outage, random: random)
      guard case .gaveUp = change else { return (lookUp.waiting, .passing(.unreachable)) }
      return (lookUp.waiting + dropLine(), .isolated)
    }
    if case .failed(.resources) = answer { return (lookUp.waiting, .passing(.resources)) }
    resolver.answerBegan(at: now)
    resolver.answerEnded()
    switch answer {
    case .found(let addresses):
      keep(addresses.map { $0.utf8.contains(UInt8(ascii: ":")) ? "[\($0)]" : $0 }.joined(separator: ","), of: name, now)
      return (lookUp.waiting, nil)
    case .absent:
      noteAbsence(of: name, now)
      return (lookUp.waiting, .absent)
    case .failed(let failure): return (lookUp.waiting, .passing(failure))
    }
  }

  private func isAbsent(_ name: String, at now: Instant) -> Bool {
    if absent.isEmpty && absentUntil.isEmpty { return false }
    let hash = name.hashValue
    return absent.contains(hash) || absentUntil[hash].map { now < $0 } ?? false
  }

  private mutating func noteAbsence(of name: String, _ now: Instant) {
    guard let absence = limits.absence else {
      absent.insert(name.hashValue)
      return
    }
    while let first = returns.first, first.end <= now {
      _ = returns.popFirst()
      if let end = absentUntil[first.name], end <= now { absentUntil[first.name] = nil }
    }
    absentUntil[name.hashValue] = now + absence
    returns.append((name.hashValue, now + absence))
  }

  private mutating func keep(_ addresses: String, of name: String, _ now: Instant) {
    while let (name, end) = ends.first, end <= now || found.count >= limits.remembered {
      _ = ends.popFirst()
      // It may have been looked up again.
      if let known = found[name], known.end <= end { found[name] = nil }
    }
    found[name] = (addresses, now + limits.freshness)
    ends.append((name, now + limits.freshness))
  }

  /// Releases all flights that wait for a look-up that has not begun, because nothing can be looked up.
  private mutating func dropLine() -> [UInt64] {
    line.removeAll().flatMap { lookUps.removeValue(forKey: $0)?.waiting ?? [] }
  }
}

// MARK: - In progress

extension NameBook {
  /// True if there is nothing to do, whatever the time.
  var isIdle: Bool { lookUps.isEmpty }

  /// The work that is due now: the flights whose patience is over, and the names to look up.
  mutating func turn(at now: Instant) -> (overdue: [UInt64], begin: [String]) {
    var overdue: [UInt64] = []
    while let alarm = alarms.popDue(at: now) {
      switch alarm {
      case .slow(let name, let number):
        guard lookUps[name]?.number == number else { continue }
        lookUps[name]?.isSlow = true
        slow += 1
      case .overdue(let name, let number):
        guard let lookUp = lookUps[name], lookUp.number == number else { continue }
        overdue += lookUp.waiting
        lookUps[name]?.removeAll()
        lookUps[name]?.hasAlarm = false
      }
    }
    var begin: [String] = []
    while mayBegin(at: now), let name = line.popFirst() {
      guard let lookUp = lookUps[name] else { continue }
      if !lookUp.isWanted {
        lookUps[name] = nil
        continue
      }
      lookUps[name]?.start = now
      inProgress += 1
      alarms.add(.slow(name, number: lookUp.number), at: now + limits.slowAfter)
      setAlarm(for: name, at: now)
      begin.append(name)
    }
    return (overdue, begin)
  }

  /// The time at which ``turn(at:)`` has something to do although no event came.
  func nextWake(after now: Instant) -> Instant? {
    if isIdle { return nil }
    var wake = alarms.nextDeadline
    if !line.isEmpty, inProgress == 0, let notBefore = resolver.notBefore, notBefore > now {
      wake = min(wake ?? notBefore, notBefore)
    }
    return wake
  }

  private func mayBegin(at now: Instant) -> Bool {
    if let notBefore = resolver.notBefore { return inProgress == 0 && notBefore <= now }
    return inProgress - min(slow, limits.slow) < limits.prompt
  }

  /// Sets an alarm for a look-up. The time until it may begin does not count.
  private mutating func setAlarm(for name: String, at now: Instant) {
    guard let lookUp = lookUps[name], lookUp.start != nil, !lookUp.hasAlarm, lookUp.isWanted else { return }
    lookUps[name]?.hasAlarm = true
    alarms.add(.overdue(name, number: lookUp.number), at: now + limits.patience)
  }
}

extension NameBook.Failure {
  /// True if another attempt may have an answer.
  var isTransient: Bool { self != .absent }

  /// True if this machine has no way to a name server.
  var isIsolation: Bool { self == .passing(.unreachable) || self == .isolated }

  /// A clause for the user.
  var reason: String {
    switch self {
    case .absent: "the host name could not be resolved: it does not exist, or has no address"
    case .passing(.noAnswer): "the host name could not be resolved for now: the name servers gave no answer"
    case .passing(.unreachable), .isolated: "the host name could not be resolved: no name server can be reached"
    case .passing(.resources): "the host name could not be resolved: this process is out of files, threads or memory"
    case .overdue(let patience): "the host name could not be resolved within \(patience.inSeconds)"
    }
  }
}
