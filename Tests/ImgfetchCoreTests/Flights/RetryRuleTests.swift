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

  @Test("The pause is drawn between nothing and its ceiling, which stops growing")
  func jitter() {
    #expect(rule.decide(isTransient: true, attempts: 1, retryAfter: nil, random: 0) == .retry(after: .milliseconds(0)))
    let patient = RetryRule(limit: 1000)
    for attempts in [7, 20, 1000] {
      #expect(
        patient.decide(isTransient: true, attempts: attempts, retryAfter: nil, random: 1) == .retry(after: .seconds(30))
      )
    }
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
