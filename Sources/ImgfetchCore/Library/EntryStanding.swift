/// An entry, and what a request for it would do at present.
package struct EntryStanding: Sendable {
  /// The action that a request would take.
  package enum Deed: String, Sendable {
    /// The entry is served.
    case serve
    /// The origin is asked whether it is right.
    case ask
    /// The image is fetched as if there were no entry.
    case fetch
  }

  package let entry: CachedEntry
  /// The entry's file.
  package let path: String
  /// The time until which the entry is served without asking. Nil means that it is not, or for ever.
  package let freshUntil: WallTime?
  package let deed: Deed
  /// The rule that decides this, as a clause.
  package let rule: String

  package var metadata: EntryMetadata { entry.metadata }
  /// The time at which the bytes came.
  package var stored: WallTime { metadata.received ?? metadata.responseTime }
  /// The time at which the entry was last used for an answer. A download's file is older than its last byte.
  package var lastUsed: WallTime { max(stored, entry.lastUsed) }
  /// The time at which the origin last confirmed the entry, or nil if it has not since the bytes came.
  package var confirmed: WallTime? {
    metadata.gone == nil && entry.stored.since(stored).seconds > 1 ? entry.stored : nil
  }
  /// The validators with which the origin can be asked whether the entry is still right.
  package var validators: (etag: String?, lastModified: String?) {
    (metadata.fields.first("etag"), metadata.fields.first("last-modified"))
  }
}

extension DiskCache {
  /// The standing of a key's entry, or nil if there is none.
  ///
  /// - Parameter options: the options of the request that would be made.
  package func standing(of key: CacheKey, _ options: FetchOptions, now: WallTime) -> EntryStanding? {
    guard let entry = lookup(key, withBody: false), let path = path(of: key) else { return nil }
    let judged = Self.judge(entry, options, now)
    return EntryStanding(entry: entry, path: path, freshUntil: judged.until, deed: judged.deed, rule: judged.rule)
  }

  private typealias Judgement = (until: WallTime?, deed: EntryStanding.Deed, rule: String)

  private static func judge(_ entry: CachedEntry, _ options: FetchOptions, _ now: WallTime) -> Judgement {
    let policy = options.policy
    switch policy {
    case .only: return (nil, .serve, "--cache only serves it whatever its age")
    case .memory, .off, .reload: return (nil, .fetch, "--cache \(policy.rawValue) does not look for it")
    case .age, .refresh, .http: break
    }
    let status = entry.metadata.status
    if policy != .http, !options.acceptedStatuses.contains(status) {
      return (nil, .fetch, "the answer was \(status), which only --cache http keeps in place of an image")
    }
    if let gone = entry.metadata.gone { return (nil, .ask, "\(gone.reason) when it was asked last, so each run asks") }
    if policy == .refresh { return (nil, .ask, "--cache refresh asks in each run") }
    if entry.isExpired { return (nil, .ask, "the last answer of its origin could not be stored") }
    return policy == .http ? judgeByHTTP(entry, now) : judgeByAge(entry, options, now)
  }

  private static func judgeByAge(_ entry: CachedEntry, _ options: FetchOptions, _ now: WallTime) -> Judgement {
    let stated = options.believesServers ? entry.metadata.statedAge : .nothing
    let bound = stated.seconds.map(Double.init) ?? .infinity
    let limit = min(options.ageLimit, bound)
    let rule =
      bound < options.ageLimit
      ? "its server says \(stated)" : "--max-age is \(AgeRules.words(options.ageLimit))"
    guard let age = entry.age(now: now) else { return (nil, .ask, "its time lies ahead") }
    guard age <= limit else { return (nil, .ask, "it is \(AgeRules.words(age)) old, and \(rule)") }
    let until = Instant(nanoseconds: entry.stored.nanoseconds) + .seconds(limit)
    return (WallTime(nanoseconds: until.nanoseconds), .serve, rule)
  }

  private static func judgeByHTTP(_ entry: CachedEntry, _ now: WallTime) -> Judgement {
    let answer = StoredAnswer(entry.metadata)
    if let obstacle = answer.obstacle { return (nil, .fetch, "\(obstacle)") }
    let rule = answer.reuse(for: RequestDirectives(), now: now)
    guard rule.action == .serve else { return (nil, rule.action == .validate ? .ask : .serve, "\(rule)") }
    let until = Instant(nanoseconds: now.nanoseconds) + Instant.Span(nanoseconds: -rule.freshness.staleness)
    return (WallTime(nanoseconds: until.nanoseconds), .serve, "\(rule)")
  }
}

extension Provenance {
  /// The kind of the address that the bytes came from, in a word.
  package var addressKind: String {
    switch address {
    case .unknown: "unknown"
    case .allPublic: "public"
    case .notPublic: "private"
    case .ownFile: "own-file"
    }
  }
}
