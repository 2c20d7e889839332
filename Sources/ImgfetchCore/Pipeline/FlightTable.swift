/// Who waits for what: one flight per key, any number of askers.
///
/// A pure value. A flight is known by its key for as long as askers may join it; ``land(_:)`` ends that and gives back all of them at once, so
/// that an asker either joined in time and gets the flight's answer, or begins a new flight.
struct FlightTable<Asker> {
  /// What must be the same for two askers to share a download: the key, who asks, and all that changes what is taken as an answer.
  struct Identity: Equatable {
    let key: CacheKey
    let demands: Int

    /// What tells identities apart well enough to look for them by it. Numbers and not identities are the tables' keys: at the
    /// first use of a table the runtime looks for what makes its keys hashable, in every single run, and these it has.
    fileprivate var digest: UInt64 {
      key.hash.low ^ (key.salt ?? 0) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(demands))
    }
  }

  private struct Entry {
    let identity: Identity
    var askers: [(id: UInt64, asker: Asker)]
  }

  private var flights: [UInt64: Entry] = [:]
  /// The flight that may be joined, by its identity's digest. Of two that have one digest the second is joined by nobody.
  private var joinable: [UInt64: UInt64] = [:]
  private var flightCount: UInt64 = 0

  enum Joining: Equatable {
    /// The asker is the first, and sees to it that the flight begins.
    case leads(flight: UInt64)
    case joined(flight: UInt64)
  }

  enum Leaving: Equatable {
    /// It was not there (any more): its answer is on its way.
    case tooLate
    case left
    /// It was the last: nobody waits for the flight any more, and it is forgotten here.
    case abandoned(flight: UInt64)
  }

  mutating func join(_ identity: Identity, _ id: UInt64, _ asker: Asker) -> Joining {
    let digest = identity.digest
    let other = joinable[digest]
    if let other, flights[other]?.identity == identity {
      flights[other]?.askers.append((id, asker))
      return .joined(flight: other)
    }
    flightCount += 1
    flights[flightCount] = Entry(identity: identity, askers: [(id, asker)])
    if other == nil { joinable[digest] = flightCount }
    return .leads(flight: flightCount)
  }

  /// Takes one asker out of its flight.
  mutating func leave(_ id: UInt64) -> (Leaving, Asker?) {
    // Looked for in all flights: that is rare, and a table of who waits where would be kept for everybody.
    for (flight, entry) in flights {
      guard let at = entry.askers.firstIndex(where: { $0.id == id }) else { continue }
      let asker = flights[flight]?.askers.remove(at: at).asker
      guard flights[flight]?.askers.isEmpty == true else { return (.left, asker) }
      _ = land(flight)
      return (.abandoned(flight: flight), asker)
    }
    return (.tooLate, nil)
  }

  /// Takes some of those who wait out of a flight that goes on (or ends) without them.
  mutating func takeOut(of flight: UInt64, where isMeant: (Asker) -> Bool) -> [Asker] {
    guard let askers = flights[flight]?.askers else { return [] }
    let taken = askers.filter { isMeant($0.asker) }
    if !taken.isEmpty { flights[flight]?.askers.removeAll { isMeant($0.asker) } }
    return taken.map(\.asker)
  }

  /// Ends the flight and answers all who wait for it, the leader first.
  mutating func land(_ flight: UInt64) -> [Asker] {
    guard let entry = flights.removeValue(forKey: flight) else { return [] }
    let digest = entry.identity.digest
    if joinable[digest] == flight { joinable[digest] = nil }
    return entry.askers.map(\.asker)
  }
}
