import ImgfetchCore
import TestSupport
import Testing

/// The decisions of the client while a transfer runs.
@Suite struct TransferControlTests {
  let server: TestServer
  let loop: RecordedLoop

  init() throws {
    server = try TestServer()
    loop = try RecordedLoop()
  }

  private func decide(_ decision: HeadDecision) { loop.records.change { $0.decide = { _ in decision } } }

  @Test func redirectsAreReportedAndNotFollowed() throws {
    server.serve("/a", .redirect(to: "/b"))
    let record = try loop.fetch(server.url("/a"))
    #expect(record.head?.status == 302)
    #expect(record.head?.fields.first("Location") == "/b")
    #expect(server.count("/b") == 0)
  }

  @Test func interimResponsesAreIgnored() throws {
    server.serve("/a", .ok([1]).with("X-Final", "1").after(interim: 103, [("Link", "</x>")], times: 3))
    let record = try loop.fetch(server.url("/a"))
    #expect(record.heads == 1)
    #expect(record.head?.status == 200)
    #expect(record.head?.fields.contains("Link") == false)
    #expect(record.head?.fields.first("X-Final") == "1")
  }

  @Test func trailersAreNotHeaderFields() throws {
    server.serve("/a", .ok([1, 2]).chunked([1], trailer: ["X-Trailer: 1"]))
    let record = try loop.fetch(server.url("/a"))
    #expect(record.isComplete)
    #expect(record.body == [1, 2])
    #expect(record.head?.fields.contains("X-Trailer") == false)
  }

  @Test func aResponseWithoutBodyEnds() throws {
    server.serve("/a", .status(304).with("ETag", "\"1\""))
    let record = try loop.fetch(server.url("/a"))
    #expect(record.isComplete)
    #expect(record.head?.contentLength == nil)
    #expect(record.pieces == [[]])
  }

  @Test func discardingAShortBodyKeepsTheConnection() throws {
    decide(.discard)
    server.serve("/a", .ok([UInt8](repeating: 1, count: 60_000)))
    for _ in 0..<2 {
      let record = try loop.fetch(server.url("/a"))
      #expect(record.isComplete)
      #expect(record.pieces.isEmpty)
    }
    #expect(server.connections == 1)
  }

  @Test func discardingALongBodyAbortsTheTransfer() throws {
    decide(.discard)
    server.serve("/known", .ok([UInt8](repeating: 1, count: 70_000)).stallAfter(0))
    server.serve("/unknown", .ok([]).unframed().endless([UInt8](repeating: 1, count: 1000)))
    for path in ["/known", "/unknown"] {
      let record = try loop.fetch(server.url(path))
      #expect(record.isComplete)
      #expect(record.pieces.isEmpty)
      try server.waitForDepartures(path)
    }
  }

  @Test func aDiscardedBodyMayBeIncomplete() throws {
    decide(.discard)
    server.serve("/a", .redirect(to: "/b").claiming(length: 1000))
    #expect(try loop.fetch(server.url("/a")).isComplete)
  }

  @Test func aBodyThatIsWantedIfShortIsDeliveredWhole() throws {
    decide(.receiveShort)
    let body = [UInt8](repeating: 1, count: 64 << 10)
    server.serve("/a", .ok(body))
    server.serve("/b", .ok(body).chunked([1000]))
    for path in ["/a", "/b"] {
      let record = try loop.fetch(server.url(path))
      #expect(record.isComplete && record.body == body && record.lastMarks == 1, "\(record)")
    }
    #expect(server.connections == 1)
  }

  @Test func aLongBodyThatIsWantedIfShortIsStopped() throws {
    decide(.receiveShort)
    let long = [UInt8](repeating: 1, count: (64 << 10) + 1)
    server.serve("/known", .ok(long).stallAfter(0))
    server.serve("/unknown", .ok([]).unframed().endless([UInt8](repeating: 1, count: 1000)))
    server.serve("/cut", .ok(long.dropLast(2)).chunked([1000]).cutAfter(50_000))
    for path in ["/known", "/unknown", "/cut"] {
      let record = try loop.fetch(server.url(path))
      #expect(record.isStopped && record.pieces.isEmpty, "\(path): \(record)")
    }
  }

