import Testing

@testable import ImgfetchCore

@Suite("Stragglers: no flight holds a place for ever") struct StragglersTests {
  private let start = Instant(nanoseconds: 0)
  private let slow = Origin(isSecure: false, host: "slow.example", port: 80)
  private let other = Origin(isSecure: false, host: "other.example", port: 80)
  private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

  /// The pace of a flight whose body had these numbers of bytes at each second from 0 on.
  private func pace(_ received: [Int64?], holdUps: (Int) -> Int = { _ in 0 }, isHeld: (Int) -> Bool = { _ in false })
    -> Pace
  {
    var pace = Pace(start: start)
    for (second, bytes) in received.enumerated() {
      let reading = Pace.Reading(received: bytes, holdUps: holdUps(second), isHeld: isHeld(second))
      _ = pace.note(reading, atLeast: 1024, at: at(Double(second)))
    }
    return pace
  }

  private func orders(
    _ paces: [Pace], at moment: Double, fast: Bool = true, othersWait: Bool = true, jobs: Int = 10, beside: Int = 10,
    leastSpeed: Int64 = 1024
  ) -> [Stragglers.Order] {
    var stragglers = Stragglers(Stragglers.Rule(leastSpeed: leastSpeed, jobs: jobs, beside: beside))
    stragglers.came(1 << 20, in: .seconds(1), from: slow)
    if fast { stragglers.came(10_000, in: .seconds(1), from: other) }
    let candidates = paces.enumerated().map {
      Stragglers.Candidate(flight: UInt64($0.offset + 1), origin: slow, pace: $0.element)
    }
    return stragglers.orders(candidates, othersWait: othersWait, at: at(moment))
  }

  private let drip = (0...60).map { Int64($0) }

  @Test("A body that comes slower than the least speed over ten seconds gives its place back")
  func stepsAside() {
    #expect(orders([pace(Array(drip[...9]))], at: 9) == [])
    #expect(orders([pace(Array(drip[...10]))], at: 10) == [.stepAside(1)])
    #expect(orders([pace((0...10).map { Int64($0) * 1023 })], at: 10) == [.stepAside(1)])
    #expect(orders([pace((0...10).map { Int64($0) * 1024 })], at: 10) == [])
    #expect(orders([pace(drip)], at: 60, othersWait: false, leastSpeed: 0) == [])
  }

  @Test("So does a head, of which each field resets the time-out; it is broken off whatever the others do")
  func head() {
    func pace(_ seconds: Int) -> Pace {
      var pace = Pace(start: start)
      for second in 0...seconds {
        _ = pace.note(Pace.Reading(received: 0, hasHead: false), atLeast: 1024, at: at(Double(second)))
      }
      return pace
    }
    #expect(orders([pace(9)], at: 9) == [])
    #expect(orders([pace(10)], at: 10) == [.stepAside(1)])
    #expect(orders([pace(40)], at: 40, fast: false) == [.breakOff(1)])
    #expect(orders([pace(40)], at: 40, fast: false, leastSpeed: 0) == [])
    var whole = pace(39)
    _ = whole.note(Pace.Reading(received: 0), atLeast: 1024, at: at(40))
    #expect(orders([whole], at: 40, fast: false) == [.stepAside(1)])
  }

  @Test("What has nothing of an answer yet is left to the time-outs")
  func headless() {
    #expect(pace([Int64?](repeating: nil, count: 60)).slowSince == nil)
  }

  @Test("After further thirty seconds it is broken off, if another origin has come faster")
  func breaksOff() {
    #expect(orders([pace(Array(drip[...39]))], at: 39) == [.stepAside(1)])
    #expect(orders([pace(Array(drip[...40]))], at: 40) == [.breakOff(1)])
    #expect(orders([pace(Array(drip[...40]))], at: 40, fast: false) == [.stepAside(1)])
  }

  @Test("One that becomes fast enough again is left alone")
  func recovers() {
    let recovered = pace((0...31).map { Int64($0 < 20 ? $0 : 5000 * $0) })
    #expect(recovered.slowSince == nil && orders([recovered], at: 31) == [])
  }

  @Test("Time in which this side does not read counts neither as slow nor as fast")
  func heldUp() {
    #expect(pace(drip, holdUps: { $0 / 5 }).slowSince == nil)
    #expect(pace(drip, isHeld: { $0 % 5 == 0 }).slowSince == nil)
    // The second 30 belongs to no window.
    #expect(pace(drip, holdUps: { $0 < 30 ? 0 : 1 }).slowSince == at(41))
  }

  @Test("No more than there is room for go on beside")
  func room() {
    let many = [Pace](repeating: pace(Array(drip[...10])), count: 5)
    #expect(orders(many, at: 10, beside: 2) == [.stepAside(1), .stepAside(2)])
    var besides = many
    besides[3].isBeside = true
    #expect(orders(besides, at: 10, beside: 2) == [.stepAside(1)])
  }

  @Test("Flights older than a minute hold half of the places while others wait, and the oldest go on beside")
  func old() {
    let flights = (0..<8).map { Pace(start: at(Double($0))) }
    #expect(orders(flights, at: 60, jobs: 5) == [])
    #expect(orders(flights, at: 64, jobs: 5) == [.stepAside(1), .stepAside(2)])
    #expect(orders(flights, at: 64, othersWait: false, jobs: 5) == [])
    #expect(orders(flights, at: 64, jobs: 10) == [])
    #expect(orders(flights.reversed(), at: 64, jobs: 4, beside: 2) == [.stepAside(8), .stepAside(7)])
  }

  @Test("With one place there are none of these rules")
  func serial() {
    #expect(orders([pace(drip), pace(drip)], at: 100, jobs: 1) == [])
  }
}
