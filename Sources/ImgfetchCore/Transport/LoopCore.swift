import CCurlShim
import Glibc

/// The inside of the network loop: libcurl's multi handle, the places for transfers, and the client that is told.
///
/// It is made on the loop's thread, never leaves it, and is not Sendable, so that the compiler sees to that. libcurl
/// must not be called from inside its own callbacks, in which the client is told of heads and bodies: what the client
/// asks for is noted as a wish and carried out after libcurl has returned.
@safe
final class LoopCore {
  /// How the thread spends its time until the next turn.
  enum Rest {
    /// Not at all.
    case none
    /// Waiting for sockets and messages.
    case network(until: Instant?)
    /// Waiting for messages only: the sockets are left alone, and so the other side slows down.
    case messages(until: Instant?)
  }

  enum Command {
    case start(TransferRequest)
    case cancel(TransferID)
    case stop(TransferID)
    case resume
  }

  let options: NetworkOptions
  let clock: any Clock
  let askIsBackedUp: @Sendable () -> Bool
  /// Nil only if libcurl cannot be used; then every transfer fails for that reason.
  let multi: UnsafeMutableRawPointer?
  let obstacle: TransportFailure
  let sessions: UnsafeMutableRawPointer?
  /// Set once, before the first turn; let go of at the end, as each holds the other.
  var client: (any TransportClient)?

  /// The moment of this turn. Callbacks read it instead of the clock.
  var now: Instant
  var transfers: [CurlTransfer] = []
  var idle: [Int] = []
  var commands: [Command] = []
  var spareCommands: [Command] = []
  var awaitingPeek: [Int] = []
  /// No deadline is earlier than this; nil: there is none.
  var nextDeadline: Instant?
  var hasDelivered = false
  /// Transfers wait for libcurl to look at them.
  var hasNewTransfers = false
  /// So many of them have not sent their request.
  var unsent = 0
  /// The client was told something since it was last told of a turn's end.
  var hasToldMore = false
  var budget: RateBudget
  var receivedInTurn: Int64 = 0
  /// What may still be received before the rate is looked at.
  var sliceLeft: Int64

  /// The client's writers lag: what is large is not received for now.
  var isBackedUp = false
  var backedUpSince: Instant
  /// Transfers that share their connection with others.
  var multiplexed = 0
  var shared = SharedConnections()
  var isHolding = false

  private(set) lazy var trustStore = TrustStore.named(by: options)
  private(set) lazy var resolveList = options.resolve.isEmpty ? nil : try? CurlList(options.resolve)
  var fieldList: RequestFieldList?
  private var lastAddress: (text: [CChar], address: IPAddress?) = ([0], nil)

  /// Should the word that the writers have drained get lost, they are asked once a second.
  static let askAgain = Instant.Span.seconds(1)

  init(options: NetworkOptions, clock: any Clock, isBackedUp: @escaping @Sendable () -> Bool) {
    self.options = options
    self.clock = clock
    askIsBackedUp = isBackedUp
    now = clock.now()
    backedUpSince = now
    budget = RateBudget(rate: options.limitRate)
    sliceLeft = budget.slice
    do throws(TransportFailure) { try CurlLibrary.load() } catch {
      unsafe (multi, sessions, obstacle) = (nil, nil, error)
      return
    }
    // What wakes it is two files. Where they could not be opened libcurl says nothing, and this thread would sleep on beside its messages.
    var made = unsafe imgfetch_multi_init()
    if let multi = unsafe made, unsafe imgfetch_multi_wakeup(multi) != CURLM_OK {
      _ = unsafe imgfetch_multi_cleanup(multi)
      unsafe made = nil
    }
    unsafe (multi, sessions) = (made, imgfetch_share_sessions())
    obstacle = TransportFailure(
      .resources,
      "the network cannot be used: too many files are open for this process, or memory has run out (see 'ulimit -n')")
    guard let multi = unsafe multi else { return }
    // None of these can fail but by being unknown to an older library, which does without.
    for (option, value) in [
      (CURLMOPT_MAX_CONCURRENT_STREAMS, options.maxConcurrentStreams),
      (CURLMOPT_MAX_HOST_CONNECTIONS, options.maxConnectionsPerHost),
      (CURLMOPT_MAXCONNECTS, options.idleConnections),
    ] { _ = unsafe imgfetch_multi_set_long(multi, option, value) }
  }

  /// Breaks off what there is, without a word, and gives everything back. The last call.
  func close() {
    if let multi = unsafe multi {
      for transfer in transfers where transfer.isActive { _ = unsafe imgfetch_multi_remove(multi, transfer.handle.easy) }
      // The handles' end comes with these places: before that of the multi and the share, as libcurl wants it.
      transfers = []
      _ = unsafe imgfetch_multi_cleanup(multi)
    }
    transfers = []
    if let sessions = unsafe sessions { unsafe imgfetch_share_cleanup(sessions) }
    client = nil
  }
}

// What a transfer asks and tells in its callbacks.
extension LoopCore {
  /// What libcurl is to receive at once.
  var receiveSize: Int { Int(min(budget.slice, Int64(BodyCollector.pieceSize))) }

  /// Whether a body is not to be received for now.
  func mustPause(_ body: BodyCollector) -> Bool { isBackedUp && body.isStreamed || sliceLeft <= 0 }

  func noteReceived(_ count: Int) {
    receivedInTurn &+= Int64(count)
    sliceLeft &-= Int64(count)
  }

  func noteDeadline(_ deadline: Instant?) {
    guard let deadline else { return }
    nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
  }

  func awaitPeek(_ slot: Int) { awaitingPeek.append(slot) }

  /// Hands over a piece of a large body, and asks whether there is room for more.
  func deliver(_ piece: [UInt8], of transfer: CurlTransfer) {
    hasToldMore = true
    client?.transfer(transfer.id, didReceive: piece, isLast: false)
    if !isBackedUp, askIsBackedUp() { backUp() }
  }

  /// An address from libcurl's text. Nearly every transfer goes where the last one went.
  func address(spelt text: UnsafePointer<CChar>) -> IPAddress? {
    // Proof: the text ends with a NUL, and so does what was kept of the last one.
    let isLast = unsafe lastAddress.text.withUnsafeBufferPointer { last in
      guard let base = last.baseAddress else { return false }
      return unsafe strcmp(base, text) == 0
    }
    if !isLast {
      let spelt = unsafe String(cString: text)
      lastAddress = (Array(spelt.utf8CString), IPAddress(host: spelt))
    }
    return lastAddress.address
  }
}

// What the client calls.
extension LoopCore: Transport {
  func start(_ request: TransferRequest) { commands.append(.start(request)) }

  func cancel(_ id: TransferID) { post(id, .cancelled, .cancel(id)) }

  func stop(_ id: TransferID) { post(id, .stoppedByClient, .stop(id)) }

  func resumeReceiving() { commands.append(.resume) }

  /// Marked at once, so that a callback that is under way hears of it; carried out later.
  private func post(_ id: TransferID, _ ending: CurlTransfer.Ending, _ command: Command) {
    if let transfer = transfers.first(where: { $0.isActive && $0.id == id }), transfer.state.ending == nil {
      transfer.state.ending = ending
    }
    commands.append(command)
  }
}
