/// Counts the attempts at one request, and says what its last one came to.
struct PlaceAttempts: Sendable {
  enum Verdict {
    case again(after: Instant.Span)
    case answered(PlaceAnswer)
    case failed(FetchError)
  }

  let rule: RetryRule
  /// The number of attempts of this request.
  private(set) var count = 0

  init(_ rule: RetryRule) { self.rule = rule }

  /// Prepares for another request.
  mutating func reset() { count = 0 }

  /// Judges a reply.
  ///
  /// - Parameter furtherStatuses: the statuses that pass, besides the usual ones.
  mutating func judge(
    _ reply: PlaceReply, of url: WebURL, furtherStatuses: Set<Int> = [], random: Double, now: WallTime
  ) -> Verdict {
    count += 1
    switch reply {
    case .failed(let error):
      let decision = rule.decide(isTransient: error.isTransient, attempts: count, retryAfter: nil, random: random)
      if case .retry(let pause) = decision { return .again(after: pause) }
      return .failed(error)
    case .answered(let answer):
      let isTransient =
        PassingStatuses.all.contains(answer.status) || furtherStatuses.contains(answer.status)
      guard isTransient else { return .answered(answer) }
      let patience = answer.fields.first("Retry-After").flatMap { RetryAfter.parse($0, now: now) }
      let decision = rule.decide(isTransient: true, attempts: count, retryAfter: patience, random: random)
      if case .retry(let pause) = decision { return .again(after: pause) }
      return .answered(answer)
    }
  }
}
