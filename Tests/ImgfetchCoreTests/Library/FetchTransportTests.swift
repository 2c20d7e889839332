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
}
