/// What each origin's robots.txt says, asked for once in a run, or when it is too old. A pure value.
struct RobotsBook {
  /// What is known of an origin.
  enum Verdict: Sendable {
    case rules(RobotsRules)
    /// It has none (4xx): everything is allowed.
    case absent
    /// It could not be had for this reason (5xx): nothing is allowed.
    case unavailable(String)
    /// It was not asked for after all, or the origin did not answer.
    case failed(FetchError)
  }

  /// What a flight does that is about to ask an origin.
  enum Step {
    case go
    case refused(String)
    /// The file could not be had: a no for this attempt, which another one may find otherwise.
    case unreachable(String)
    /// It waits; and whether it is the first that does, for whom the file has to be asked for.
    case wait(isFirst: Bool)
  }

  private enum Entry {
    case asked(waiting: [UInt64])
    case known(Verdict, until: Instant?)
  }

  private var entries: [Origin: Entry] = [:]
  /// At so many origins those are forgotten whose file is too old.
  private var most = least
  private static let least = 1024

  /// - Parameter path: with its query.
  mutating func ask(_ origin: Origin, _ path: String, for flight: UInt64, at now: Instant) -> Step {
    var entry = entries[origin]
    if case .known(_, let end?) = entry, end <= now { entry = nil }
    switch entry {
    case nil:
      entries[origin] = .asked(waiting: [flight])
      return .wait(isFirst: true)
    case .asked(var waiting):
      waiting.append(flight)
      entries[origin] = .asked(waiting: waiting)
      return .wait(isFirst: false)
    case .known(.rules(let rules), _):
      return rules.objection(to: path).map { .refused("robots.txt of \(origin.hostAndPort) \($0)") } ?? .go
    case .known(.unavailable(let reason), _):
      return .unreachable("robots.txt of \(origin.hostAndPort) could not be had: \(reason)")
    case .known(.absent, _), .known(.failed, _): return .go
    }
  }

  /// It is known now. The answer is who has waited for it. After a failure the next flight asks again.
  ///
  /// - Parameter end: when it is too old; nil: never.
  mutating func learn(_ verdict: Verdict, of origin: Origin, until end: Instant? = nil, at now: Instant) -> [UInt64] {
    guard case .asked(let waiting) = entries[origin] else { return [] }
    if case .failed = verdict { entries[origin] = nil } else { entries[origin] = .known(verdict, until: end) }
    if end != nil, entries.count >= most {
      entries = entries.filter { if case .known(_, let end?) = $0.value { end > now } else { true } }
      most = max(Self.least, 2 * entries.count)
    }
    return waiting
  }
}
