import TestSupport
import Testing

@testable import ImgfetchCore

@Suite struct HeadReaderTests {
  private func read(_ lines: [String]) -> (HeadReader, [HeadReader.Step]) {
    var reader = HeadReader()
    let steps = lines.map { reader.take(Array($0.utf8).span) }
    return (reader, steps)
  }

  @Test func aHeadEndsWithAnEmptyLine() {
    var (reader, steps) = read(["HTTP/1.0 404 Not Found\r\n", "Content-Length: 12\r\n", "A: b\r\n", "\r\n"])
    #expect(steps == [.more, .more, .more, .head])
    let head = reader.takeHead()
    #expect(head.status == 404)
    #expect(head.httpVersion == .http1_0)
    #expect(head.contentLength == 12)
    #expect(head.fields.first("a") == "b")
  }

  @Test(arguments: [
    ("content-length: 5", 5), ("CONTENT-LENGTH:5", 5), ("Content-Length: -5", nil), ("Content-Length: 5, 5", nil),
    ("Content-Length: 99999999999999999999", Int64.max), ("Content-Length:", nil), ("Content-Lengths: 5", nil),
    ("Content-Length: 9223372036854775807", Int64.max),
  ])
  func aLengthIsBelievedIfItIsANumber(line: String, expected: Int64?) {
    var (reader, _) = read(["HTTP/2 200 \r\n", "\(line)\r\n", "\r\n"])
    let head = reader.takeHead()
    #expect(head.contentLength == expected)
    #expect(head.httpVersion == .http2)
  }

  @Test func aChunkedBodyHasNoLengthWhateverTheHeadSays() {
    var (reader, _) = read(["HTTP/1.1 200 OK", "Content-Length: 5", "Transfer-Encoding: chunked", ""])
    #expect(reader.takeHead().contentLength == nil)
  }

  @Test func aStatusLineStartsOver() {
    var (reader, steps) = read([
      "HTTP/1.1 103 Early\r\n", "A: 1\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "B: 2\r\n", "\r\n",
    ])
    #expect(steps == [.more, .more, .more, .more, .more, .head])
    let head = reader.takeHead()
    #expect(head.fields.map(\.name) == ["B"])
  }

  @Test func aHeadIsInsideUntilItsEmptyLineAlsoAnInterimOne() {
    var reader = HeadReader()
    var states: [String] = []
    for line in [
      "HTTP/1.1 103 Early\r\n", "A: 1\r\n", "\r\n", "HTTP/1.1 102 On\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "\r\n",
    ] {
      _ = reader.take(Array(line.utf8).span)
      states.append("\(reader.isInside) \(reader.interims)")
    }
    #expect(states == ["true 0", "true 0", "false 1", "true 1", "false 2", "true 2", "false 2"])
    _ = reader.take(Array("Trailer: 1\r\n".utf8).span)
    #expect(!reader.isInside)
  }

  @Test func linesAfterAHeadAreIgnored() {
    var (reader, _) = read(["HTTP/1.1 200 OK\r\n", "\r\n", "HTTP/1.1 500 No\r\n", "Trailer: 1\r\n", "\r\n"])
    let head = reader.takeHead()
    #expect(head.status == 200)
    #expect(head.fields.isEmpty)
  }

  @Test func aThousandFieldsAreAcceptedAndNoMore() {
    let fields = (1...1000).map { "F\($0): 1\r\n" }
    var (reader, steps) = read(["HTTP/1.1 200 OK\r\n"] + fields + ["\r\n"])
    #expect(steps.last == .head)
    #expect(reader.takeHead().fields.count == 1000)
    (_, steps) = read(["HTTP/1.1 200 OK\r\n"] + fields + ["One: more\r\n"])
    #expect(steps.last == .failed(.tooMany))
    (_, steps) = read(["HTTP/1.1 200 OK\r\n"] + fields + ["\r\n", "Trailer: 1\r\n"])
    #expect(steps.last == .failed(.tooMany))
    (_, steps) = read(["HTTP/1.1 103 Early\r\n"] + fields + ["\r\n", "HTTP/1.1 200 OK\r\n", "A: 1\r\n"])
    #expect(steps.last == .failed(.tooMany))
  }

  @Test(arguments: ["Cache-Control", "Connection", "Vary", "WWW-Authenticate", "X-Other"])
  func aListHasFourKilobytes(name: String) {
    let line = "\(name): \(String(repeating: "a,", count: 1010))\r\n"
    let (_, steps) = read(["HTTP/1.1 200 OK\r\n", line, line, "\r\n"])
    #expect(steps.last == .head)
    let (_, longer) = read(["HTTP/1.1 200 OK\r\n", line, line, line, "\r\n"])
    #expect(longer.last == (name == "X-Other" ? .head : .failed(.endlessList)))
  }

