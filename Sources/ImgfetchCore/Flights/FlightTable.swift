/// Which requests wait for which flight: one flight for each key and its demands, any number of waiters.
///
/// A pure value. A flight is known by its key for as long as waiters may join it; ``land(_:)`` ends that and gives back all of them at once, so
/// that a waiter either joined in time and gets the flight's answer, or begins a new flight.
struct FlightTable<Member> {
  /// What must be the same for two waiters to share a download: the key, who asks, and all that changes what is taken as an answer.
  struct Identity: Equatable {
    let key: CacheKey
    let demands: Int

    /// What tells identities apart well enough to look for them by it. Numbers and not identities are the tables' keys: at the
    /// first use of a table the runtime looks for what makes its keys hashable, in every single run, and these it has.
    fileprivate var digest: UInt64 {
      key.hash.low ^ (key.salt ?? 0) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(demands))
    }
  }

  /// Who waits for a flight, in the order of asking. Nearly always one, who needs no array then.
  struct Waiters: RandomAccessCollection {
    private var first: (id: UInt64, waiter: Member)?
    private var others: [(id: UInt64, waiter: Member)] = []

    fileprivate init() {}
    fileprivate init(_ id: UInt64, _ waiter: Member) { first = (id, waiter) }

    var startIndex: Int { 0 }
    var endIndex: Int { first == nil ? 0 : 1 + others.count }
    subscript(place: Int) -> Member {
      guard let first, place == 0 else { return others[place - 1].waiter }
      return first.waiter
    }

    fileprivate mutating func append(_ id: UInt64, _ waiter: Member) {
      if first == nil { first = (id, waiter) } else { others.append((id, waiter)) }
    }

    fileprivate mutating func remove(_ id: UInt64) -> Member? {
      guard let first else { return nil }
      if first.id == id {
        self.first = others.isEmpty ? nil : others.removeFirst()
        return first.waiter
      }
      return others.firstIndex { $0.id == id }.map { others.remove(at: $0).waiter }
    }

    fileprivate mutating func takeOut(where isMeant: (Member) -> Bool) -> [Member] {
      let all = (first.map { [$0] } ?? []) + others
      let staying = all.filter { !isMeant($0.waiter) }
      guard staying.count < all.count else { return [] }
      first = staying.first
      others = Array(staying.dropFirst())
      return all.map(\.waiter).filter(isMeant)
    }
  }

  private struct Entry {
    let identity: Identity
    var waiters: Waiters
  }

  private var flights: [UInt64: Entry] = [:]
  /// The flight that may be joined, by its identity's digest. Identities are compared before one is joined, so of two that share a
  /// digest the second is merely not joined: each who asks for it has a flight of his own.
  private var joinable: [UInt64: UInt64] = [:]
  private var flightCount: UInt64 = 0

  enum Joining: Equatable {
    /// The waiter is the first, and sees to it that the flight begins.
    case leads(flight: UInt64)
    case joined(flight: UInt64)
  }

  enum Leaving: Equatable {
    /// It was not there (any more): its answer is on its way.
    case tooLate
    case left
    /// It was the last, and the flight is forgotten here.
    case abandoned(flight: UInt64)
  }

  mutating func join(_ identity: Identity, _ id: UInt64, _ waiter: Member) -> Joining {
    let digest = identity.digest
    let number = flightCount + 1
    let holder = Self.look(at: &joinable[digest, default: number])
    if holder != number, flights[holder]?.identity == identity {
      flights[holder]?.waiters.append(id, waiter)
      return .joined(flight: holder)
    }
    flightCount = number
    flights[number] = Entry(identity: identity, waiters: Waiters(id, waiter))
    return .leads(flight: number)
  }

  /// Finds or inserts with one look-up.
  private static func look(at place: inout UInt64) -> UInt64 { place }

  /// How many flights there are.
  var flightsUnderWay: Int { flights.count }

  /// Whether the flight has not landed yet.
  func isThere(_ flight: UInt64) -> Bool { flights[flight] != nil }

  /// Who waits for a flight.
  func waiters(of flight: UInt64) -> Waiters { flights[flight]?.waiters ?? Waiters() }

  /// Takes one waiter out of its flight.
  mutating func leave(_ id: UInt64) -> (Leaving, Member?) {
    // Looked for in all flights: that is rare, and a table of who waits where would be kept for everybody.
    for flight in flights.keys {
      guard var waiters = flights[flight]?.waiters, let waiter = waiters.remove(id) else { continue }
      flights[flight]?.waiters = waiters
      guard waiters.isEmpty else { return (.left, waiter) }
      _ = land(flight)
      return (.abandoned(flight: flight), waiter)
    }
    return (.tooLate, nil)
  }

  /// Takes some of those who wait out of a flight that goes on (or ends) without them.
  mutating func takeOut(of flight: UInt64, where isMeant: (Member) -> Bool) -> [Member] {
    flights[flight]?.waiters.takeOut(where: isMeant) ?? []
  }

  /// Ends the flight. Returns all who wait for it, the leader first: the caller answers them.
  mutating func land(_ flight: UInt64) -> Waiters {
    guard let entry = flights.removeValue(forKey: flight) else { return Waiters() }
    let digest = entry.identity.digest
    // Another's only where two have one digest.
    if let holder = joinable.removeValue(forKey: digest), holder != flight { joinable[digest] = holder }
    return entry.waiters
  }
}
