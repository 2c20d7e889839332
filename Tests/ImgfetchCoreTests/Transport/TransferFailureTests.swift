import ImgfetchCore
import TestSupport
import Testing

/// The reports of failed transfers.
@Suite struct TransferFailureTests {
  let server: TestServer
  let loop: RecordedLoop
  private let body = [UInt8](repeating: 7, count: 200_000)

  init() throws {
    server = try TestServer()
    loop = try RecordedLoop()
  }

  @Test func aRefusedConnection() throws {
    let socket = try ListeningSocket(listens: false)
    let failure = try loop.fetch("http://\(socket.address.host):\(socket.address.port)/").failure
    #expect(failure?.kind == .connect && failure?.reason == "connection refused" && failure?.isTransient == true)
  }

  @Test func aNameThatDoesNotExist() throws {
    // No label may be this long, which the resolver knows without a query.
    let failure = try loop.fetch("http://\(String(repeating: "a", count: 64)).test/").failure
    #expect(
      failure?.kind == .name && failure?.reason == "the host name could not be resolved"
        && failure?.isTransient == false)
  }

  @Test func noResponse() throws {
    server.serve("/a", .nothing)
    let failure = try loop.fetch(server.url("/a")).failure
    #expect(failure?.kind == .connect)
    #expect(failure?.reason == "the server closed the connection without an answer")
    #expect(failure?.isTransient == true)
    #expect(failure?.receivedAnything == false)
  }

  @Test(arguments: [0, 1, 100_000])
  func aBodyThatIsCutHandsOverWhatCame(count: Int) throws {
    server.serve("/a", .ok(body).cutAfter(count))
    let record = try loop.fetch(server.url("/a"))
    #expect(record.failure?.kind == .truncated)
    #expect(record.failure?.reason == "the answer was broken off after \(count) of 200000 bytes")
    #expect(record.failure?.isTransient == true)
    #expect(record.body == Array(body.prefix(count)))
    #expect(record.lastMarks == 0)
  }

  @Test func aResetConnectionIsATruncatedBody() throws {
    server.serve("/a", .ok(body).resetAfter(10_000))
    let record = try loop.fetch(server.url("/a"))
    #expect(record.failure?.kind == .truncated)
    #expect(record.failure?.isTransient == true)
    #expect(record.failure?.receivedAnything == true)
  }

  @Test func chunksWithoutAnEndAreATruncatedBody() throws {
    server.serve("/a", .ok(body).chunked([1000]).cutAfter(50_000))
    let record = try loop.fetch(server.url("/a"))
    #expect(record.failure?.kind == .truncated)
    #expect(record.failure?.reason == "the answer was broken off after 50000 bytes")
  }

  @Test(arguments: ["hello\r\n\r\n", "HTTP/1.1 999999 Much\r\n\r\n"])
  func whatIsNotHTTP(answer: String) throws {
    server.serve("/a", .raw(answer))
    let failure = try loop.fetch(server.url("/a")).failure
    #expect(failure?.kind == .protocolError)
    #expect(failure?.isTransient == false)
  }

  @Test func anEndlessHeaderIsRefused() throws {
    server.serve(
      "/a", .raw("HTTP/1.1 200 OK\r\n").endless(Array("X-Filler: \(String(repeating: "x", count: 900))\r\n".utf8)))
    let failure = try loop.fetch(server.url("/a")).failure
    #expect(
      failure
        == TransportFailure(.limit, "the answer is refused: its header is larger than 256 KiB", receivedAnything: true))
  }

  @Test func endlessInterimResponsesAreRefused() throws {
    server.serve("/a", .ok([1]).after(interim: 103, [("Link", String(repeating: "x", count: 900))], times: 400))
    #expect(try loop.fetch(server.url("/a")).failure?.kind == .limit)
  }

  @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "http://"])
  func otherSchemesAreRefused(url: String) throws {
    let failure = try loop.fetch(url).failure
    #expect(failure != nil)
    #expect(failure?.isTransient == false)
  }

  @Test(arguments: [("X-A", "1\r\nX-B: 2"), ("X A", "1"), ("", "1"), ("X-A", "\u{0}")])
  func aFieldThatWouldBreakOutOfItsLineIsNotSent(name: String, value: String) throws {
    server.serve("/a", [1])
    let record = try loop.fetch(server.url("/a")) { $0.fields = [(name, value)] }
    #expect(record.failure?.kind == .refusedRequest)
    #expect(server.count("/a") == 0)
  }
}

/// Timeouts, with a clock that the test advances.
@Suite struct TransferTimeTests {
  let server: TestServer
  let clock = ManualClock()
  let loop: RecordedLoop

  init() throws {
    server = try TestServer()
    loop = try RecordedLoop(clock: clock)
  }

  /// Advances the clock and has the loop look at it.
  private func advance(_ seconds: Double) {
    clock.advance(.seconds(seconds))
    loop.loop.post { _ in }
  }

