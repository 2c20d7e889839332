import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Flights: one per key, any number of askers")
struct FlightTableTests {
  private func identity(_ key: String, salt: UInt64? = nil, demands: Int = 0) -> FlightTable<String>.Identity {
    .init(key: CacheKey(url: key, salt: salt), demands: demands)
  }

  @Test("The first asker leads, others join, and all are answered at once, the leader first")
  func joining() {
    var table = FlightTable<String>()
    #expect(table.join(identity("k"), "one").1 == .leads(flight: 1))
    #expect(table.join(identity("k"), "two").1 == .joined(flight: 1, raisedTo: nil))
    #expect(Array(table.land(1)) == ["one", "two"])
    #expect(Array(table.land(1)) == [])
    #expect(table.join(identity("k"), "three").1 == .leads(flight: 2))
  }

  @Test("Another key, another salt and other demands are other flights")
  func identities() {
    var table = FlightTable<String>()
    let all = [identity("k"), identity("l"), identity("k", salt: 1), identity("k", demands: 1)]
    for (number, identity) in all.enumerated() {
      #expect(table.join(identity, "x").1 == .leads(flight: UInt64(number + 1)))
    }
  }

  @Test("The last to leave abandons the flight, and a later asker begins a new one")
  func leaving() {
    var table = FlightTable<String>()
    let one = table.join(identity("k"), "one").id
    let two = table.join(identity("k"), "two").id
    #expect(table.leave(one) == (.left(flight: 1, sinksTo: nil), "one"))
    #expect(table.leave(one) == (.tooLate, nil))
    #expect(table.leave(two) == (.abandoned(flight: 1), "two"))
    let three = table.join(identity("k"), "three")
    #expect(three.1 == .leads(flight: 2) && three.id != one && three.id != two)
    #expect(table.leave(one) == (.tooLate, nil))
    #expect(Array(table.land(1)) == [])
  }

  @Test("The number of one who waits once more leads to its new place, and only there")
  func waitingAgain() {
    var table = FlightTable<String>()
    let one = table.join(identity("k"), "one").id
    #expect(Array(table.land(1)) == ["one"])
    let other = table.join(identity("l"), "other").id
    #expect(table.join(identity("k"), "one", knownAs: one) == (one, .leads(flight: 3)))
    #expect(table.leave(one) == (.abandoned(flight: 3), "one"))
    #expect(table.leave(one) == (.tooLate, nil))
    #expect(table.leave(other) == (.abandoned(flight: 2), "other"))
  }

  @Test("A flight has the highest priority of those who wait for it, for as long as they do")
  func priorities() {
    var table = FlightTable<String>()
    _ = table.join(identity("k"), "low", priority: .low)
    let usual = table.join(identity("k"), "usual", priority: .normal)
    #expect(usual.1 == .joined(flight: 1, raisedTo: .normal))
    let high = table.join(identity("k"), "high", priority: .high)
    #expect(high.1 == .joined(flight: 1, raisedTo: .high))
    #expect(table.join(identity("k"), "more", priority: .normal).1 == .joined(flight: 1, raisedTo: nil))
    #expect(table.priority(of: 1) == .high)
    #expect(table.leave(high.id) == (.left(flight: 1, sinksTo: .normal), "high"))
    #expect(table.leave(usual.id) == (.left(flight: 1, sinksTo: nil), "usual"))
    #expect(table.priority(of: 1) == .normal)
    let change = table.setPriority(.high, of: table.join(identity("k"), "changed").id)
    #expect(change?.flight == 1 && change?.priority == .high)
    #expect(table.priority(of: 2) == nil)
  }

  @Test("Who is taken out is answered no more by the flight, which goes on")
  func takingOut() {
    var table = FlightTable<String>()
    let ids = ["one", "other", "two"].map { table.join(identity("k"), $0).id }
    #expect(table.takeOut(of: 1) { $0 == "other" } == ["other"])
    #expect(table.leave(ids[1]) == (.tooLate, nil))
    #expect(table.join(identity("k"), "three").1 == .joined(flight: 1, raisedTo: nil))
    #expect(Array(table.land(1)) == ["one", "two", "three"])
    #expect(table.takeOut(of: 1) { _ in true } == [])
  }
}

private func == (left: (FlightTable<String>.Leaving, String?), right: (FlightTable<String>.Leaving, String?)) -> Bool {
  left.0 == right.0 && left.1 == right.1
}

private func == (left: (id: UInt64, FlightTable<String>.Joining), right: (UInt64, FlightTable<String>.Joining)) -> Bool
{
  left.id == right.0 && left.1 == right.1
}
