import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("The turnstile: setting out in the order of asking") struct StartOrderTests {
  @Test("What is ready early waits for what was asked for before it")
  func order() {
    var turnstile = StartOrder<String>()
    #expect(turnstile.hold("second", for: 2) == nil)
    #expect(turnstile.pass(2) == [])
    #expect(turnstile.hold("first", for: 1) == "first")
    #expect(turnstile.pass(1) == ["second"])
    #expect(turnstile.hold("again", for: 1) == "again")
  }

  @Test("One that was answered from a cache lets the next ones by")
  func answered() {
    var turnstile = StartOrder<String>()
    #expect(turnstile.hold("third", for: 3) == nil)
    #expect(turnstile.pass(3) == [])
    #expect(turnstile.pass(1) == [])
    #expect(turnstile.pass(2) == ["third"])
    #expect(turnstile.hold("fourth", for: 4) == "fourth")
  }

  @Test("Whatever the order of looking up, the order of setting out is that of asking", arguments: 1...10)
  func randomWalk(walk: Int) {
    let seed = Seed()
    var random = seed.random(for: walk)
    var turnstile = StartOrder<UInt64>()
    var out: [UInt64] = []
    let leaving = Set((1...200).filter { _ in Bool.random(using: &random) }.map { UInt64($0) })
    for flight in (1...200).map({ UInt64($0) }).shuffled(using: &random) {
      if leaving.contains(flight), let now = turnstile.hold(flight, for: flight) { out.append(now) }
      out += turnstile.pass(flight)
    }
    #expect(out == leaving.sorted(), "\(seed)")
  }
}