  @Test func stoppingAtTheHeadReceivesNothing() throws {
    decide(.stop)
    server.serve("/a", .ok([1]).stallAfter(0))
    let record = try loop.fetch(server.url("/a"))
    #expect(record.isStopped)
    #expect(record.pieces.isEmpty)
    try server.waitForDepartures("/a")
  }

  @Test func theFirstBytesOfASlowBodyAreShown() throws {
    let html = Array("<html>".utf8)
    server.serve("/a", .ok(html + [UInt8](repeating: 32, count: 5000)).stallAfter(6))
    loop.records.change { $0.judge = { $0 != html } }
    let record = try loop.fetch(server.url("/a"))
    #expect(record.isStopped)
    #expect(record.peeks == [html])
    #expect(record.pieces == [html], "what came is counted")
    try server.waitForDepartures("/a")
  }

  @Test func aPeekShowsAKilobyteAtMost() throws {
    let body = [UInt8](repeating: 9, count: 5000)
    server.serve("/a", .ok(body).stallAfter(4000))
    let id = loop.start(server.url("/a"))
    let record = try loop.wait(for: id) { $0.peeks.last?.count == 1024 }
    #expect(record.peeks.allSatisfy { body.starts(with: $0) })
    server.release("/a")
    #expect(try loop.wait(for: id) { $0.end != nil }.body == body)
  }

  @Test func nothingIsReportedAfterCancelling() throws {
    server.serve("/a", .ok([1, 2]).stallAfter(1))
    server.serve("/b", [3])
    let id = loop.start(server.url("/a"))
    _ = try loop.wait(for: id) { !$0.peeks.isEmpty }
    loop.loop.post { $0.transport.cancel(TransferID(number: id)) }
    try server.waitForDepartures("/a")
    #expect(try loop.fetch(server.url("/b")).isComplete)
    let record = try loop.wait(for: id) { _ in true }
    #expect(record.end == nil)
    #expect(record.pieces.isEmpty)
  }

  @Test func stoppingDeliversWhatWasReceived() throws {
    server.serve("/a", .ok([1, 2, 3]).stallAfter(2))
    let id = loop.start(server.url("/a"))
    _ = try loop.wait(for: id) { $0.peeks.last?.count == 2 }
    loop.loop.post { $0.transport.stop(TransferID(number: id)) }
    let record = try loop.wait(for: id) { $0.end != nil }
    #expect(record.isStopped)
    #expect(record.body == [1, 2])
    #expect(record.lastMarks == 0)
  }

  @Test func aTransferThatIsCancelledAtOnceIsNotSent() throws {
    server.serve("/a", [1])
    server.serve("/b", [2])
    let url = server.url("/a")
    loop.loop.post { client in
      let id = TransferID(number: 1000)
      client.transport.start(TransferRequest(id: id, url: url))
      client.transport.cancel(id)
    }
    #expect(try loop.fetch(server.url("/b")).isComplete)
    #expect(server.count("/a") == 0)
  }

  @Test func shuttingDownAbortsTransfersAndReadsNoMoreMessages() throws {
    server.serve("/a", .ok([1, 2]).stallAfter(1))
    let id = loop.start(server.url("/a"))
    try server.waitForRequests("/a", 1)
    loop.loop.shutdown()
    try server.waitForDepartures("/a")
    #expect(loop.records.state.withLock { $0.records[id]?.end } == nil)
    #expect(!loop.loop.post { _ in Issue.record("a message was read after the end") })
  }
}

/// The addresses that may be connected to.
@Suite struct AddressRuleTests {
  @Test func aPrivateAddressIsRefusedBeforeAnythingIsSent() throws {
    let server = try TestServer()
    let loop = try RecordedLoop()
    let record = try loop.fetch(server.url("/a")) { $0.addressRule = .publicOnly }
    #expect(
      record.failure?.kind == .refusedAddress && record.failure?.reason == "its address 127.0.0.1 is not a public one")
    #expect(server.connections == 0)
  }

  @Test func aReusedConnectionIsJudgedToo() throws {
    let server = try TestServer()
    server.onOther { _ in .ok([1]) }
    let loop = try RecordedLoop()
    #expect(try loop.fetch(server.url("/a")).isComplete)
    let refused = try loop.fetch(server.url("/b")) { $0.addressRule = .custom { "\($0) is not wanted" } }
    #expect(refused.failure?.kind == .refusedAddress && refused.failure?.reason == "127.0.0.1 is not wanted")
    #expect(server.requests.map(\.path) == ["/a"])
  }
}
