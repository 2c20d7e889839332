/// The network's thread with a transport of the program's own: no libcurl, and no sockets.
final class OwnLoop: Loop {
  typealias Message = @Sendable (OwnTransfers, NetworkStage) -> Void

  private let mailbox = Mailbox<Message>()
  private let thread: Threads.Handle
  private let isJoined = Guarded(false)

  init(
    _ transport: any FetchTransport, clock: any Clock, isBackedUp: @escaping @Sendable () -> Bool,
    makeClient: @escaping @Sendable (any Transport) -> NetworkStage
  ) throws(TransportFailure) {
    let mailbox = mailbox
    do {
      thread = try Threads.start(name: "imgfetch-net") {
        let transfers = OwnTransfers(transport, clock: clock, isBackedUp: isBackedUp) { _ = mailbox.post($0) }
        let client = makeClient(transfers)
        transfers.client = client
        while true {
          let (messages, isLast) = mailbox.take()
          for message in messages { message(transfers, client) }
          if isLast { break }
          let deadline = transfers.turn(at: clock.now())
          if !transfers.hasWork { mailbox.wait(until: deadline) }
        }
        transfers.close()
      }
    } catch { throw TransportFailure(.resources, "a thread cannot be started: \(error)") }
  }

  func post(_ work: @escaping @Sendable (NetworkStage) -> Void) -> Bool { mailbox.post { work($1) } }

  func shutdown() {
    mailbox.close()
    isJoined.withLock { isJoined in
      if !isJoined { thread.join() }
      isJoined = true
    }
  }
}

/// Turns the calls of a program's own transport into those that the network stage expects: one head, pieces, one end,
/// and all in time.
///
/// Belongs to its loop's thread.
final class OwnTransfers: Transport {
  private struct Running {
    let request: TransferRequest
    let answer: TransportAnswer
    var deadlines: TransferDeadlines
    /// The length that the head has stated.
    var length: Int64?
    var decision: HeadDecision?
    var received: Int64 = 0
  }

  private enum Alarm {
    case deadline(TransferID)
    case act(TransferID, @Sendable () -> Void)
  }

  private let transport: any FetchTransport
  private let clock: any Clock
  private let isBackedUp: @Sendable () -> Bool
  private let post: @Sendable (@escaping OwnLoop.Message) -> Void
  private var running: [TransferID: Running] = [:]
  /// The transfers that the next turn begins.
  private var toBegin: [TransferID] = []
  /// The transfers that the next turn ends.
  private var toStop: [TransferID] = []
  /// The calls to make when there is room, or nothing is wanted any more.
  private var waiting: [(id: TransferID, go: @Sendable () -> Void)] = []
  private var alarms = Timers<Alarm>()
  weak var client: (any TransportClient)?

  /// The length above which a body is broken off if only a short one is useful.
  private static let shortBody: Int64 = 64 << 10

  init(
    _ transport: any FetchTransport, clock: any Clock, isBackedUp: @escaping @Sendable () -> Bool,
    post: @escaping @Sendable (@escaping OwnLoop.Message) -> Void
  ) {
    self.transport = transport
    self.clock = clock
    self.isBackedUp = isBackedUp
    self.post = post
  }

  var hasWork: Bool { !toBegin.isEmpty || !toStop.isEmpty }

  func start(_ request: TransferRequest) {
    let id = request.id
    let answer = TransportAnswer { [post] event in post { transfers, _ in transfers.take(event, of: id) } }
    running[id] = Running(request: request, answer: answer, deadlines: TransferDeadlines(request, at: clock.now()))
    toBegin.append(id)
  }

  func cancel(_ id: TransferID) { running.removeValue(forKey: id)?.answer.finish(isCancelled: true) }
  func stop(_ id: TransferID) { toStop.append(id) }
  func resumeReceiving() { goOn() }

  /// Does the due work. Returns the time of the next turn.
  func turn(at now: Instant) -> Instant? {
    let (begun, stopped) = (toBegin, toStop)
    (toBegin, toStop) = ([], [])
    for id in begun { begin(id, at: now) }
    for id in stopped { end(id, .stopped, isCancelled: true) }
    while let alarm = alarms.popDue(at: now) { ring(alarm, at: now) }
    goOn()
    return .earlier(client?.turnDidEnd(at: now), alarms.nextDeadline)
  }

  func close() {
    for transfer in running.values { transfer.answer.finish(isCancelled: true) }
    running = [:]
    for (_, go) in waiting { go() }
    waiting = []
  }

  private func begin(_ id: TransferID, at now: Instant) {
    // Only silence is measured: the transport may take its time to connect.
    running[id]?.deadlines.connected(at: now)
    guard let transfer = running[id] else { return }
    guard transfer.request.upload == nil else {
      return end(
        id, .failed(TransportFailure(.other, "the program's own transport sends no bodies")), isCancelled: false)
    }
    watch(id)
    transport.begin(TransportRequest(transfer.request), transfer.answer)
  }

  private func watch(_ id: TransferID) {
    if let deadline = running[id]?.deadlines.next { alarms.add(.deadline(id), at: deadline) }
  }

