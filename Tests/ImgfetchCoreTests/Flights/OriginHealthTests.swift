import Testing

@testable import ImgfetchCore

@Suite("OriginHealth: whether an origin answers at all") struct OriginHealthTests {
  private let start = Instant(nanoseconds: 0)
  private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

  /// The events of an origin, in invented seconds.
  enum Event {
    case answer(at: Double)
    case end
    case silence(from: Double, to: Double)
    case slow(from: Double, to: Double)
  }

  private func health(
    after events: [Event], retries: Int = 2, patience: Double = 0, random: Double = 1
  ) -> (OriginHealth, [OriginHealth.Change]) {
    var health = OriginHealth()
    var changes: [OriginHealth.Change] = []
    for event in events {
      switch event {
      case .answer(let moment): health.answerBegan(at: at(moment))
      case .end: health.answerEnded()
      case .silence(let began, let ended):
        changes.append(
          health.wasSilent(
            to: at(began), at: at(ended), because: "silent", retries: retries, patience: .seconds(patience),
            random: random))
      case .slow(let began, let ended):
        health.answerEnded(isWhole: false)
        changes.append(
          health.wasSlow(to: at(began), at: at(ended), because: "slow", retries: retries, random: random))
      }
    }
    return (health, changes)
  }

  @Test("An answer counts as one since a moment while it comes, and by the time at which it began")
  func answersSince() {
    var health = OriginHealth()
    #expect(!health.hasAnswered(since: at(0)))
    health.answerBegan(at: at(5))
    #expect(health.hasAnswered(since: at(9)))
    health.answerEnded()
    #expect(health.hasAnswered(since: at(5)) && !health.hasAnswered(since: at(6)))
  }

  private static let silences: [Event] = [
    .silence(from: 0, to: 1), .silence(from: 0, to: 1), .silence(from: 0, to: 1),
  ]

  @Test("Three attempts in a row without an answer show that it is down")
  func down() {
    let (health, changes) = health(after: Self.silences)
    #expect(changes == [.none, .none, .wentDown])
    #expect(health.isDown && health.reason == "silent" && !health.isProven)
    #expect(health.notBefore == at(1.5))
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
    #expect(changes.suffix(2) == [.none, .none] && health.notBefore == at(1.5))
  }

  @Test("What was out when it went down, and fails after the first trial was due, stands for that trial, and only that")
  func outUntilTrial() {
    let (health, changes) = health(
      after: Self.silences + [.silence(from: 0.9, to: 1.5), .silence(from: 0.9, to: 2.5), .silence(from: 3, to: 4)])
    #expect(changes.suffix(3) == [.none, .none, .none] && health.notBefore == at(6))
  }

  @Test("Each trial doubles the pause, and the third that fails gives it up")
  func trials() {
    var (health, _) = health(after: Self.silences)
    for (moment, change, next) in [(2.0, OriginHealth.Change.none, 3.0), (4, .none, 6), (7, .gaveUp, 37)] {
      let heard = health.wasSilent(to: at(moment), at: at(moment), because: "silent", retries: 2, random: 1)
      #expect(heard == change && health.notBefore == at(next))
    }
    #expect(health.isGivenUp(at: at(36.9)) && !health.isGivenUp(at: at(37)))
  }

  @Test(
    "A given number of retries is had before it is given up",
    arguments: [(0, 3), (2, 3), (5, 3), (6, 4), (20, 18), (.max, 100)])
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
      let next = Double(health.notBefore?.nanoseconds ?? 0) / 1e9
      rests.append(next - moment)
      moment = next
    }
    #expect(rests == [1, 2, 30, 60, 120, 240, 480, 600, 600])
    health.answerBegan(at: at(moment))
    #expect(!health.isDown && health.isProven && health.notBefore == nil)
  }

  @Test("One that has answered is given its time from the first of the three on, and the last trial is made at its end")
  func patience() {
    let silences: [Event] = [.silence(from: 1, to: 2), .silence(from: 1, to: 3), .silence(from: 1, to: 4)]
    // An origin that has never answered is not waited for.
    #expect(!health(after: silences, patience: 30).0.isExcused)
    var (health, _) = health(after: [.answer(at: 0), .end] + silences, patience: 30)
    #expect(health.isDown && health.isExcused && health.isRecovering(at: at(31)) && !health.isRecovering(at: at(32)))
    var moment = 4.0
    var trials: [Double] = []
    var change = OriginHealth.Change.none
    while change != .gaveUp, trials.count < 99 {
      moment = Double(health.notBefore?.nanoseconds ?? 0) / 1e9
      trials.append(moment)
      change = health.wasSilent(
        to: at(moment), at: at(moment), because: "silent", retries: 2, patience: .seconds(30), random: 1)
    }
    #expect(trials == [4.5, 5.5, 7.5, 11.5, 19.5, 27.5, 32] && !health.isExcused)
  }

  @Test("After an outage that an answer has ended, others may still say that it is not back")
  func recovering() {
    let (health, _) = health(
      after: [.answer(at: 0), .end, .silence(from: 1, to: 1), .silence(from: 1, to: 1), .silence(from: 1, to: 1)]
        + [.answer(at: 7)], patience: 30)
    #expect(!health.isDown && !health.isExcused && health.isRecovering(at: at(8)))
  }

  @Test("Three answers in a row that came too slowly count as an outage, which a whole answer ends")
  func slowness() {
    let slow: [Event] = (0..<3).flatMap { _ in [.answer(at: 0), .slow(from: 0, to: 40)] as [Event] }
    #expect(!health(after: Array(slow.dropLast(2))).0.isDown)
    #expect(!health(after: [.answer(at: 0)] + Array(slow.dropLast(2)) + [.end] + slow.suffix(2)).0.isDown)
    var (health, changes) = health(after: slow)
    #expect(changes.last == .wentDown && health.isDown && !health.isExcused && health.reason == "slow")
    health.answerBegan(at: at(41))
    #expect(health.isDown && !health.isProven)
    health.answerEnded(isWhole: true)
    #expect(!health.isDown && health.isProven)
  }

  @Test("Machines that lost it together do not come back together", arguments: [(0.0, 1.25), (0.5, 1.375), (1, 1.5)])
  func jitter(random: Double, notBefore: Double) {
    #expect(health(after: Self.silences, random: random).0.notBefore == at(notBefore))
  }
}
