import CCurlShim

/// The thread that owns libcurl. All transfers of a process run on it concurrently, and nothing on it blocks.
///
/// Any thread may post to it and shut it down. The client is created on the loop's thread and reached through
/// ``post(_:)`` only.
package final class NetworkLoop<Client: TransportClient>: Sendable {
  package typealias Message = @Sendable (Client) -> Void

  private let mailbox: Mailbox<Message>
  private let thread: Threads.Handle
  private let isJoined = Guarded(false)

  /// Starts the thread. It first loads libcurl, which takes some milliseconds, during which it already accepts
  /// messages. If libcurl cannot be used every transfer fails, and the failure says why.
  ///
  /// - Parameters:
  ///   - isBackedUp: Returns true if so much delivered data is waiting that large bodies should be
  ///     paused. Called on the loop's
  ///     thread, a few times a turn. Once the data has drained, ``Transport/resumeReceiving()`` must be called.
  ///   - makeClient: Creates the client, on the loop's thread, before the first message is processed.
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
      // Older runtimes of containers refuse calls that they do not know, such as glibc's clone3, as if a right was
      // missing.
      let advice =
        error.code == .notPermitted
        ? "a container's seccomp profile forbids threads to this C library: its runtime may be too old"
        : "see 'ulimit -u' and 'ulimit -v'"
      throw TransportFailure(.resources, "the network's thread cannot be started: \(error) (\(advice))")
    }
  }

  /// Ends the loop without ``shutdown()``. Its end is not awaited.
  deinit { mailbox.close() }

  /// Runs a closure on the loop's thread, in the order of posting. Returns false if the loop was shut down; the closure
  /// then does not run.
  @discardableResult
  package func post(_ work: @escaping Message) -> Bool { mailbox.post(work) }

  /// Runs the posted work, aborts all transfers without reporting their end, and waits for the thread. Must not
  /// be called on that thread.
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

/// Wakes a loop from its poll.
///
/// Proof that it may be shared: this is the one call that libcurl allows from any thread. The mailbox makes it only
/// under its lock and while the loop sleeps, so never after the multi handle is gone.
@safe
private struct MultiWaker: @unchecked Sendable {
  private let multi: UnsafeMutableRawPointer?

  init(_ core: LoopCore) { unsafe multi = core.multi }

  /// A wake-up that fails, since the kernel has no memory for it just then, is repeated: without it, the loop would
  /// sleep until the next one, which may never come.
  func wake() {
    guard let multi = unsafe multi else { return }
    for _ in 0..<1000 {
      if unsafe imgfetch_multi_wakeup(multi) == CURLM_OK { return }
      Threads.sleep(milliseconds: 1)
    }
  }
}
