/// Keeps each origin's robots.txt, which is asked for once in a run, or when it is too old. A pure value.
///
/// The book keeps 16 MB at most. Beyond that, the least recently used rules are forgotten, and asked for
/// again when they are needed.
struct RobotsBook {
  /// The knowledge about an origin.
  enum Verdict: Sendable {
    case rules(RobotsRules)
    /// The origin has no robots.txt (4xx): everything is allowed.
    case absent
    /// The file was not available, for this reason (5xx): nothing is allowed.
    case unavailable(String)
    /// The file was not requested after all, or the origin did not answer.
    case failed(FetchError)
  }

  /// The next step of a flight that is about to ask an origin.
  enum Step {
    case go
    case refused(String)
    /// The file could not be fetched: the answer is no for this attempt, and may change with another one.
    case unreachable(String)
    /// The flight waits. The first one that does has the file asked for.
    case wait(isFirst: Bool)
  }

  private enum Entry {
    case asked(waiting: [UInt64])
    case known(Verdict, until: Instant?, lastUse: UInt64)
  }

  private var entries: [Origin: Entry] = [:]
  /// The bytes of all rules.
  private var size = 0
  private var uses: UInt64 = 0

  private static let mostBytes = 16 << 20
  /// The bytes that are left after rules were forgotten, so that this is not done for each origin.
  private static let keptBytes = 12 << 20
  /// The approximate size of an origin besides its rules.
  private static let bytesOfOrigin = 200

  /// Asks whether a flight may request a path.
  ///
  /// - Parameter path: the path with its query.
  mutating func ask(_ origin: Origin, _ path: String, for flight: UInt64, at now: Instant) -> Step {
    var entry = entries[origin]
    if case .known(let verdict, let end?, _) = entry, end <= now {
      entry = nil
      size -= Self.size(of: verdict)
    }
    switch entry {
    case nil:
      entries[origin] = .asked(waiting: [flight])
      return .wait(isFirst: true)
    case .asked(var waiting):
      waiting.append(flight)
      entries[origin] = .asked(waiting: waiting)
      return .wait(isFirst: false)
    case .known(let verdict, let end, _):
      uses += 1
      entries[origin] = .known(verdict, until: end, lastUse: uses)
      return Self.step(verdict, origin, path)
    }
  }

  private static func step(_ verdict: Verdict, _ origin: Origin, _ path: String) -> Step {
    switch verdict {
    case .rules(let rules):
      guard let objection = rules.obstacle ?? rules.objection(to: path) else { return .go }
      return .refused("robots.txt of \(origin.hostAndPort) \(objection)")
    case .unavailable(let reason):
      return .unreachable("robots.txt of \(origin.hostAndPort) could not be had: \(reason)")
    case .absent, .failed: return .go
    }
  }

  /// Notes the verdict on an origin, and returns the flights that waited for it. After a failure
  /// the next flight asks again.
  ///
  /// - Parameter end: the time at which the verdict is too old, or nil for never.
  mutating func learn(_ verdict: Verdict, of origin: Origin, until end: Instant? = nil, at now: Instant) -> [UInt64] {
    guard case .asked(let waiting) = entries[origin] else { return [] }
    if case .failed = verdict {
      entries[origin] = nil
    } else {
      uses += 1
      entries[origin] = .known(verdict, until: end, lastUse: uses)
      size += Self.size(of: verdict)
      if size > Self.mostBytes { forget(at: now) }
    }
    return waiting
  }

  /// Forgets the rules that are too old first, and then those used least recently.
  private mutating func forget(at now: Instant) {
    let known = entries.compactMap { origin, entry -> (origin: Origin, bytes: Int, lastUse: UInt64)? in
      guard case .known(let verdict, let end, let lastUse) = entry else { return nil }
      return (origin, Self.size(of: verdict), end.map { $0 <= now } == true ? 0 : lastUse)
    }
    for entry in known.sorted(by: { $0.lastUse < $1.lastUse }) where size > Self.keptBytes {
      entries[entry.origin] = nil
      size -= entry.bytes
    }
  }

  private static func size(of verdict: Verdict) -> Int {
    if case .rules(let rules) = verdict { bytesOfOrigin + rules.size } else { bytesOfOrigin }
  }
}
