import ImgfetchCore
import TestSupport
import Testing

@Suite("A transport of one's own") struct FetchTransportTests {
  /// Keeps what it is to answer, and says nothing.
  private final class SilentTransport: FetchTransport {
    let answers = Guarded<[TransportAnswer]>([])

    func begin(_ request: TransportRequest, _ answer: TransportAnswer) {
      answers.withLock { $0.append(answer) }
      answers.broadcast()
    }
  }

  @Test("One that waits for room goes on when its request is over, however late it asks", arguments: [false, true])
  func room(asksLate: Bool) throws {
    let transport = SilentTransport()
    let fetcher = Fetcher(transport: transport)
    let number = fetcher.submit(try FetchRequest(url: "http://a.test/a.jpg")) { _ in }
    fetcher.kick()
    let answer = try #require(transport.answers.wait(until: SystemClock().now() + Patience.long) { $0.first })
    let calls = Guarded(0)
    let go: @Sendable () -> Void = {
      calls.withLock { $0 += 1 }
      calls.broadcast()
    }
    if !asksLate { answer.whenReady(go) }
    fetcher.cancel(number)
    fetcher.wait()
    fetcher.close()
    if asksLate { answer.whenReady(go) }
    _ = calls.wait(until: SystemClock().now() + Patience.long) { $0 > 0 ? true : nil }
    #expect(calls.withLock { $0 } == 1)
  }

  /// Sends a head, and then the same piece a hundred times, every 20 ms, as long as its request is not over.
  private final class SlowTransport: FetchTransport {
    static let most = 100
    let status: Int
    let piece: [UInt8]
    let sent = Guarded(0)

    init(status: Int, piece: [UInt8]) { (self.status, self.piece) = (status, piece) }

    func begin(_ request: TransportRequest, _ answer: TransportAnswer) {
      answer.head(status: status)
      goOn(answer)
    }

    private func goOn(_ answer: TransportAnswer) {
      answer.after(.milliseconds(20)) { [self] in
        let count = sent.withLock { count in
          count += 1
          return count
        }
        if count == Self.most { return answer.end() }
        answer.piece(piece)
        goOn(answer)
      }
    }
  }

  @Test(
    "One that waits without a byte is silent, and the page of an error gets no time for each of its bytes",
    arguments: [(200, "", FetchError.Kind.timeout), (404, " ", .http)])
  func silence(status: Int, piece: String, kind: FetchError.Kind) throws {
    let transport = SlowTransport(status: status, piece: Array(piece.utf8))
    var configuration = Fetcher.Configuration()
    configuration.retries = 0
    configuration.stallTimeout = .milliseconds(200)
    let fetcher = Fetcher(configuration, transport: transport)
    var request = try FetchRequest(url: "http://a.test/a.jpg")
    request.options.policy = .http
    let error = Guarded<FetchError?>(nil)
    fetcher.submit(request) { result in error.withLock { $0 = result.error } }
    fetcher.wait()
    fetcher.close()
    #expect(error.withLock { $0?.kind } == kind)
    #expect(transport.sent.withLock { $0 } < SlowTransport.most)
  }
}
