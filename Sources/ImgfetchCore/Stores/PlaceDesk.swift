/// Begins conversations with stores. May be used from any thread.
struct PlaceDesk: Sendable {
  /// Passes work to the network's thread, which runs it with the conversations of the run. Throws if there is no such
  /// thread.
  typealias Hand = @Sendable (_ work: @escaping @Sendable (PlaceTalks) -> Void) throws(FetchError) -> Void

  let retry: RetryRule
  private let clock: any Clock
  private let hand: Hand

  init(_ retry: RetryRule, clock: any Clock, hand: @escaping Hand) {
    self.retry = retry
    self.clock = clock
    self.hand = hand
  }

  /// Begins a conversation. `done` is called once, on the network's thread or before this returns, and must not block.
  func converse<Conversation: PlaceConversation>(
    _ conversation: Conversation, sending source: PlaceSource? = nil,
    done: @escaping @Sendable (Conversation) -> Void
  ) {
    do throws(FetchError) {
      try hand { talks in
        talks.converse(conversation, sending: source) { end in if let end = end as? Conversation { done(end) } }
      }
    } catch {
      // Whatever the conversation asks for, there is no network, now and later.
      let obstacle = FetchError(error.kind, error.subject, error.reason)
      var conversation = conversation
      var step = conversation.begin()
      while case .send = step { step = conversation.handle(.failed(obstacle), random: 0, now: clock.wallTime()) }
      done(conversation)
    }
  }

  /// The same, and waits for its end. Must not be called on one of the fetcher's threads.
  func converse<Conversation: PlaceConversation>(
    _ conversation: Conversation, sending source: PlaceSource? = nil
  ) -> Conversation {
    let end = Guarded<Conversation?>(nil)
    converse(conversation, sending: source) { done in
      end.withLock { $0 = done }
      end.broadcast()
    }
    return end.wait { $0 } ?? conversation
  }
}
