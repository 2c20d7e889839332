import Testing

@testable import ImgfetchCore

@Suite("Retry: what is tried again, and when")
struct RetryRuleTests {
  private let rule = RetryRule(limit: 2)

  @Test("What failed for good is not tried again")
  func permanent() {
    #expect(rule.decide(isTransient: false, attempts: 1, retryAfter: nil, random: 0.5) == .giveUp)
  }

  @Test("A passing failure is tried twice more and then given up")
  func limit() {
    #expect(
      rule.decide(isTransient: true, attempts: 1, retryAfter: nil, random: 1) == .retry(after: .milliseconds(500)))
    #expect(
      rule.decide(isTransient: true, attempts: 2, retryAfter: nil, random: 1) == .retry(after: .milliseconds(1000)))
    #expect(rule.decide(isTransient: true, attempts: 3, retryAfter: nil, random: 1) == .giveUp)
  }

  @Test("The pause is drawn between half of its step and all of it; the step doubles from half a second to eight")
  func jitter() {
    let patient = RetryRule(limit: 1000)
    for (attempts, milliseconds) in [(1, 500), (2, 1000), (3, 2000), (4, 4000), (5, 8000), (6, 8000), (1000, 8000)] {
      for (random, share) in [(0.0, 0.5), (0.5, 0.75), (1, 1)] {
        let pause = Instant.Span.milliseconds(Int(Double(milliseconds) * share))
        #expect(
          patient.decide(isTransient: true, attempts: attempts, retryAfter: nil, random: random) == .retry(after: pause)
        )
      }
    }
  }

  @Test("Of the requests that were never processed, five do not count")
  func losses() {
    var attempts = AttemptCount()
    for _ in 1...7 {
      attempts.made += 1
      attempts.excuseLoss()
    }
    #expect(attempts.excused == 5)
  }

  @Test("Attempts that are excused do not count, and lengthen the pause all the same")
  func excused() {
    #expect(
      rule.decide(isTransient: true, attempts: 5, excused: 3, retryAfter: nil, random: 1) == .retry(after: .seconds(8)))
    #expect(rule.decide(isTransient: true, attempts: 5, excused: 2, retryAfter: nil, random: 1) == .giveUp)
  }

  @Test("Retry-After is obeyed to the second, up to a minute; beyond that it fails at once")
  func retryAfter() {
    #expect(
      rule.decide(isTransient: true, attempts: 1, retryAfter: .seconds(1), random: 0) == .retry(after: .seconds(1)))
    #expect(
      rule.decide(isTransient: true, attempts: 1, retryAfter: .seconds(60), random: 0) == .retry(after: .seconds(60)))
    #expect(rule.decide(isTransient: true, attempts: 1, retryAfter: .seconds(61), random: 0) == .giveUp)
  }
}
