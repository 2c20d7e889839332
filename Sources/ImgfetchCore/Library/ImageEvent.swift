/// An event in the course of one request.
public enum ImageEvent: Sendable {
  /// Something has happened to the download that the request started or joined: a beginning, the head of an answer,
  /// bytes, a redirect, a retry, or the reason for a decision about a cached answer.
  case underway(FetchEvent)
  /// The cached image, however old, before its origin is asked, under ``CachePolicy/refresh``.
  /// Not sent if there is none.
  case stored(FetchedImage)
  /// The received part of the picture, in the requested size, and transparent in the missing parts. It is for display
  /// only: the image may still be refused.
  case partial(PixelBuffer)
  /// The image, or why there is none. The last event.
  case done(Result<FetchedImage, FetchError>)
}

/// The events of one request, between the fetcher's threads and the task that takes them.
///
/// Holds a limited number of events, and only the newest partial picture, which may have 256 million pixels.
@usableFromInline
final class EventQueue: Sendable {
  private struct State {
    var waiting: [ImageEvent] = []
    /// True if no more events are added.
    var isOver = false
    var taker: (@Sendable (ImageEvent?) -> Void)?
  }

  private let state = Guarded(State())

  /// A consumer that is this far behind shows progress, and needs only the newest events.
  static let limit = 256

  @usableFromInline
  init() {}

  /// Adds an event. Events after the last one are dropped: a thread may still have been decoding.
  func add(_ event: ImageEvent) {
    settle { state in
      if state.isOver { return }
      switch event {
      case .underway, .stored: break
      case .partial: state.waiting.removeAll { if case .partial = $0 { true } else { false } }
      case .done: state.isOver = true
      }
      if state.waiting.count >= Self.limit {
        let oldest = state.waiting.firstIndex { if case .underway = $0 { true } else { false } }
        state.waiting.remove(at: oldest ?? 0)
      }
      state.waiting.append(event)
    }
  }

  /// Calls `take` with the next event, when it is there, and with nil after the last.
  @usableFromInline
  func next(_ take: @escaping @Sendable (ImageEvent?) -> Void) { settle { $0.taker = take } }

  /// Ends the sequence, because no more events are wanted.
  @usableFromInline
  func cancel() {
    settle { state in
      state.isOver = true
      state.waiting = []
    }
  }

  private func settle(_ change: (inout State) -> Void) {
    let call: (() -> Void)? = state.withLock { state in
      change(&state)
      guard let taker = state.taker, !state.waiting.isEmpty || state.isOver else { return nil }
      state.taker = nil
      let event = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      return { taker(event) }
    }
    call?()
  }
}
