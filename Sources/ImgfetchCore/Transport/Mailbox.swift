/// Where other threads leave letters for the loop's thread, which is woken by the first of a burst only.
///
/// A letter that finds the loop awake wakes nobody: the loop looks here before it sleeps. One lock, held for a few words.
final class Mailbox<Letter: Sendable>: Sendable {
  private struct State {
    var letters: [Letter] = []
    /// How to wake the loop; set while it sleeps or is about to.
    var waker: (@Sendable () -> Void)?
    var isClosed = false
  }

  private let state = Guarded(State())

  /// Leaves a letter; false if nobody will read it any more.
  func post(_ letter: Letter) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.letters.append(letter)
      // Called under the lock, which the loop takes before it lets go of what the waker wakes.
      state.waker?()
      state.waker = nil
      return true
    }
  }

  /// Takes no more letters, and has the loop read those that are there.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waker?()
      state.waker = nil
    }
  }

  // What follows is for the loop's thread.

  /// Empties the box; `isLast` says that it is closed.
  func take() -> (letters: [Letter], isLast: Bool) {
    state.withLock { state in
      var letters: [Letter] = []
      swap(&letters, &state.letters)
      return (letters, state.isClosed)
    }
  }

  /// Runs `sleep`, which `waker` ends, unless there is something to read.
  func sleep(waker: @escaping @Sendable () -> Void, _ sleep: () -> Void) {
    let isQuiet = state.withLock { state in
      guard state.letters.isEmpty, !state.isClosed else { return false }
      state.waker = waker
      return true
    }
    guard isQuiet else { return }
    sleep()
    state.withLock { $0.waker = nil }
  }

  /// Sleeps on the box alone.
  func wait(until deadline: Instant?) {
    state.withLock { [state] inner in inner.waker = { state.broadcast() } }
    _ = state.wait(until: deadline) { $0.letters.isEmpty && !$0.isClosed ? nil : true }
    state.withLock { $0.waker = nil }
  }
}
