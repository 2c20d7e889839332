import TestSupport
import Testing

@testable import ImgfetchCore

/// The table of flights, walked at random beside a list that does the same in the plainest way.
@Suite("Flights against a naive model") struct FlightModelTests {
  private typealias Table = FlightTable<UInt64>

  /// All flights in a row, each with its waiters.
  private struct Model {
    struct Flight {
      let number: UInt64
      let identity: Table.Identity
      var askers: [UInt64]
      let isJoinable: Bool
    }

    private(set) var flights: [Flight] = []
    private var count: UInt64 = 0

    var askers: [UInt64] { flights.flatMap(\.askers) }

    mutating func join(_ identity: Table.Identity, _ asker: UInt64) -> Table.Joining {
      if let at = flights.firstIndex(where: { $0.isJoinable && $0.identity == identity }) {
        flights[at].askers.append(asker)
        return .joined(flight: flights[at].number, raisedTo: nil)
      }
      count += 1
      // Among flights that share a URL in this walk, the table can tell only one from the others.
      let isJoinable = !flights.contains { $0.isJoinable && $0.identity.key.url == identity.key.url }
      flights.append(Flight(number: count, identity: identity, askers: [asker], isJoinable: isJoinable))
      return .leads(flight: count)
    }

    mutating func leave(_ asker: UInt64) -> Table.Leaving {
      guard let at = flights.firstIndex(where: { $0.askers.contains(asker) }) else { return .tooLate }
      flights[at].askers.removeAll { $0 == asker }
      let number = flights[at].number
      return flights[at].askers.isEmpty
        ? .abandoned(flight: flights.remove(at: at).number) : .left(flight: number, sinksTo: nil)
    }

    mutating func takeOut(of flight: UInt64, _ isMeant: (UInt64) -> Bool) -> [UInt64] {
      guard let at = flights.firstIndex(where: { $0.number == flight }) else { return [] }
      defer { flights[at].askers.removeAll(where: isMeant) }
      return flights[at].askers.filter(isMeant)
    }

    mutating func land(_ flight: UInt64) -> [UInt64] {
      guard let at = flights.firstIndex(where: { $0.number == flight }) else { return [] }
      return flights.remove(at: at).askers
    }
  }

  @Test("No waiter is lost, answered twice, or answered by the flight of another key", arguments: 1...20)
  func walk(walk: Int) {
    let seed = Seed()
    var random = seed.random(for: walk)
    var table = Table()
    var model = Model()
    var asker: UInt64 = 0
    /// The numbers that the table has given.
    var ids: [UInt64: UInt64] = [:]
    for turn in 0..<3000 {
      // One that has ended or never was, now and then.
      let flight = model.flights.randomElement(using: &random)?.number ?? .random(in: 0...99, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0...3:
        asker += 1
        // No salt and a salt of 0 have one digest, so the one is in the other's way.
        let key = CacheKey(
          url: "k\(Int.random(in: 0..<6, using: &random))", salt: Bool.random(using: &random) ? 0 : nil)
        let identity = Table.Identity(key: key, demands: 0)
        // One in four was there before, perhaps.
        let again = asker % 4 == 0 ? asker / 2 : asker
        if model.askers.contains(again) { continue }
        let (id, joining) = table.join(identity, again, knownAs: ids[again])
        #expect(joining == model.join(identity, again), "turn \(turn), \(seed)")
        #expect(id == ids[again] ?? id, "turn \(turn), \(seed)")
        ids[again] = id
      case 4, 5:
        let leaving = model.askers.randomElement(using: &random) ?? asker
        let wasThere = model.askers.contains(leaving)
        let (outcome, who) = table.leave(ids[leaving] ?? 0)
        #expect(outcome == model.leave(leaving), "turn \(turn), \(seed)")
        #expect(who == (wasThere ? leaving : nil), "turn \(turn), \(seed)")
      case 6:
        let divisor = UInt64.random(in: 1...3, using: &random)
        let taken = table.takeOut(of: flight) { $0 % divisor == 0 }
        #expect(taken == model.takeOut(of: flight) { $0 % divisor == 0 }, "turn \(turn), \(seed)")
      default:
        #expect(Array(table.land(flight)) == model.land(flight), "turn \(turn), \(seed)")
      }
    }
    for flight in model.flights { #expect(Array(table.land(flight.number)) == flight.askers, "\(seed)") }
  }
}