  private func ring(_ alarm: Alarm, at now: Instant) {
    switch alarm {
    case .act(let id, let act): if running[id] != nil { act() }
    case .deadline(let id):
      guard let transfer = running[id] else { return }
      guard let expiry = transfer.deadlines.expiry(at: now) else { return watch(id) }
      let hasAnswer = transfer.decision != nil
      let failure: TransportFailure =
        expiry == .overall
        ? .deadline(receivedAnything: hasAnswer) : .stall(transfer.request.stallTimeout, receivedAnything: hasAnswer)
      // The rest of an unwanted body is not awaited.
      let isShort = if case .receiveShort? = transfer.decision { true } else { false }
      end(id, isShort ? .stopped : .failed(failure), isCancelled: true)
    }
  }

  private func goOn() {
    guard !waiting.isEmpty, !isBackedUp() else { return }
    let ready = waiting
    waiting = []
    for (id, go) in ready {
      running[id]?.deadlines.resumed(at: clock.now())
      watch(id)
      go()
    }
  }

  private func take(_ event: TransportAnswer.Event, of id: TransferID) {
    guard running[id] != nil else {
      // A transport that waits has to learn that nothing is wanted any more.
      if case .ready(let go) = event { go() }
      return
    }
    switch event {
    case .head(let status, let fields, let length, let address): takeHead(id, status, fields, length, address)
    case .piece(let bytes): takePiece(id, bytes)
    case .end: takeEnd(id)
    case .failure(let failure):
      let hasAnswer = running[id]?.decision != nil
      end(id, .failed(TransportFailure(failure, receivedAnything: hasAnswer)), isCancelled: false)
    case .ready(let go):
      if isBackedUp() {
        running[id]?.deadlines.paused()
        waiting.append((id, go))
      } else {
        go()
      }
    case .later(let time, let act): alarms.add(.act(id, act), at: clock.now() + time)
    }
  }

  private func takeHead(
    _ id: TransferID, _ status: Int, _ fields: [(name: String, value: String)], _ length: Int64?, _ address: String?
  ) {
    guard let request = running[id]?.request, running[id]?.decision == nil else {
      return end(id, .failed(TransportFailure(.protocolError, "an answer has begun twice")), isCancelled: true)
    }
    let remote = address.flatMap(IPAddress.init(host:))
    if let remote, let objection = request.addressRule.objection(to: remote) {
      return end(id, .failed(TransportFailure(.refusedAddress, objection)), isCancelled: true)
    }
    var head = ResponseHead(status: status, fields: HeaderFields(fields), contentLength: length.map { max(0, $0) })
    head.remoteAddress = remote
    head.isEndTold = true
    running[id]?.length = head.contentLength
    let decision = client?.transfer(id, didReceiveHead: head) ?? .stop
    guard running[id] != nil else { return }
    running[id]?.decision = decision
    running[id]?.deadlines.heard(at: clock.now())
    switch decision {
    case .discard: end(id, .complete, isCancelled: true)
    case .stop: end(id, .stopped, isCancelled: true)
    case .receive, .receiveShort: break
    }
  }

  private func takePiece(_ id: TransferID, _ bytes: [UInt8]) {
    guard let transfer = running[id] else { return }
    guard let decision = transfer.decision else {
      return end(id, .failed(TransportFailure(.protocolError, "a body has come without a head")), isCancelled: true)
    }
    let room = transfer.length.map { $0 - transfer.received } ?? .max
    let piece = bytes.count > room ? Array(bytes.prefix(Int(room))) : bytes
    let received = transfer.received + Int64(piece.count)
    let isShort = if case .receiveShort = decision { true } else { false }
    if isShort, received > Self.shortBody { return end(id, .stopped, isCancelled: true) }
    if piece.isEmpty { return }
    // A body that must arrive quickly gets no extra time for each of its pieces.
    if !isShort { running[id]?.deadlines.heard(at: clock.now()) }
    running[id]?.received = received
    client?.transfer(id, didReceive: piece, isLast: false)
    if running[id] != nil { client?.transfer(id, hasReceived: received) }
  }

  private func takeEnd(_ id: TransferID) {
    guard let transfer = running[id] else { return }
    guard transfer.decision != nil else {
      let lost = TransportFailure(.connect, "the answer ended before its head", isTransient: true)
      return end(id, .failed(lost), isCancelled: false)
    }
    if let length = transfer.length, transfer.received < length {
      let short = TransportFailure(
        .truncated, "the answer was broken off after \(transfer.received) of \(length) bytes", receivedAnything: true,
        isTransient: true)
      return end(id, .failed(short), isCancelled: false)
    }
    client?.transfer(id, didReceive: [], isLast: true)
    end(id, .complete, isCancelled: false)
  }

  private func end(_ id: TransferID, _ end: TransferEnd, isCancelled: Bool) {
    guard let transfer = running.removeValue(forKey: id) else { return }
    transfer.answer.finish(isCancelled: isCancelled)
    client?.transfer(id, didEnd: end)
  }
}

extension TransportFailure {
  fileprivate init(_ failure: TransportAnswer.Failure, receivedAnything: Bool) {
    switch failure {
    case .lost(let reason):
      self.init(
        receivedAnything ? .truncated : .connect, reason, receivedAnything: receivedAnything, isTransient: true)
    case .noHost(let reason): self.init(.name, reason)
    case .insecure(let reason): self.init(.tls, reason)
    case .refused(let reason): self.init(.other, reason, receivedAnything: receivedAnything)
    }
  }
}
