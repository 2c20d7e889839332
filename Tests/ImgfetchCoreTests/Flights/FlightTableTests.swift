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
    #expect(table.join(identity("k"), 1, "one") == .leads(flight: 1))
    #expect(table.join(identity("k"), 2, "two") == .joined(flight: 1))
    #expect(Array(table.land(1)) == ["one", "two"])
    #expect(Array(table.land(1)) == [])
    #expect(table.join(identity("k"), 3, "three") == .leads(flight: 2))
  }

  @Test("Another key, another salt and other demands are other flights")
  func identities() {
    var table = FlightTable<String>()
    let all = [identity("k"), identity("l"), identity("k", salt: 1), identity("k", demands: 1)]
    for (number, identity) in all.enumerated() {
      #expect(table.join(identity, UInt64(number), "x") == .leads(flight: UInt64(number + 1)))
    }
  }

  @Test("The last to leave abandons the flight, and a later asker begins a new one")
  func leaving() {
    var table = FlightTable<String>()
    _ = table.join(identity("k"), 1, "one")
    _ = table.join(identity("k"), 2, "two")
    #expect(table.leave(1) == (.left, "one"))
    #expect(table.leave(1) == (.tooLate, nil))
    #expect(table.leave(2) == (.abandoned(flight: 1), "two"))
    #expect(table.join(identity("k"), 3, "three") == .leads(flight: 2))
    #expect(Array(table.land(1)) == [])
  }

  @Test("Who is taken out is answered no more by the flight, which goes on")
  func takingOut() {
    var table = FlightTable<String>()
    for (id, name) in ["one", "other", "two"].enumerated() { _ = table.join(identity("k"), UInt64(id), name) }
    #expect(table.takeOut(of: 1) { $0 == "other" } == ["other"])
    #expect(table.leave(1) == (.tooLate, nil))
    #expect(table.join(identity("k"), 3, "three") == .joined(flight: 1))
    #expect(Array(table.land(1)) == ["one", "two", "three"])
    #expect(table.takeOut(of: 1) { _ in true } == [])
  }
}

private func == (left: (FlightTable<String>.Leaving, String?), right: (FlightTable<String>.Leaving, String?)) -> Bool {
  left.0 == right.0 && left.1 == right.1
}
