import Testing

@testable import ImgfetchCore

@Suite("OriginHealth: whether an origin answers at all") struct OriginHealthTests {
  private let start = Instant(nanoseconds: 0)
  private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

  /// What happens to an origin, in invented seconds.
  enum Event {
    case answer(at: Double)
    case end
    case silence(from: Double, to: Double)
  }

  private func health(
    after events: [Event], retries: Int = 2, random: Double = 1
  ) -> (OriginHealth, [OriginHealth.Change]) {
    var health = OriginHealth()
    var changes: [OriginHealth.Change] = []
    for event in events {
      switch event {
      case .answer(let moment): health.answerBegan(at: at(moment))
      case .end: health.answerEnded()
      case .silence(let began, let ended):
        changes.append(
          health.wasSilent(to: at(began), at: at(ended), because: "silent", retries: retries, random: random))
      }
    }
    return (health, changes)
  }

  private static let silences: [Event] = [
    .silence(from: 0, to: 1), .silence(from: 0, to: 1), .silence(from: 0, to: 1),
  ]

  @Test("Three attempts in a row without an answer show that it is down")
  func down() {
    let (health, changes) = health(after: Self.silences)
    #expect(changes == [.none, .none, .wentDown])
    #expect(health.isDown && health.reason == "silent" && !health.isProven)
    #expect(health.resumption == at(1.5))
    #expect(!health.isGivenUp(at: at(1)))
  }

  @Test("An answer between them breaks the row")
  func notInARow() {
    let (health, changes) = health(after: [
      .silence(from: 0, to: 1), .silence(from: 0, to: 1), .answer(at: 1), .end, .silence(from: 2, to: 3),
      .silence(from: 2, to: 3),
    ])
    #expect(changes.allSatisfy { $0 == .none } && !health.isDown && health.isProven)
  }

  @Test("Attempts that began before the last answer say nothing")
  func overtaken() {
    let early: [Event] = (0..<9).map { _ in .silence(from: 1, to: 11) }
    #expect(health(after: [.answer(at: 1), .end] + early).1.allSatisfy { $0 == .none })
  }

  @Test("While a connection stands that answers, it is not down, whatever others run into")
  func standing() {
    let later: [Event] = (0..<9).map { _ in .silence(from: 2, to: 3) }
    #expect(!health(after: [.answer(at: 1)] + later).0.isDown)
    #expect(health(after: [.answer(at: 1), .end] + later).0.isDown)
  }

  @Test("What was out when it went down is no trial")
  func outBefore() {
    let (health, changes) = health(after: Self.silences + [.silence(from: 0, to: 1.1), .silence(from: 0.9, to: 1.2)])
    #expect(changes.suffix(2) == [.none, .none] && health.resumption == at(1.5))
  }

  @Test("Each trial doubles the pause, and the third that fails gives it up")
  func trials() {
    var (health, _) = health(after: Self.silences)
    for (moment, change, next) in [(2.0, OriginHealth.Change.none, 3.0), (4, .none, 6), (7, .gaveUp, 37)] {
      let heard = health.wasSilent(to: at(moment), at: at(moment), because: "silent", retries: 2, random: 1)
      #expect(heard == change && health.resumption == at(next))
    }
    #expect(health.isGivenUp(at: at(36.9)) && !health.isGivenUp(at: at(37)))
  }

  @Test(
    "A given number of retries is had before it is given up", arguments: [(0, 3), (2, 3), (5, 3), (6, 4), (20, 18)])
  func retries(given: Int, trials: Int) {
    var (health, _) = health(after: Self.silences, retries: given)
    var count = 0
    var change = OriginHealth.Change.none
    while change != .gaveUp, count < 100 {
      count += 1
      change = health.wasSilent(
        to: at(Double(100 * count)), at: at(Double(100 * count)), because: "silent", retries: given, random: 1)
    }
    #expect(count == trials)
  }

  @Test("Once given up, a trial now and then finds out whether it is back: after 30 s, and at most every ten minutes")
  func rests() {
    var (health, _) = health(after: Self.silences)
    var moment = 10.0
    var rests: [Double] = []
    for _ in 0..<9 {
      _ = health.wasSilent(to: at(moment), at: at(moment), because: "silent", retries: 2, random: 1)
      let next = Double(health.resumption?.nanoseconds ?? 0) / 1e9
      rests.append(next - moment)
      moment = next
    }
    #expect(rests == [1, 2, 30, 60, 120, 240, 480, 600, 600])
    health.answerBegan(at: at(moment))
    #expect(!health.isDown && health.isProven && health.resumption == nil)
  }

  @Test("Machines that lost it together do not come back together", arguments: [(0.0, 1.25), (0.5, 1.375), (1, 1.5)])
  func jitter(random: Double, resumption: Double) {
    #expect(health(after: Self.silences, random: random).0.resumption == at(resumption))
  }
}
