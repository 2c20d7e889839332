import ImgfetchCore

/// A transport without network, threads or time: a test decides the answers, and their times.
///
/// Like the network loop it tells its client nothing from inside `start`, `cancel` and `stop`: their effects are
/// reported in the next ``turn(at:)``. It belongs to the thread that the test drives its client on.
package final class FakeTransport: Transport {
  /// The answer to a request.
  package struct Answer: Sendable {
    /// Nil: it fails before an answer begins.
    package var head: ResponseHead?
    /// The parts of the body, as they are handed over.
    package var pieces: [[UInt8]] = []
    package var end = TransferEnd.complete

    package init(head: ResponseHead?, pieces: [[UInt8]] = [], end: TransferEnd = .complete) {
      self.head = head
      self.pieces = pieces
      self.end = end
    }

    package static func ok(_ body: [UInt8], _ fields: [(name: String, value: String)] = []) -> Answer {
      .status(200, fields, body)
    }

    package static func status(
      _ status: Int, _ fields: [(name: String, value: String)] = [], _ body: [UInt8] = []
    ) -> Answer {
      let head = ResponseHead(status: status, fields: HeaderFields(fields), contentLength: Int64(body.count))
      return Answer(head: head, pieces: [body])
    }

    package static func failed(_ kind: TransportFailure.Kind, isTransient: Bool = true) -> Answer {
      Answer(head: nil, end: .failed(TransportFailure(kind, "it failed", isTransient: isTransient)))
    }

    /// The same answer, broken off after `count` bytes of its body.
    package func brokenOff(after count: Int) -> Answer {
      var answer = self
      let body = Array(pieces.joined())
      answer.head?.contentLength = Int64(body.count)
      answer.pieces = count == 0 ? [] : [Array(body.prefix(count))]
      answer.end = .failed(
        TransportFailure(
          .truncated, "the answer was broken off after \(count) bytes", receivedAnything: true, isTransient: true))
      return answer
    }
  }

  /// The client that is told of events. Weak, as the client holds its transport.
  package weak var client: (any TransportClient)?
  /// All requests that were started, in order.
  package private(set) var started: [TransferRequest] = []
  package private(set) var cancelled: [TransferID] = []
  package private(set) var stopped: [TransferID] = []
  package private(set) var resumptions = 0
  /// Answers requests in the turn after they were started; a request without an answer waits for
  /// ``answer(_:with:)`` or ``fail(_:_:)``.
  package var respond: (TransferRequest) -> Answer? = { _ in nil }

  /// True if names are looked up before requests.
  package var needsAddresses = false

  private var waiting: [TransferRequest] = []
  private var running: Set<TransferID> = []
  private var toStop: [TransferID] = []

  package init() {}

  package func start(_ request: TransferRequest) {
    started.append(request)
    waiting.append(request)
    running.insert(request.id)
  }

  package func cancel(_ id: TransferID) {
    cancelled.append(id)
    running.remove(id)
  }

  package func stop(_ id: TransferID) {
    stopped.append(id)
    toStop.append(id)
  }

  package func resumeReceiving() { resumptions += 1 }

  /// The states of transfers, for requests about them.
  package var readings: (TransferID) -> TransferReading? = { _ in nil }

  package func reading(of id: TransferID) -> TransferReading? { readings(id) }

  /// The transfers that have neither ended nor been cancelled, in the order of their start.
  package var open: [TransferRequest] { started.filter { running.contains($0.id) } }

  /// The latest request for a URL that is still open.
  package func open(_ url: String) -> TransferID? { open.last { $0.url == url }?.id }

  /// Reports the due events and then the end of the turn, as the loop does. Returns the time at which the
  /// client wants to be woken.
  @discardableResult
  package func turn(at now: Instant = Instant(nanoseconds: 0)) -> Instant? {
    let requests = waiting
    let ids = toStop
    (waiting, toStop) = ([], [])
    for request in requests {
      if let answer = respond(request) { self.answer(request.id, with: answer) }
    }
    for id in ids { end(id, .stopped) }
    return client?.turnDidEnd(at: now)
  }

  /// Takes turns until nothing new is started.
  package func run(at now: Instant = Instant(nanoseconds: 0)) {
    repeat { turn(at: now) } while !waiting.isEmpty || !toStop.isEmpty
  }

  /// Tells a whole answer at once.
  package func answer(_ id: TransferID, with answer: Answer) {
    guard running.contains(id) else { return }
    guard let head = answer.head else { return end(id, answer.end) }
    switch tellHead(id, head) {
    case nil: return
    case .discard: return end(id, .complete)
    case .stop: return end(id, .stopped)
    case .receiveShort where answer.pieces.joined().count > 64 << 10: return end(id, .stopped)
    case .receive, .receiveShort: break
    }
    let isWhole = if case .complete = answer.end { true } else { false }
    for (index, piece) in answer.pieces.enumerated() {
      receive(id, piece, isLast: isWhole && index == answer.pieces.count - 1)
    }
    if isWhole, answer.pieces.isEmpty { receive(id, [], isLast: true) }
    end(id, answer.end)
  }

  // The parts of an answer, one by one.

  /// Reports a head. Returns the client's decision, or nil if it cancelled the transfer, or had done so.
  package func tellHead(_ id: TransferID, _ head: ResponseHead) -> HeadDecision? {
    guard running.contains(id) else { return nil }
    let decision = client?.transfer(id, didReceiveHead: head)
    return running.contains(id) ? decision : nil
  }

  package func receive(_ id: TransferID, _ bytes: [UInt8], isLast: Bool = false) {
    if running.contains(id) { client?.transfer(id, didReceive: bytes, isLast: isLast) }
  }

  package func end(_ id: TransferID, _ end: TransferEnd) {
    if running.remove(id) != nil { client?.transfer(id, didEnd: end) }
  }
}
