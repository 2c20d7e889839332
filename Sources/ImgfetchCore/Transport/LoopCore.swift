import CCurlShim
import Glibc

/// The inside of the network loop: libcurl's multi handle, the slots for transfers, and the client that receives
/// events.
///
/// It is created on the loop's thread and never leaves it. It is not Sendable, so the compiler enforces that. libcurl
/// must not be called from inside its own callbacks, in which the client learns of heads and bodies. The client's
/// requests are therefore queued as commands and executed after libcurl has returned.
@safe
final class LoopCore {
  /// The event that the thread waits for before the next turn.
  enum Wait {
    /// Nothing.
    case none
    /// Sockets and messages.
    case network(until: Instant?)
    /// Messages only: the sockets are not read, so the servers slow down.
    case messages(until: Instant?)
  }

  enum Command {
    case start(TransferRequest)
    case cancel(TransferID)
    case stop(TransferID)
    case deliverAtOnce(TransferID)
    case resume
  }

  let options: NetworkOptions
  let clock: any Clock
  let askIsBackedUp: @Sendable () -> Bool
  /// libcurl's multi handle, or nil if libcurl cannot be used; then every transfer fails with ``obstacle``.
  let multi: UnsafeMutableRawPointer?
  let obstacle: TransportFailure
  let sessions = SessionStore()
  /// True if libcurl calls back before each request. If not, ``CurlTransfer/noteRequest()`` finds out.
  let announcesRequests: Bool
  /// Set once, before the first turn. Released at the end, since client and loop refer to each other.
  var client: (any TransportClient)?

  /// The time at which this turn began. Callbacks read it instead of the clock.
  var now: Instant
  var transfers: [CurlTransfer] = []
  var idle: [Int] = []
  var commands: [Command] = []
  var spareCommands: [Command] = []
  var awaitingPeek: [Int] = []
  /// The earliest time that a deadline can have, or nil if there is none.
  var nextDeadline: Instant?
  /// The time of the next check whether transfers are still held, or nil if none is.
  private var nextHoldCheck: Instant?
  var hasDelivered = false
  /// True if libcurl has not yet looked at some of the transfers.
  var hasNewTransfers = false
  /// The number of those that have not sent their request.
  var unsent = 0
  /// True if the client received an event since the last `turnDidEnd`.
  var hasReported = false
  var budget: RateBudget
  var receivedInTurn: Int64 = 0
  /// The bytes that may still be received before the rate limit is checked.
  var sliceLeft: Int64

  /// The client's writers lag behind: large bodies are paused.
  var isBackedUp = false
  var backedUpSince: Instant
  /// The number of transfers that share their connection.
  var multiplexed = 0
  var shared = SharedConnections()
  var isHolding = false
  /// Ends what keeps libcurl in one call.
  let watch = LoopWatch()
  /// True if the watch has ended a flood in this turn.
  var hasEndedFlood = false
  /// The number of times that nothing was received for a while.
  var holds = 0

  private(set) lazy var trustStore = TrustStore.named(by: options)
  private lazy var resolveList = options.resolve.isEmpty ? nil : try? CurlList(options.resolve)
  private var lastLines: (text: String, list: CurlList)?
  var fieldList: RequestFieldList?
  private var lastAddress: (text: [CChar], address: IPAddress?) = ([0], nil)

  /// The interval at which the writers are asked, in case the notice that they have drained is lost.
  static let recheckInterval = Instant.Span.seconds(1)

