/// Answers requests from a table in the place of the network, for the tests of programs that use the library. A fetcher that is made with
/// one loads no libcurl and opens no connection; everything else works as ever.
public final class AnswerTable: Sendable {
  /// What a server says.
  public struct Answer: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The header fields, besides Content-Length.
    public var fields: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]
    /// Whether there is no answer: the connection is lost.
    public var isLost = false

    /// An answer with a body.
    public init(status: Int = 200, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
      self.status = status
      self.fields = fields
      self.body = body
    }

    /// No answer: the connection is lost before it begins.
    public static var lost: Answer {
      var answer = Answer()
      answer.isLost = true
      return answer
    }
  }

  private struct State {
    var answers: [String: Answer]
    var requests: [String] = []
  }

  private let state: Guarded<State>

  /// Creates a table of URLs, as they are requested, and their answers. Other URLs are answered with 404.
  public init(_ answers: [String: Answer] = [:]) { state = Guarded(State(answers: answers)) }

  /// The answer for a URL; nil: 404. May be changed at any time.
  public subscript(url: String) -> Answer? {
    get { state.withLock { $0.answers[url] } }
    set { state.withLock { $0.answers[url] = newValue } }
  }

  /// The URLs that were requested, in order.
  public var requests: [String] { state.withLock { $0.requests } }

  func answer(_ url: String) -> Answer {
    state.withLock { state in
      state.requests.append(url)
      return state.answers[url] ?? Answer(status: 404)
    }
  }
}

/// A transport that answers each request in the turn after it was started.
private final class TableTransport: Transport {
  private let table: AnswerTable
  private var waiting: [TransferRequest] = []
  private var running: Set<TransferID> = []
  private var toStop: [TransferID] = []
  weak var client: (any TransportClient)?

  init(_ table: AnswerTable) { self.table = table }

  func start(_ request: TransferRequest) {
    waiting.append(request)
    running.insert(request.id)
  }

  func cancel(_ id: TransferID) { running.remove(id) }
  func stop(_ id: TransferID) { toStop.append(id) }
  func resumeReceiving() {}

  var hasWork: Bool { !waiting.isEmpty || !toStop.isEmpty }

  /// When the next turn is wanted.
  func turn(at now: Instant) -> Instant? {
    let (requests, ids) = (waiting, toStop)
    (waiting, toStop) = ([], [])
    for request in requests where running.contains(request.id) { answer(request.id, table.answer(request.url)) }
    for id in ids { end(id, .stopped) }
    return client?.turnDidEnd(at: now)
  }

  /// As large as the pieces in which libcurl's transport delivers bodies.
  private static let pieceSize = 64 << 10

  private func answer(_ id: TransferID, _ answer: AnswerTable.Answer) {
    if answer.isLost {
      return end(id, .failed(TransportFailure(.connect, "the connection was lost (from a table)", isTransient: true)))
    }
    let head = ResponseHead(
      status: answer.status, fields: HeaderFields(answer.fields), contentLength: Int64(answer.body.count))
    let decision = client?.transfer(id, didReceiveHead: head)
    guard running.contains(id), let decision else { return }
    switch decision {
    case .discard: return end(id, .complete)
    case .stop: return end(id, .stopped)
    case .receiveShort where answer.body.count > Self.pieceSize: return end(id, .stopped)
    case .receive, .receiveShort: break
    }
    var start = 0
    repeat {
      let next = min(answer.body.count, start + Self.pieceSize)
      guard running.contains(id) else { return }
      client?.transfer(id, didReceive: Array(answer.body[start..<next]), isLast: next == answer.body.count)
      start = next
    } while start < answer.body.count
    end(id, .complete)
  }

  private func end(_ id: TransferID, _ end: TransferEnd) {
    if running.remove(id) != nil { client?.transfer(id, didEnd: end) }
  }
}

/// The network's thread without a network.
final class TableLoop: Loop {
  private let mailbox = Mailbox<@Sendable (NetworkStage) -> Void>()
  private let thread: Threads.Handle
  private let isJoined = Guarded(false)

  init(
    _ table: AnswerTable, clock: any Clock, makeClient: @escaping @Sendable (any Transport) -> NetworkStage
  ) throws(TransportFailure) {
    let mailbox = mailbox
    do {
      thread = try Threads.start(name: "imgfetch-net") {
        let transport = TableTransport(table)
        let client = makeClient(transport)
        transport.client = client
        while true {
          let (messages, isLast) = mailbox.take()
          for message in messages { message(client) }
          if isLast { break }
          let deadline = transport.turn(at: clock.now())
          if !transport.hasWork { mailbox.wait(until: deadline) }
        }
      }
    } catch { throw TransportFailure(.other, "a thread cannot be started: \(error)") }
  }

  func post(_ work: @escaping @Sendable (NetworkStage) -> Void) -> Bool { mailbox.post(work) }

  func shutdown() {
    mailbox.close()
    isJoined.withLock { isJoined in
      if !isJoined { thread.join() }
      isJoined = true
    }
  }
}
