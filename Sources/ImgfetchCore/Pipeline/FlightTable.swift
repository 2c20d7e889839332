/// Who waits for what: one flight per key, any number of askers.
///
/// A pure value. A flight is known by its key for as long as askers may join it; ``land(_:)`` ends that and gives back all of them at once, so
/// that an asker either joined in time and gets the flight's answer, or begins a new flight.
struct FlightTable<Asker> {
  /// What must be the same for two askers to share a download: the key, who asks, and all that changes what is taken as an answer.
  struct Identity: Hashable {
    let key: String
    let salt: UInt64?
    let demands: Int
  }

  private struct Entry {
    let flight: UInt64
    var askers: [(id: UInt64, asker: Asker)]
  }

  private var flights: [Identity: Entry] = [:]
  private var identities: [UInt64: Identity] = [:]
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
    if let flight = flights[identity]?.flight {
      flights[identity]?.askers.append((id, asker))
      return .joined(flight: flight)
    }
    flightCount += 1
    flights[identity] = Entry(flight: flightCount, askers: [(id, asker)])
    identities[flightCount] = identity
    return .leads(flight: flightCount)
  }

  /// Takes one asker out of its flight.
  mutating func leave(_ id: UInt64) -> (Leaving, Asker?) {
    // Looked for in all flights: that is rare, and a table of who waits where would be kept for everybody.
    for (identity, entry) in flights {
      guard let at = entry.askers.firstIndex(where: { $0.id == id }) else { continue }
      let asker = flights[identity]?.askers.remove(at: at).asker
      guard flights[identity]?.askers.isEmpty == true else { return (.left, asker) }
      flights[identity] = nil
      identities[entry.flight] = nil
      return (.abandoned(flight: entry.flight), asker)
    }
    return (.tooLate, nil)
  }

  /// Takes some of those who wait out of a flight that goes on (or ends) without them.
  mutating func takeOut(of flight: UInt64, where isMeant: (Asker) -> Bool) -> [Asker] {
    guard let identity = identities[flight], let askers = flights[identity]?.askers else { return [] }
    let taken = askers.filter { isMeant($0.asker) }
    if !taken.isEmpty { flights[identity]?.askers.removeAll { isMeant($0.asker) } }
    return taken.map(\.asker)
  }

  /// Ends the flight and answers all who wait for it, the leader first.
  mutating func land(_ flight: UInt64) -> [Asker] {
    guard let identity = identities.removeValue(forKey: flight), let entry = flights.removeValue(forKey: identity)
    else {
      return []
    }
    return entry.askers.map(\.asker)
  }

  /// Those who wait for a flight now.
  func askers(of flight: UInt64) -> [Asker] {
    guard let identity = identities[flight] else { return [] }
    return flights[identity]?.askers.map(\.asker) ?? []
  }

  /// All flights.
  var all: [UInt64] { Array(identities.keys) }
}
