import ImgfetchCore
import TestSupport
import Testing

@Suite struct NetworkLoopTests {
  let server: TestServer
  let loop: RecordedLoop

  init() throws {
    server = try TestServer()
    loop = try RecordedLoop()
  }

  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

  @Test func aShortBodyIsDeliveredWholeAndOnce() throws {
    let body = bytes(10_000)
    server.serve("/a", .ok(body, type: "image/jpeg"))
    let record = try loop.fetch(server.url("/a"))
    #expect(record.isComplete)
    #expect(record.head?.status == 200)
    #expect(record.head?.httpVersion == .http1_1)
    #expect(record.head?.contentLength == 10_000)
    #expect(record.head?.fields.first("content-type") == "image/jpeg")
    #expect(record.head?.remoteAddress == IPAddress(host: "127.0.0.1"))
    #expect(record.pieces == [body])
    #expect(record.lastMarks == 1)
    #expect(record.ends == 1)
  }

  @Test(arguments: [0, 1, 65_536, 65_537, 81_920, 1_000_000])
  func aBodyOfAnySizeArrivesAsItWasSent(size: Int) throws {
    let body = bytes(size)
    server.serve("/length", .ok(body))
    server.serve("/chunked", .ok(body).chunked([1, 5000]))
    server.serve("/closed", .ok(body).withoutLength())
    for path in ["/length", "/chunked", "/closed"] {
      let record = try loop.fetch(server.url(path))
      #expect(record.isComplete, "\(path)")
      #expect(record.body == body, "\(path)")
      #expect(record.lastMarks == 1, "\(path)")
      if size <= 65_536 { #expect(record.pieces.count == 1, "\(path)") }
      #expect(record.pieces.allSatisfy { $0.count <= 81_920 }, "\(path)")
    }
  }

  @Test func connectionsAreReused() throws {
    server.serve("/a", [1, 2, 3])
    #expect(try loop.fetch(server.url("/a")).head?.isConnectionReused == false)
    #expect(try loop.fetch(server.url("/a")).head?.isConnectionReused == true)
    #expect(server.connections == 1)
  }

  @Test func bytesAreCountedAsTheyArrive() throws {
    server.serve("/a", .ok(bytes(10_000)).stallAfter(5000))
    let id = loop.start(server.url("/a"))
    #expect(try loop.wait(for: id) { $0.received == 5000 }.pieces.isEmpty)
    server.release("/a")
    #expect(try loop.wait(for: id) { $0.end != nil }.received == 10_000)
  }

  @Test func aSlowResponseDelaysNoOther() throws {
    server.serve("/slow", .ok(bytes(10_000)).stallAfter(5000))
    server.serve("/fast", [1, 2, 3])
    let slow = loop.start(server.url("/slow"))
    #expect(try loop.fetch(server.url("/fast")).isComplete)
    server.release("/slow")
    #expect(try loop.wait(for: slow) { $0.end != nil }.isComplete)
  }

  @Test func aHundredTransfersAtOnce() throws {
    server.onOther { request in .ok(Array(request.path.utf8)) }
    let numbers = (1...100).map { loop.start(server.url("/\($0)")) }
    for number in numbers {
      let record = try loop.wait(for: number) { $0.end != nil }
      #expect(record.isComplete)
      #expect(record.body == Array("/\(number)".utf8))
    }
  }
}