  init(options: NetworkOptions, clock: any Clock, isBackedUp: @escaping @Sendable () -> Bool) {
    self.options = options
    self.clock = clock
    askIsBackedUp = isBackedUp
    now = clock.now()
    backedUpSince = now
    budget = RateBudget(rate: options.limitRate)
    sliceLeft = budget.slice
    do throws(TransportFailure) { try CurlLibrary.load(options.libcurl) } catch {
      unsafe (multi, obstacle) = (nil, error)
      announcesRequests = false
      return
    }
    announcesRequests = CurlLibrary.announcesRequests
    // Waking it needs two descriptors. If they cannot be opened libcurl reports nothing, and this thread would sleep
    // despite messages.
    var made = unsafe imgfetch_multi_init()
    if let multi = unsafe made, unsafe imgfetch_multi_wakeup(multi) != CURLM_OK {
      _ = unsafe imgfetch_multi_cleanup(multi)
      unsafe made = nil
    }
    unsafe multi = made
    obstacle = .lackOfResources
    guard let multi = unsafe multi else { return }
    // These can fail only in an older library that does not know them, and which works without.
    for (option, value) in [
      (CURLMOPT_MAX_CONCURRENT_STREAMS, options.maxConcurrentStreams),
      (CURLMOPT_MAX_HOST_CONNECTIONS, options.maxConnectionsPerHost),
      // A number out of reach: libcurl would close the connection that has been idle longest, and counts connections in
      // use too. The client decides.
      (CURLMOPT_MAXCONNECTS, 1 << 20),
    ] { _ = unsafe imgfetch_multi_set_long(multi, option, value) }
  }

  /// Aborts all transfers without reporting them, and frees everything. Must be the last call.
  func close() {
    if let multi = unsafe multi {
      for transfer in transfers where transfer.isActive {
        _ = unsafe imgfetch_multi_remove(multi, transfer.handle.easy)
      }
      // This cleans up the easy handles, which libcurl requires before the multi handle and the share.
      transfers = []
      _ = unsafe imgfetch_multi_cleanup(multi)
    }
    transfers = []
    watch.close()
    sessions.close()
    client = nil
  }
}

// The calls that transfers make during callbacks.
extension LoopCore {
  /// The size of libcurl's receive buffer.
  var receiveSize: Int { Int(min(budget.slice, Int64(BodyCollector.pieceSize))) }

  /// True if a body must be paused for now.
  func mustPause(_ body: BodyCollector) -> Bool { isBackedUp && body.isStreamed || sliceLeft <= 0 }

  func noteReceived(_ count: Int) {
    receivedInTurn &+= Int64(count)
    sliceLeft &-= Int64(count)
  }

  func noteDeadline(_ deadline: Instant?) {
    nextDeadline = Instant.earlier(nextDeadline, deadline)
  }

  func awaitPeek(_ slot: Int) { awaitingPeek.append(slot) }

  /// Delivers a piece of a large body, and asks whether there is room for more.
  func deliver(_ piece: [UInt8], of transfer: CurlTransfer) {
    hasReported = true
    client?.transfer(transfer.id, didReceive: piece, isLast: false)
    if !isBackedUp, askIsBackedUp() { backUp() }
  }

  /// The addresses of hosts that libcurl is given before the request.
  func addressLines(for request: TransferRequest) throws(TransportFailure) -> (lines: CurlList, isUsers: Bool)? {
    // An older library looks the name up once more, and finds it by now in the caches of the system's resolver.
    guard let text = request.addresses, CurlLibrary.forgetsAddresses else { return resolveList.map { ($0, true) } }
    if let lastLines, lastLines.text == text { return (lastLines.list, false) }
    // With the plus sign they are forgotten after a minute, as if libcurl had looked them up.
    let list = try CurlList(["+" + text])
    lastLines = (text, list)
    return (list, false)
  }

