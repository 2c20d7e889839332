/// Answers requests from a table instead of the network, for the tests of programs that use the library. A fetcher that
/// is made with one loads no libcurl and opens no connection; everything else works as usual.
public final class AnswerTable: FetchTransport {
  /// An answer of a server, and the way in which it comes.
  public struct Answer: Sendable {
    /// The HTTP status. The default is 200.
    public var status: Int
    /// The header fields, besides Content-Length. None, by default.
    public var fields: [(name: String, value: String)]
    /// The body. Empty, by default.
    public var body: [UInt8]
    /// True if there is no answer, since the connection is lost. False by default.
    public var isLost = false
    /// True, the default, if the head states the length of the body.
    public var tellsLength = true
    /// The time before the head comes: zero by default.
    public var delay = Duration.zero
    /// The size of the pieces in which the body comes. The default, nil, means that of the network, 64 KB.
    public var pieceSize: Int?
    /// The time between two pieces: zero by default.
    public var pause = Duration.zero
    /// The end of the body. By default, all of it comes.
    public var ending = Ending.whole

    /// The way a body ends.
    public enum Ending: Sendable, Hashable {
      /// All of it comes.
      case whole
      /// The connection is lost after this many bytes of it.
      case brokenOff(after: Int)
      /// Nothing comes after this many bytes of it, until ``AnswerTable/release(_:)``.
      case silent(after: Int)
    }

    /// An answer with a body.
    public init(status: Int = 200, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
      self.status = status
      self.fields = fields
      self.body = body
    }

    /// No answer: the connection is lost before it begins.
    public static var lost: Answer { Answer().with { $0.isLost = true } }

    private func with(_ change: (inout Answer) -> Void) -> Answer {
      var answer = self
      change(&answer)
      return answer
    }

    /// True if not even the head comes before ``AnswerTable/release(_:)``.
    fileprivate var isHeld = false

    /// The same, but no part of it comes before ``AnswerTable/release(_:)``.
    public var held: Answer { with { $0.isHeld = true } }

    /// The same, after that delay.
    public func delayed(by delay: Duration) -> Answer { with { $0.delay = delay } }

    /// The same, in pieces of `size` bytes, with that pause between them.
    public func inPieces(of size: Int, every pause: Duration = .zero) -> Answer {
      with { ($0.pieceSize, $0.pause) = (size, pause) }
    }

    /// The same, but the connection is lost after `count` bytes of the body.
    public func brokenOff(after count: Int) -> Answer { with { $0.ending = .brokenOff(after: count) } }

    /// The same, but after `count` bytes of the body nothing comes before ``AnswerTable/release(_:)``.
    public func silent(after count: Int) -> Answer { with { $0.ending = .silent(after: count) } }

    /// The same, without the length of the body.
    public var withoutLength: Answer { with { $0.tellsLength = false } }
  }

  private struct State {
    var answers: [String: Answer]
    var respond: (@Sendable (TransportRequest) -> Answer?)?
    var requests: [TransportRequest] = []
    /// The answers that continue when a URL is released.
    var held: [String: [@Sendable () -> Void]] = [:]
    /// URLs that were released before anything was held.
    var released: Set<String> = []
  }

  private let state: Guarded<State>

  /// Creates a table of URLs, as they are requested, and their answers. Any other URL is answered with 404.
  public init(_ answers: [String: Answer] = [:]) { state = Guarded(State(answers: answers)) }

  /// Creates a table that calls a closure for each answer, which is 404 if that returns nil. The closure is called on
  /// the fetcher's network thread, and must not block.
  public init(respond: @escaping @Sendable (TransportRequest) -> Answer?) {
    state = Guarded(State(answers: [:], respond: respond))
  }

  /// The answer for a URL, or nil for 404. May be changed at any time. It takes precedence over the closure.
  public subscript(url: String) -> Answer? {
    get { state.withLock { $0.answers[url] } }
    set { state.withLock { $0.answers[url] = newValue } }
  }

  /// The URLs that were requested, in order.
  public var requests: [String] { state.withLock { $0.requests.map(\.url) } }

  /// The requests with their header fields, in order.
  public var sent: [TransportRequest] { state.withLock { $0.requests } }

  /// Continues the answers for a URL that are held, and does not hold further ones.
  public func release(_ url: String) {
    let held = state.withLock { state in
      state.released.insert(url)
      return state.held.removeValue(forKey: url) ?? []
    }
    for go in held { go() }
  }

  /// The size of the network's pieces.
  private static let pieceSize = 64 << 10

  /// Answers a request.
  public func begin(_ request: TransportRequest, _ answer: TransportAnswer) {
    let (known, respond) = state.withLock { state in
      state.requests.append(request)
      return (state.answers[request.url], state.respond)
    }
    let said = known ?? respond?(request) ?? Answer(status: 404)
    let url = request.url
    let start = { @Sendable [self] in
      if said.isHeld { hold(url) { [self] in begin(said, answer, url) } } else { begin(said, answer, url) }
    }
    if said.delay > .zero { answer.after(said.delay, start) } else { start() }
  }

  private func hold(_ url: String, _ go: @escaping @Sendable () -> Void) {
    let isFree = state.withLock { state in
      if state.released.contains(url) { return true }
      state.held[url, default: []].append(go)
      return false
    }
    if isFree { go() }
  }

  private func begin(_ said: Answer, _ answer: TransportAnswer, _ url: String) {
    if said.isLost { return answer.fail(.lost("the connection was lost (from a table)")) }
    answer.head(status: said.status, fields: said.fields, length: said.tellsLength ? Int64(said.body.count) : nil)
    send(said, from: 0, answer, url)
  }

  /// Sends the next piece, and then the rest.
  private func send(_ said: Answer, from start: Int, _ answer: TransportAnswer, _ url: String) {
    let stop =
      switch said.ending {
      case .whole: said.body.count
      case .brokenOff(let count), .silent(let count): min(max(0, count), said.body.count)
      }
    let end = min(stop, start + max(1, said.pieceSize ?? Self.pieceSize))
    if start < end { answer.piece(Array(said.body[start..<end])) }
    if end < stop {
      let next = { @Sendable [self] in send(said, from: end, answer, url) }
      if said.pause > .zero { answer.after(said.pause, next) } else { answer.whenReady(next) }
      return
    }
    switch said.ending {
    case .whole: answer.end()
    case .brokenOff: answer.fail(.lost("the connection was lost after \(end) bytes (from a table)"))
    case .silent:
      var rest = said
      rest.ending = .whole
      hold(url) { [self, rest] in send(rest, from: end, answer, url) }
    }
  }
}