  @Test func endlessTrailersAreRefused() {
    let trailer = "X: \(String(repeating: "x", count: 1000))\r\n"
    let (_, steps) = read(["HTTP/1.1 200 OK\r\n", "\r\n"] + Array(repeating: trailer, count: 270))
    #expect(steps.last == .failed(.tooLarge))
  }
}

@Suite struct TransferDeadlinesTests {
  private let start = Instant(nanoseconds: 0)
  private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

  private func deadlines(_ deadline: Double? = nil) -> TransferDeadlines {
    var request = TransferRequest(id: TransferID(number: 1), url: "")
    request.connectTimeout = .seconds(10)
    request.stallTimeout = .seconds(15)
    request.deadline = deadline.map { at($0) }
    return TransferDeadlines(request, at: start)
  }

  @Test func connectingAndReceivingHaveSeparateTimeouts() {
    var value = deadlines()
    #expect(value.expiry(at: at(10.4)) == nil)
    #expect(value.expiry(at: at(10.5)) == .connecting)
    value.connected(at: at(9))
    #expect(value.next == at(24))
    #expect(value.expiry(at: at(23.9)) == nil)
    #expect(value.expiry(at: at(24)) == .stalled)
    value.heard(at: at(23))
    #expect(value.expiry(at: at(37.9)) == nil)
  }

  @Test func onlyTheDeadlineRunsWhilePaused() {
    var value = deadlines(100)
    value.connected(at: at(1))
    value.paused()
    #expect(value.next == at(100))
    #expect(value.expiry(at: at(99)) == nil)
    #expect(value.expiry(at: at(100)) == .overall)
    value.resumed(at: at(50))
    #expect(value.expiry(at: at(64.9)) == nil)
    #expect(value.expiry(at: at(65)) == .stalled)
  }
}

@Suite struct RateBudgetTests {
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: 0) + .milliseconds(milliseconds) }

  @Test func receivedBytesArePaidForWithTime() {
    var budget = RateBudget(rate: 1000)
    #expect(budget.notBefore(at: at(0)) == nil)
    budget.spend(500, at: at(0))
    budget.spend(500, at: at(100))
    #expect(budget.notBefore(at: at(999)) == at(1000))
    #expect(budget.notBefore(at: at(1000)) == nil)
    budget.spend(100, at: at(5000))
    #expect(budget.notBefore(at: at(5000)) == at(5100), "idle time is not saved up")
  }

  @Test func withoutARateThereIsNoLimit() {
    var budget = RateBudget(rate: 0)
    budget.spend(.max, at: at(0))
    #expect(budget.notBefore(at: at(0)) == nil)
    budget = RateBudget(rate: 1)
    budget.spend(.max, at: at(0))
    #expect(budget.notBefore(at: at(0)) != nil)
  }
}

@Suite struct TransportFailureTests {
  private func failure(
    _ code: UInt32, _ text: String = "", head: Bool = false, error: Int32? = nil, received: Int64 = 0,
    expected: Int64? = nil, refusal: String? = nil, isReused: Bool = false
  ) -> TransportFailure {
    TransportFailure(
      .init(
        code: .init(code), text: text, systemError: error.map(Errno.init(rawValue:)), hasHead: head,
        receivedAnything: head, isConnectionReused: isReused, received: received, expected: expected, refusal: refusal))
  }

  @Test func anAddressWithoutItsInterfaceIsToldWithWhatItNeeds() {
    #expect(failure(7, error: 22).reason.contains("[fe80::1%25eth0]"))
    #expect(failure(7, error: 111).reason == "connection refused")
  }

