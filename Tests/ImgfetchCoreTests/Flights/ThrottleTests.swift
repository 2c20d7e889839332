import Testing

@testable import ImgfetchCore

@Suite("An origin that has too many requests is asked more slowly") struct ThrottleTests {
  private let start = Instant(nanoseconds: 0)
  private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

  /// One that has heard a second refusal at 0.
  private func paused(random: Double = 1) -> Throttle {
    var throttle = Throttle(places: 12, refusedAt: at(-1))
    throttle.refused(startedAt: at(-0.5), at: start, random: random)
    return throttle
  }

  @Test("The first refusal halves the places, and is forgotten after as many answers")
  func first() {
    var throttle = Throttle(places: 6, refusedAt: start)
    #expect(throttle.places == 3 && throttle.pause.nanoseconds == 0 && throttle.notBefore == start)
    for _ in 1...2 { throttle.answered(startedAt: at(1), of: 6) }
    #expect(throttle.places == 5 && !throttle.isOver(of: 6))
    throttle.answered(startedAt: at(1), of: 6)
    #expect(throttle.isOver(of: 6))
  }

  @Test("Each further one halves the places and doubles the pause, and nothing starts for such a pause")
  func further() {
    var throttle = paused()
    #expect(throttle.places == 3 && throttle.pause == .milliseconds(500) && throttle.notBefore == at(0.5))
    for (number, places, pause) in [(1.0, 1, 1.0), (2, 1, 2), (3, 1, 4), (4, 1, 8), (5, 1, 8)] {
      throttle.refused(startedAt: at(number), at: at(number), random: 1)
      #expect(throttle.places == places && throttle.pause == .seconds(pause))
      #expect(throttle.notBefore == at(number + pause))
    }
  }

  @Test(
    "Those who were refused together do not come back together",
    arguments: [(0.0, 0.25), (0.5, 0.375), (1, 0.5), (7, 0.5)])
  func jitter(random: Double, notBefore: Double) {
    #expect(paused(random: random).notBefore == at(notBefore))
  }

  @Test("What was out when a refusal was heard says nothing of how the origin is asked now")
  func outBefore() {
    var throttle = paused()
    for started in [-0.2, 0] {
      throttle.refused(startedAt: at(started), at: at(0.1), random: 1)
      throttle.answered(startedAt: at(started), of: 12)
    }
    #expect(throttle.places == 3 && throttle.pause == .milliseconds(500) && throttle.isClosed)
  }

  @Test("Answers give back places and time, until nothing is left of it")
  func answers() {
    var throttle = paused()
    throttle.answered(startedAt: at(1), of: 12)
    #expect(throttle.places == 4 && throttle.pause < .milliseconds(430) && !throttle.isClosed)
    var count = 1
    while !throttle.isOver(of: 12), count < 100 {
      throttle.answered(startedAt: at(1), of: 12)
      count += 1
    }
    #expect(count == 27 && throttle.places == 12)
  }

  /// One that has refused `count` requests in a row, one a second from 1 on, after the second at 0.
  private func closed(by count: Int, isCounted: Bool) -> Throttle {
    var throttle = paused()
    for number in 1...count {
      throttle.refused(startedAt: at(Double(number)), at: at(Double(number)), random: 1, isCounted: isCounted)
    }
    return throttle
  }

  @Test("The answer after refusals in a row ends their long pause at once", arguments: [true, false])
  func backAgain(isCounted: Bool) {
    var throttle = closed(by: 4, isCounted: isCounted)
    #expect(throttle.pause == .seconds(8) && throttle.notBefore == at(12))
    throttle.answered(startedAt: at(12), of: 6)
    #expect(throttle.pause.nanoseconds == 0 && throttle.notBefore <= at(12) && throttle.places == 2)
    for _ in 0..<4 { throttle.answered(startedAt: at(13), of: 6) }
    #expect(throttle.isOver(of: 6))
  }

  @Test("Answers and 503 by turns never keep a pause of more than two seconds")
  func mixture() {
    var throttle = closed(by: 4, isCounted: false)
    for number in 20..<80 {
      let moment = at(Double(10 * number))
      throttle.answered(startedAt: moment, of: 6)
      #expect(throttle.pause <= .seconds(2))
      throttle.refused(startedAt: moment, at: moment, random: 1, isCounted: false)
    }
  }

  @Test("A 429 soon after shows a rate to keep: the long pause comes back, and answers take sevenths off it")
  func rate() {
    var throttle = closed(by: 4, isCounted: true)
    throttle.answered(startedAt: at(12), of: 6)
    throttle.refused(startedAt: at(13), at: at(13), random: 1, isCounted: true)
    #expect(throttle.pause == .seconds(8) && throttle.notBefore == at(21))
    throttle.answered(startedAt: at(21), of: 6)
    #expect(throttle.pause > .seconds(6) && throttle.pause < .seconds(7))
  }

  @Test("Where two minutes bring nothing but refusals, waiting is of no use; an answer ends that")
  func hopeless() {
    var throttle = paused()
    for second in stride(from: 1.0, through: 113, by: 8) {
      throttle.refused(startedAt: at(second), at: at(second), random: 1)
    }
    #expect(!throttle.isHopeless(at: at(113)) && throttle.pause == .seconds(8))
    throttle.refused(startedAt: at(121), at: at(121), random: 1)
    #expect(throttle.isHopeless(at: at(121)) && throttle.pause == .milliseconds(500))
    throttle.answered(startedAt: at(122), of: 6)
    #expect(!throttle.isHopeless(at: at(122)))
    throttle.refused(startedAt: at(123), at: at(123), random: 1)
    #expect(!throttle.isHopeless(at: at(124)))
  }

  @Test("Starts keep the pause between them")
  func starts() {
    var throttle = paused()
    throttle.started(at: at(0.5))
    #expect(throttle.notBefore == at(1))
    throttle.started(at: at(1.7))
    #expect(throttle.notBefore == at(2.2))
  }
}
