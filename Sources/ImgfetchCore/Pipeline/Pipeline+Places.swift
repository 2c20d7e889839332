// Conversations with places, from any thread.

/// What a conversation sends.
enum PlaceSource: Sendable {
  case file(SharedDescriptor)
  case bytes([UInt8])
}

extension Pipeline {
  /// Begins a conversation. `done` is called once, on the network's thread or before this returns, and must not block.
  func converse<Conversation: PlaceConversation>(
    _ conversation: Conversation, sending source: PlaceSource? = nil,
    done: @escaping @Sendable (Conversation) -> Void
  ) {
    let obstacle: FetchError
    do throws(TransportFailure) {
      let isPosted = try network().post { stage in
        stage.talks.converse(conversation, sending: source) { end in if let end = end as? Conversation { done(end) } }
      }
      if isPosted { return }
      obstacle = .closed
    } catch { obstacle = FetchError(error, "") }
    // Whatever it asks for, there is no network.
    var conversation = conversation
    var step = conversation.begin()
    while case .send = step {
      step = conversation.handle(
        .failed(FetchError(obstacle.kind, obstacle.subject, obstacle.reason)), random: 0, now: clock.wallTime())
    }
    done(conversation)
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
