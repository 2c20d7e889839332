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
    #expect(table.land(1) == ["one", "two"])
    #expect(table.land(1) == [])
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
    #expect(table.land(1) == [])
  }

  @Test("Against a naive model: nobody is lost, answered twice, or answered by another key's flight", arguments: 1...20)
  func randomWalk(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    var table = FlightTable<UInt64>()
    var model: [String: [UInt64]] = [:]
    var flights: [String: UInt64] = [:]
    var next: UInt64 = 0
    for _ in 0..<3000 {
      let key = "k\(Int.random(in: 0..<6, using: &random))"
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        next += 1
        switch table.join(.init(key: CacheKey(url: key), demands: 0), next, next) {
        case .leads(let flight):
          #expect(model[key] == nil, "seed \(seed)")
          flights[key] = flight
          model[key] = [next]
        case .joined(let flight):
          #expect(flights[key] == flight, "seed \(seed)")
          model[key]?.append(next)
        }
      case 2:
        guard let asker = model[key]?.randomElement(using: &random) else { continue }
        model[key]?.removeAll { $0 == asker }
        let isLast = model[key]?.isEmpty == true
        let (leaving, who) = table.leave(asker)
        #expect(who == asker, "seed \(seed)")
        #expect(leaving == (isLast ? .abandoned(flight: flights[key] ?? 0) : .left), "seed \(seed)")
        if isLast { model[key] = nil }
      default:
        guard let askers = model.removeValue(forKey: key), let flight = flights[key] else { continue }
        #expect(table.land(flight) == askers, "seed \(seed)")
      }
    }
  }
}

private func == (left: (FlightTable<String>.Leaving, String?), right: (FlightTable<String>.Leaving, String?)) -> Bool {
  left.0 == right.0 && left.1 == right.1
}
