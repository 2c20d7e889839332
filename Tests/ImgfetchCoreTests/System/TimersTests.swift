import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Timers: what is due when")
struct TimersTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

  @Test("Nothing is due before its time, and then the earliest first")
  func order() {
    var timers = Timers<String>()
    timers.add("late", at: at(3))
    timers.add("early", at: at(1))
    timers.add("middle", at: at(2))
    #expect(timers.nextDeadline == at(1))
    #expect(timers.popDue(at: at(0.5)) == nil)
    #expect(timers.popDue(at: at(2)) == "early")
    #expect(timers.popDue(at: at(2)) == "middle")
    #expect(timers.popDue(at: at(2)) == nil)
    #expect(timers.popDue(at: at(9)) == "late")
    #expect(timers.isEmpty)
  }

  @Test("Those of one deadline come in the order of their adding")
  func ties() {
    var timers = Timers<Int>()
    for number in 0..<50 { timers.add(number, at: at(1)) }
    var order: [Int] = []
    while let number = timers.popDue(at: at(1)) { order.append(number) }
    #expect(order == Array(0..<50))
  }

  @Test("A thousand random deadlines come out sorted", arguments: 1...5)
  func sorted(walk: Int) {
    let seed = Seed()
    var random = seed.random(for: walk)
    var timers = Timers<Instant>()
    for _ in 0..<1000 {
      let deadline = Instant(nanoseconds: Int64.random(in: 0...1_000_000, using: &random))
      timers.add(deadline, at: deadline)
    }
    var last = Instant(nanoseconds: 0)
    while let deadline = timers.popDue(at: Instant(nanoseconds: .max)) {
      #expect(deadline >= last, "\(seed)")
      last = deadline
    }
  }
}