  @Test func aLostConnectionIsATruncatedBodyOnceAResponseHasBegun() {
    for code: UInt32 in [16, 52, 55, 56, 92] {
      #expect(failure(code).kind == .connect)
      #expect(failure(code, head: true, received: 5, expected: 9).kind == .truncated)
      #expect(failure(code, head: true).isTransient)
    }
    #expect(
      failure(56, head: true, received: 5, expected: 9).reason == "the answer was broken off after 5 of 9 bytes")
    #expect(failure(56, error: 104).reason.contains("connection reset by peer"))
  }

  @Test func invalidHTTPOnAReusedConnectionMayBeTheRestOfAnotherResponse() {
    #expect(failure(1, isReused: true).isTransient)
    #expect(!failure(1).isTransient)
    #expect(!failure(8, head: true, isReused: true).isTransient)
  }

  @Test func certificateFailuresAreNotTransient() {
    let failure = failure(60, "SSL certificate problem: certificate has expired.\n")
    #expect(failure.kind == .tls)
    #expect(failure.reason == "the secure connection failed: SSL certificate problem: certificate has expired")
    #expect(!failure.isTransient)
  }

  @Test(arguments: [
    ("Recv failure: Connection reset by peer", "connection reset by peer"),
    ("OpenSSL SSL_connect: Connection reset by peer in connection to a.test:443 ", "connection reset by peer"),
    ("Send failure: Broken pipe", "broken pipe"),
    ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a.test:443 ", "the server closed it"),
    ("TLS connect error: error:0A000126:SSL routines::unexpected eof while reading", "the server closed it"),
  ])
  func aConnectionThatIsLostWithinTheHandshakeIsAskedForAgain(_ text: String, _ loss: String) {
    let failure = failure(35, text)
    #expect(failure.kind == .connect && failure.isTransient && failure.isSilence)
    #expect(failure.reason == "the connection was lost within the TLS handshake (\(loss))")
    let refusal = self.failure(35, "OpenSSL/3.0.19: error:0A000410:SSL routines::sslv3 alert handshake failure")
    #expect(refusal.kind == .tls && !refusal.isTransient)
  }

  @Test(arguments: [35, 55, 56] as [UInt32])
  func aServerThatWantsACertificateIsNotAskedAgainWithoutOne(_ code: UInt32) {
    let text =
      "OpenSSL SSL_read: OpenSSL/3.0.19: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
    let failure = failure(code, text)
    #expect(failure.kind == .tls && !failure.isTransient)
    #expect(failure.cause == .wantsCertificate)
    #expect(self.failure(code, "OpenSSL SSL_read: Connection reset by peer, errno 104").cause == nil)
  }

  @Test(arguments: [
    ("http://u:p@proxy.test:3128/", "proxy.test:3128"), ("proxy.test", "proxy.test:1080"),
    ("https://proxy.test", "proxy.test:443"), ("socks5h://[::1]:9050", "[::1]:9050"), ("[::1]", "[::1]:1080"),
  ])
  func aProxyIsNamedByItsPlace(_ url: String, _ place: String) { #expect(ProxyAddress(url)?.description == place) }

  @Test func aRefusedAddressIsNotAFailureToConnect() {
    #expect(failure(7, refusal: "because").kind == .refusedAddress)
    #expect(failure(42, refusal: "because").reason == "because")
    #expect(failure(60, refusal: "because").kind == .tls, "another address of the same name failed by itself")
  }

  @Test func aRefusingProxyIsNamed() {
    let failure = failure(56, "CONNECT tunnel failed, response 403")
    #expect(failure.kind == .connect)
    #expect(failure.reason == "the proxy refused: CONNECT tunnel failed, response 403")
  }

  @Test func anErrorWithoutTextIsDescribedByItsNumber() {
    #expect(failure(99).reason == "libcurl gave up with its code 99")
    #expect(failure(99).kind == .other)
  }
}

@Suite struct MailboxTests {
  @Test func aBurstWakesOnce() {
    let mailbox = Mailbox<Int>()
    let wakes = Guarded(0)
    mailbox.sleep(waker: { wakes.withLock { $0 += 1 } }) {
      for number in 1...5 { #expect(mailbox.post(number)) }
    }
    #expect(wakes.withLock { $0 } == 1)
    #expect(mailbox.take().messages == [1, 2, 3, 4, 5])
  }

  @Test func aMailboxWithMessagesDoesNotSleep() {
    let mailbox = Mailbox<Int>()
    _ = mailbox.post(1)
    mailbox.sleep(waker: {}) { Issue.record("slept over a message") }
    mailbox.wait(until: nil)
    #expect(mailbox.take().messages == [1])
  }

  @Test func aClosedMailboxIsReadToItsEndAndAcceptsNothing() {
    let mailbox = Mailbox<Int>()
    _ = mailbox.post(1)
    mailbox.close()
    #expect(!mailbox.post(2))
    let (messages, isLast) = mailbox.take()
    #expect(messages == [1])
    #expect(isLast)
  }

  @Test func anEmptyMailboxIsWaitedForUntilTheDeadline() {
    Mailbox<Int>().wait(until: SystemClock().now())
  }
}

@Suite struct TrustStoreTests {
  @Test func aHashedFolderIsRecognisedByItsNames() {
    #expect(TrustStore.isHashedName("002c0b4f.0"))
    for name in ["002c0b4f.1", "002C0B4F.0", "GlobalSign.pem", "002c0b4.0", ""] {
      #expect(!TrustStore.isHashedName(name))
    }
  }
}
