import CCurlShim

/// The thread that owns libcurl: all transfers of a process run on it, side by side, and nothing on it blocks.
///
/// Any thread may post to it and end it. The client is made on the loop's thread, lives there, and is reached by
/// ``post(_:)`` only.
package final class NetworkLoop<Client: TransportClient>: Sendable {
  package typealias Message = @Sendable (Client) -> Void

  private let mailbox: Mailbox<Message>
  private let thread: Threads.Handle
  private let isJoined = Guarded(false)

  /// Starts the thread. What it does first is to load libcurl, which takes some milliseconds that nobody waits for: messages are taken
  /// meanwhile. Where libcurl cannot be used every transfer fails, and says why.
  ///
  /// - Parameters:
  ///   - isBackedUp: whether what was handed over waits in such amounts that large bodies should not be received for now;
  ///     asked on the loop's thread, a few times a turn. Once they have drained ``Transport/resumeReceiving()`` is due.
  ///   - makeClient: makes the client, on the loop's thread, before the first message is read.
  package init(
    options: NetworkOptions, clock: any Clock, isBackedUp: @escaping @Sendable () -> Bool,
    makeClient: @escaping @Sendable (any Transport) -> Client
  ) throws(TransportFailure) {
    let mailbox = Mailbox<Message>()
    self.mailbox = mailbox
    do {
      thread = try Threads.start(name: "imgfetch-net") {
        let core = LoopCore(options: options, clock: clock, isBackedUp: isBackedUp)
        Self.run(core, makeClient(core), mailbox)
      }
    } catch {
      throw TransportFailure(.other, "the network's thread cannot be started: \(error)")
    }
  }

  /// A loop that nobody has shut down ends by itself, but nobody waits for that.
  deinit { mailbox.close() }

  /// Has the client do something, on the loop's thread, as soon as it gets to it; in the order of posting. False: the loop
  /// has been shut down, and it will not be done.
  @discardableResult
  package func post(_ work: @escaping Message) -> Bool { mailbox.post(work) }

  /// Does what was posted, breaks off all transfers without telling their end, and waits for the thread. Not to be called
  /// from it.
  package func shutdown() {
    mailbox.close()
    isJoined.withLock { isJoined in
      if !isJoined { thread.join() }
      isJoined = true
    }
  }

  private static func run(_ core: LoopCore, _ client: Client, _ mailbox: Mailbox<Message>) {
    core.client = client
    let waker = MultiWaker(core)
    while true {
      let (messages, isLast) = mailbox.take()
      for message in messages { message(client) }
      if isLast { break }
      switch core.turn() {
      case .none: break
      case .network(let deadline): mailbox.sleep(waker: { waker.wake() }) { core.poll(until: deadline) }
      case .messages(let deadline): mailbox.wait(until: deadline)
      }
    }
    core.close()
  }
}

/// What wakes a loop out of its poll.
///
/// Sendable: this is the one call that libcurl allows from any thread, and the mailbox makes it only under its lock while
/// the loop sleeps, so never after the multi is gone.
@safe
private struct MultiWaker: @unchecked Sendable {
  private let multi: UnsafeMutableRawPointer?

  init(_ core: LoopCore) { unsafe multi = core.multi }

  func wake() {
    if let multi = unsafe multi { _ = unsafe imgfetch_multi_wakeup(multi) }
  }
}

/// Where other threads leave messages for the loop's thread, which is woken by the first of a burst only.
///
/// A message that finds the loop awake wakes nobody: the loop looks here before it sleeps. One lock, held for a few words.
final class Mailbox<Message: Sendable>: Sendable {
  private struct State {
    var messages: [Message] = []
    /// How to wake the loop; set while it sleeps or is about to.
    var waker: (@Sendable () -> Void)?
    var isClosed = false
  }

  private let state = Guarded(State())

  /// Leaves a message; false if nobody will read it any more.
  func post(_ message: Message) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.messages.append(message)
      // Called under the lock, which the loop takes before it lets go of what the waker wakes.
      state.waker?()
      state.waker = nil
      return true
    }
  }

  /// Takes no more messages, and has the loop read those that are there.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waker?()
      state.waker = nil
    }
  }

  // What follows is for the loop's thread.

  /// Empties the box; `isLast` says that it is closed.
  func take() -> (messages: [Message], isLast: Bool) {
    state.withLock { state in
      var messages: [Message] = []
      swap(&messages, &state.messages)
      return (messages, state.isClosed)
    }
  }

  /// Runs `sleep`, which `waker` ends, unless there is something to read.
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

  /// Sleeps on the box alone.
  func wait(until deadline: Instant?) {
    state.withLock { [state] inner in inner.waker = { state.broadcast() } }
    _ = state.wait(until: deadline) { $0.messages.isEmpty && !$0.isClosed ? nil : true }
    state.withLock { $0.waker = nil }
  }
}