  /// Parses the address that libcurl gives as text. Nearly every transfer goes to the same address as the one before.
  func address(spelt text: UnsafePointer<CChar>) -> IPAddress? {
    // Proof: the text ends with a NUL, and so does the kept copy of the last one.
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

// The transport's face to the client.
extension LoopCore: Transport {
  var needsAddresses: Bool { true }
  var tellsConnections: Bool { true }
  var tellsRequests: Bool { announcesRequests }

  func start(_ request: TransferRequest) { commands.append(.start(request)) }

  func cancel(_ id: TransferID) { post(id, .cancelled, .cancel(id)) }

  func stop(_ id: TransferID) { post(id, .stoppedByClient, .stop(id)) }

  func deliverAtOnce(_ id: TransferID) { commands.append(.deliverAtOnce(id)) }

  func reading(of id: TransferID) -> TransferReading? {
    guard let transfer = transfers.first(where: { $0.isActive && $0.id == id }) else { return nil }
    let state = transfer.state
    let body = state.body.received + state.discarded
    // Behind one interim response (103) a server may think as long as without it. One that goes on with them is slow.
    let isAnswering = state.head.isInside || state.head.interims > 1 || state.isHeadHeld
    let received: Int64? = state.isHeadReported ? body : isAnswering ? 0 : nil
    return TransferReading(
      received: received, hasHead: !state.head.isInside, holdUps: state.pauses + holds,
      isHeld: state.isPaused || isHolding)
  }

  func resumeReceiving() { commands.append(.resume) }

  /// Marks the transfer at once, so that a running callback sees it; the command itself is executed later.
  private func post(_ id: TransferID, _ ending: CurlTransfer.Ending, _ command: Command) {
    if let transfer = transfers.first(where: { $0.isActive && $0.id == id }), transfer.state.ending == nil {
      transfer.state.ending = ending
    }
    commands.append(command)
  }
}

// One turn of the loop.
extension LoopCore {
  package func limit(bytesPerSecond: Int64) { budget = RateBudget(rate: bytesPerSecond) }

  /// Does everything that can be done now, and returns what to wait for.
  func turn() -> Wait {
    now = clock.now()
    runCommands()
    updateHold()
    if !isHolding, let multi = unsafe multi {
      hasNewTransfers = false
      sliceLeft = budget.slice
      let bundled = shared.bundles(requests: unsent)
      unsent = 0
      for socket in bundled { Descriptor.holdBack(true, from: socket) }
      let ended = watch.ended
      watch.enter()
      _ = unsafe imgfetch_multi_perform(multi)
      watch.leave()
      hasEndedFlood = watch.ended != ended
      for socket in bundled where shared.has(socket) { Descriptor.holdBack(false, from: socket) }
      now = clock.now()
      budget.spend(receivedInTurn, at: now)
      receivedInTurn = 0
      unsafe collect(multi)
      runCommands()
    }
    offerPeeks()
    enforceDeadlines()
    hasReported = false
    let wakeTime = client?.turnDidEnd(at: now) ?? nil
    runCommands()
    noteBackPressure()
    updateHold()
    letGo()
    return wait(until: wakeTime)
  }

  private func wait(until wakeTime: Instant?) -> Wait {
    var until = Instant.earlier(Instant.earlier(wakeTime, nextDeadline), nextHoldCheck)
    if isBackedUp { until = Instant.earlier(until, backedUpSince + Self.recheckInterval) }
    if isHolding {
      if hasReported { return .none }
      return .messages(until: Instant.earlier(until, budget.notBefore(at: now)))
    }
    // New requests are sent first, since they have no socket yet that a poll could wait for. Events that were reported
    // after `turnDidEnd` must be followed by another one.
    if hasNewTransfers || hasReported || !commands.isEmpty { return .none }
    return unsafe multi == nil ? .messages(until: until) : .network(until: until)
  }

  /// Sleeps until a socket is ready, a deadline of libcurl or of this loop has come, or the multi handle is woken.
  func poll(until deadline: Instant?) {
    guard let multi = unsafe multi else { return }
    var milliseconds = Int64(Int32.max)
    if let deadline {
      let left = max(0, (deadline - clock.now()).nanoseconds)
      // Rounded up: waking a millisecond early would waste a turn.
      milliseconds = min(milliseconds, left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
    }
    _ = unsafe imgfetch_multi_poll(multi, Int32(milliseconds))
  }

  private func collect(_ multi: UnsafeMutableRawPointer) {
    var slot = 0
    var code = CURLE_OK
    while unsafe imgfetch_multi_next_ended(multi, &slot, &code) {
      guard transfers.indices.contains(slot) else { continue }
      finish(transfers[slot], code)
    }
  }

  private func offerPeeks() {
    guard !awaitingPeek.isEmpty else { return }
    var slots: [Int] = []
    swap(&slots, &awaitingPeek)
    for slot in slots {
      let transfer = transfers[slot]
      guard let count = transfer.takePeek(), let client else { continue }
      let bytes = transfer.state.body.bytes
      if !client.transfer(transfer.id, peek: bytes.span.extracting(0..<count)) {
        // The bytes that have arrived count as downloaded, so they are delivered.
        transfer.state.ending = .stoppedByClient
        finish(transfer, CURLE_OK)
      }
    }
  }

  private func enforceDeadlines() {
    guard let due = nextDeadline, due <= now else { return }
    nextDeadline = nil
    for transfer in transfers where transfer.isActive {
      let request = transfer.state.request
      switch transfer.state.deadlines.expiry(at: now) {
      case nil:
        noteDeadline(transfer.state.deadlines.next)
        continue
      case .connecting: transfer.state.ending = .failed(transfer.connectTimeout)
      case .stalled:
        transfer.state.ending = .failed(.stall(request.stallTimeout, receivedAnything: transfer.receivedAnything))
      case .overall: transfer.state.ending = .failed(.deadline(receivedAnything: transfer.receivedAnything))
      }
      finish(transfer, CURLE_OK)
    }
  }
}

// Back-pressure from the writers, and the rate limit.
extension LoopCore {
  func noteBackPressure() {
    if hasDelivered, !isBackedUp, askIsBackedUp() { backUp() }
    hasDelivered = false
    if isBackedUp, backedUpSince + Self.recheckInterval <= now {
      if askIsBackedUp() { backedUpSince = now } else { resume() }
    }
  }

  func backUp() {
    isBackedUp = true
    backedUpSince = now
  }

  func resume() {
    guard isBackedUp else { return }
    isBackedUp = false
    unpause()
  }

  /// The time that a held body waits before its taker is asked again. The taker need not report that there is room.
  private static let holdInterval = Instant.Span.milliseconds(50)

  /// Notes that a body is held, because its taker is behind.
  func noteHold() { nextHoldCheck = Instant.earlier(nextHoldCheck, now + Self.holdInterval) }

  private func letGo() {
    guard let due = nextHoldCheck, due <= now else { return }
    nextHoldCheck = nil
    if isBackedUp || isHolding { return noteHold() }
    // One that is still held says so again.
    unpause { $0.isHeld != nil }
  }

  private func unpause(_ isMeant: (TransferRequest) -> Bool = { _ in true }) {
    for transfer in transfers where transfer.isActive && transfer.state.isPaused && isMeant(transfer.state.request) {
      transfer.resumed(at: now)
      noteDeadline(transfer.state.deadlines.next)
      // This passes on what libcurl has kept meanwhile, so the transfer may pause again or fail.
      let code = unsafe imgfetch_easy_pause(transfer.handle.easy, CURLPAUSE_CONT)
      hasNewTransfers = true
      if code != CURLE_OK || transfer.state.ending != nil { finish(transfer, code) }
    }
  }

  /// libcurl keeps filling the buffer of a paused transfer that shares its connection, and a rate limit applies to all
  /// transfers together. In both cases nothing is received at all, and the transfers' deadlines do not run.
  func updateHold() {
    let holds = isBackedUp && multiplexed > 0 || budget.notBefore(at: now) != nil
    guard holds != isHolding else { return }
    isHolding = holds
    if holds { self.holds += 1 }
    sliceLeft = budget.slice
    for transfer in transfers where transfer.isActive && !transfer.state.isPaused {
      if holds {
        transfer.state.deadlines.paused()
      } else {
        transfer.state.deadlines.resumed(at: now)
        noteDeadline(transfer.state.deadlines.next)
      }
    }
    if !holds { unpause() }
  }
}
