/// Judges the replies to one request of a conversation, and counts its attempts.
struct PlaceAttempts: Sendable {
  enum Verdict {
    case again(after: Instant.Span)
    case answered(PlaceAnswer)
    case failed(FetchError)
  }

  private let rule: RetryRule
  private var count = AttemptCount()

  init(_ rule: RetryRule) { self.rule = rule }

  /// Prepares for another request.
  mutating func reset() { count.moveOn() }

  /// Judges a reply.
  ///
  /// - Parameter furtherStatuses: the statuses that pass, besides the usual ones.
  mutating func judge(
    _ reply: PlaceReply, furtherStatuses: Set<Int> = [], random: Double, now: WallTime
  ) -> Verdict {
    count.made += 1
    let isTransient: Bool
    var patience: Instant.Span?
    switch reply {
    case .failed(let error): isTransient = error.isTransient
    case .answered(let answer):
      isTransient = PassingStatuses.all.contains(answer.status) || furtherStatuses.contains(answer.status)
      patience = RetryAfter.stated(in: answer.fields, now: now)
    }
    switch (count.decide(under: rule, isTransient: isTransient, retryAfter: patience, random: random), reply) {
    case (.retry(let pause), _): return .again(after: pause)
    case (.giveUp, .failed(let error)): return .failed(error)
    case (.giveUp, .answered(let answer)): return .answered(answer)
    }
  }
}
