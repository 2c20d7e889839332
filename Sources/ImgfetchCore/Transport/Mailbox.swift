/// A queue of messages for the loop's thread. Only the first message of a burst wakes it.
///
/// A message that finds the loop awake wakes nothing, since the loop looks here before it sleeps. The lock is held for
/// a few words only.
final class Mailbox<Message: Sendable>: Sendable {
  private struct State {
    var messages: [Message] = []
    /// Wakes the loop; set while it sleeps or is about to.
    var waker: (@Sendable () -> Void)?
    var isClosed = false
  }

  private let state = Guarded(State())

  /// Adds a message; false if the mailbox is closed and the message will not be read.
  func post(_ message: Message) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.messages.append(message)
      // Called under the lock, which the loop takes before it frees what the waker uses.
      state.waker?()
      state.waker = nil
      return true
    }
  }

  /// Rejects further messages, and wakes the loop for those that are there.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waker?()
      state.waker = nil
    }
  }

  // The rest is called on the loop's thread only.

  /// Takes all messages; `isLast` says that the mailbox is closed.
  func take() -> (messages: [Message], isLast: Bool) {
    state.withLock { state in
      var messages: [Message] = []
      swap(&messages, &state.messages)
      return (messages, state.isClosed)
    }
  }

  /// Runs `sleep`, which `waker` ends, unless there is a message.
  func sleep(waker: @escaping @Sendable () -> Void, _ sleep: () -> Void) {
    let isQuiet = state.withLock { state in
      guard state.messages.isEmpty, !state.isClosed else { return false }
      state.waker = waker
      return true
    }
    guard isQuiet else { return }
    sleep()
    state.withLock { $0.waker = nil }
  }

  func wait(until deadline: Instant?) {
    state.withLock { [state] inner in inner.waker = { state.broadcast() } }
    _ = state.wait(until: deadline) { $0.messages.isEmpty && !$0.isClosed ? nil : true }
    state.withLock { $0.waker = nil }
  }
}