  @Test func aSilentServer() throws {
    server.serve("/a", .ok([1]).held(by: Gate()))
    let id = loop.start(server.url("/a"))
    try server.waitForRequests("/a", 1)
    advance(15)
    let record = try loop.wait(for: id) { $0.end != nil }
    #expect(record.failure == TransportFailure(.timeout, "no answer came for 15 s", isTransient: true))
    try server.waitForDepartures("/a")
  }

  @Test func aBodyThatMustBeShortGetsNoExtraTimePerByte() throws {
    loop.records.change { $0.decide = { _ in .receiveShort } }
    let gate = Gate()
    server.serve("/a", .ok([UInt8](repeating: 1, count: 5000)).trickle([(1000, gate)]).stallAfter(2000))
    let id = loop.start(server.url("/a")) { $0.stallTimeout = .seconds(2.5) }
    _ = try loop.wait(for: id) { $0.received == 1000 }
    advance(2)
    gate.open()
    _ = try loop.wait(for: id) { $0.received == 2000 }
    advance(0.5)
    #expect(try loop.wait(for: id) { $0.end != nil }.isStopped)
  }

  @Test func aServerThatFallsSilentDuringTheBody() throws {
    server.serve("/a", .ok([UInt8](repeating: 1, count: 5000)).stallAfter(1000))
    let id = loop.start(server.url("/a")) { $0.stallTimeout = .seconds(2.5) }
    _ = try loop.wait(for: id) { !$0.peeks.isEmpty }
    advance(2.4)
    #expect(try loop.wait(for: id) { _ in true }.end == nil)
    advance(0.1)
    let record = try loop.wait(for: id) { $0.end != nil }
    #expect(record.failure?.kind == .timeout)
    #expect(record.failure?.reason == "nothing more came for 2.5 s")
    #expect(record.failure?.receivedAnything == true)
    #expect(record.body.count == 1000, "what came is handed over")
  }

  @Test func aChunkWhoseExtensionNeverEndsIsSilence() throws {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n5;"
    server.serve("/a", .raw(head).endless(Array("extension=1;".utf8)))
    let id = loop.start(server.url("/a"))
    _ = try loop.wait(for: id) { !$0.peeks.isEmpty }
    advance(15)
    #expect(try loop.wait(for: id) { $0.end != nil }.failure?.kind == .timeout)
  }

  @Test func anOccasionalByteIsEnough() throws {
    let gates = (1...4).map { (offset: $0 * 10, gate: Gate()) }
    server.serve("/a", .ok([UInt8](repeating: 1, count: 50)).trickle(gates))
    let id = loop.start(server.url("/a"))
    for (number, gate) in gates.enumerated() {
      _ = try loop.wait(for: id) { ($0.peeks.last?.count ?? 0) == (number + 1) * 10 }
      advance(14)
      gate.gate.open()
    }
    #expect(try loop.wait(for: id) { $0.end != nil }.isComplete)
  }

  @Test func theDeadlineEndsEvenABusyTransfer() throws {
    server.serve("/a", .ok([UInt8](repeating: 1, count: 50)).stallAfter(10))
    let id = loop.start(server.url("/a")) { $0.deadline = clock.now() + .seconds(5) }
    _ = try loop.wait(for: id) { !$0.peeks.isEmpty }
    advance(5)
    let failure = try loop.wait(for: id) { $0.end != nil }.failure
    #expect(failure?.kind == .timeout)
    #expect(failure?.isTransient == false)
  }

  @Test func aConnectionThatIsNeverEstablished() throws {
    // The kernel accepts it, but no server answers its TLS handshake.
    let socket = try ListeningSocket()
    let id = loop.start("https://\(socket.address.host):\(socket.address.port)/") { $0.connectTimeout = .seconds(9) }
    try loop.waitForTurn(after: 0)
    advance(9.5)
    let failure = try #require(try loop.wait(for: id) { $0.end != nil }.failure)
    // The message depends on whether libcurl had noticed the kernel's answer by then.
    let isNoticed = failure.cause == .plainServer
    let reason =
      isNoticed
      ? "the server accepts connections there, but did not begin TLS within 9 s" : "no connection within 9 s"
    #expect(
      failure == TransportFailure(.timeout, reason, isTransient: true, cause: isNoticed ? .plainServer : nil))
  }

  @Test func theRateLimitHoldsForTheRun() throws {
    let server = self.server
    server.serve("/a", [UInt8](repeating: 1, count: 20_000))
    var options = NetworkOptions()
    options.limitRate = 10_000
    let loop = try RecordedLoop(options, clock: clock)
    let start = clock.now()
    let first = loop.start(server.url("/a"))
    let second = loop.start(server.url("/a"))
    for id in [first, second] {
      while loop.records.state.withLock({ $0.records[id]?.end == nil }) {
        let turns = loop.records.state.withLock { $0.turns }
        clock.advance(.milliseconds(10))
        loop.loop.post { _ in }
        try loop.waitForTurn(after: turns)
      }
      #expect(try loop.wait(for: id) { $0.end != nil }.isComplete)
    }
    let took = clock.now() - start
    // The last piece, of a tenth of a second, is received before its time has passed.
    #expect(took > .seconds(3.7), "40,000 bytes took \(took.seconds) s")
  }
}
