import ImgfetchCore
import TestSupport
import Testing

/// The transfers while the client's writers lag.
@Suite struct BackPressureTests {
  /// Fetches a body of 2 MB while the client is backed up from the first piece on. Returns how many bytes were
  /// delivered all the same before the client had drained.
  private func receivedWhileBackedUp(_ loop: RecordedLoop, _ url: String, _ body: [UInt8]) throws -> Int {
    loop.records.change { state in
      state.whenPiece = { [records = loop.records] _ in records.change { $0.isBackedUp = true } }
    }
    let id = loop.start(url)
    _ = try loop.wait(for: id) { !$0.pieces.isEmpty }
    // Turns in which the loop could receive.
    for _ in 0..<20 {
      let turns = loop.records.state.withLock { $0.turns }
      loop.loop.post { _ in }
      try loop.waitForTurn(after: turns)
    }
    let received = try loop.wait(for: id) { _ in true }.body.count
    loop.records.change {
      $0.isBackedUp = false
      $0.whenPiece = nil
    }
    loop.loop.post { $0.transport.resumeReceiving() }
    let record = try loop.wait(for: id) { $0.end != nil }
    #expect(record.isComplete)
    #expect(record.body == body)
    return received
  }

  /// No two pieces of it are equal.
  private func body() -> [UInt8] {
    (0..<64).reduce(into: []) { $0 += [UInt8](repeating: $1, count: 32 << 10) + [255 - $1] }
  }

  @Test func aLargeBodyOverHTTP1IsPaused() throws {
    let body = body()
    let server = try TestServer()
    server.serve("/a", .ok(body))
    let received = try receivedWhileBackedUp(try RecordedLoop(), server.url("/a"), body)
    #expect(received <= 256 << 10)
  }

  @Test func overHTTP2NothingIsReceived() throws {
    let body = body()
    let server = try Nginx(serving: TemporaryFolder())
    try server.files.write("a", body)
    var options = NetworkOptions()
    options.caFile = server.certificate.authority
    let received = try receivedWhileBackedUp(try RecordedLoop(options), server.secureURL("/a"), body)
    #expect(received <= 512 << 10)
  }

  @Test func shortBodiesContinueOverHTTP1() throws {
    let server = try TestServer()
    server.serve("/a", [UInt8](repeating: 1, count: 10_000))
    let loop = try RecordedLoop()
    loop.records.change { $0.isBackedUp = true }
    for _ in 0..<3 { #expect(try loop.fetch(server.url("/a")).isComplete) }
  }

  @Test func deadlinesStandStillWhilePaused() throws {
    let body = body()
    let server = try TestServer()
    server.serve("/a", .ok(body))
    let clock = ManualClock()
    let loop = try RecordedLoop(clock: clock)
    loop.records.change { state in
      state.whenPiece = { [records = loop.records] _ in records.change { $0.isBackedUp = true } }
    }
    let id = loop.start(server.url("/a"))
    _ = try loop.wait(for: id) { !$0.pieces.isEmpty }
    for _ in 0..<5 {
      let turns = loop.records.state.withLock { $0.turns }
      clock.advance(.seconds(3600))
      loop.loop.post { _ in }
      try loop.waitForTurn(after: turns)
    }
    #expect(try loop.wait(for: id) { _ in true }.end == nil)
    loop.records.change {
      $0.isBackedUp = false
      $0.whenPiece = nil
    }
    loop.loop.post { $0.transport.resumeReceiving() }
    #expect(try loop.wait(for: id) { $0.end != nil }.body == body)
  }
}
