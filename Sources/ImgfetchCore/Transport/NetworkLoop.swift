import CCurlShim

/// The thread that owns libcurl: all transfers of a process run on it, side by side, and nothing on it blocks.
///
/// Any thread may post to it and end it. The client is made on the loop's thread, lives there, and is reached by
/// ``post(_:)`` only.
package final class NetworkLoop<Client: TransportClient>: Sendable {
  package typealias Letter = @Sendable (Client) -> Void

  private let mailbox: Mailbox<Letter>
  private let thread: Threads.Handle
  private let isJoined = Guarded(false)

  /// Starts the thread. What it does first is to load libcurl, which takes some milliseconds that nobody waits for: letters are taken
  /// meanwhile. Where libcurl cannot be used every transfer fails, and says why.
  ///
  /// - Parameters:
  ///   - isBackedUp: whether what was handed over waits in such amounts that large bodies should not be received for now;
  ///     asked on the loop's thread, a few times a turn. Once they have drained ``Transport/resumeReceiving()`` is due.
  ///   - makeClient: makes the client, on the loop's thread, before the first letter is read.
  package init(
    options: NetworkOptions, clock: any Clock, isBackedUp: @escaping @Sendable () -> Bool,
    makeClient: @escaping @Sendable (any Transport) -> Client
  ) throws(TransportFailure) {
    let mailbox = Mailbox<Letter>()
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
  package func post(_ work: @escaping Letter) -> Bool { mailbox.post(work) }

  /// Does what was posted, breaks off all transfers without telling their end, and waits for the thread. Not to be called
  /// from it.
  package func shutdown() {
    mailbox.close()
    isJoined.withLock { isJoined in
      if !isJoined { thread.join() }
      isJoined = true
    }
  }

  private static func run(_ core: LoopCore, _ client: Client, _ mailbox: Mailbox<Letter>) {
    core.client = client
    let waker = MultiWaker(core)
    while true {
      let (letters, isLast) = mailbox.take()
      for letter in letters { letter(client) }
      if isLast { break }
      switch core.turn() {
      case .none: break
      case .network(let deadline): mailbox.sleep(waker: { waker.wake() }) { core.poll(until: deadline) }
      case .letters(let deadline): mailbox.wait(until: deadline)
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
