import TestSupport
import Testing

@testable import ImgfetchCore

/// The time that a request waited for its turn, with invented instants.
@Suite("What a result tells of waiting") struct QueuedTimeTests {
  private let image = TestImages.jpeg(width: 20, height: 10)

  @Test("Until its first request goes out, and no longer: hops and further attempts are its own time")
  func waiting() throws {
    let stage = StagedPipeline { $0.admission.jobs = 1 }
    defer { stage.close() }
    let transport = stage.transport
    try stage.submit("http://a.example/1.jpg")
    stage.drive(until: { transport.open.count == 1 })
    try stage.submit("http://b.example/2.jpg")
    stage.clock.advance(.milliseconds(40))
    transport.answer(try #require(transport.open("http://a.example/1.jpg")), with: .ok(image))
    stage.drive(until: { transport.open.count == 1 && stage.results.count == 1 })
    stage.clock.advance(.milliseconds(7))
    transport.answer(
      try #require(transport.open("http://b.example/2.jpg")), with: .status(302, [(name: "Location", value: "/3.jpg")]))
    stage.drive(until: { transport.open.count == 1 })
    stage.clock.advance(.milliseconds(3))
    transport.answer(try #require(transport.open("http://b.example/3.jpg")), with: .ok(image))
    stage.drive(until: { stage.results.count == 2 })
    #expect(stage.results.map(\.error) == [nil, nil])
    #expect(stage.results.map(\.queuedMilliseconds) == [0, 40])
    #expect(stage.results.map(\.elapsedMilliseconds) == [40, 50])
  }

  @Test("Who joins a download that is under way does not wait")
  func joining() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    let transport = stage.transport
    try stage.submit("http://a.example/1.jpg")
    stage.drive(until: { transport.open.count == 1 })
    stage.clock.advance(.milliseconds(5))
    try stage.submit("http://a.example/1.jpg")
    stage.clock.advance(.milliseconds(5))
    transport.answer(try #require(transport.open("http://a.example/1.jpg")), with: .ok(image))
    stage.drive(until: { stage.results.count == 2 })
    #expect(stage.results.map(\.queuedMilliseconds) == [0, 0])
    #expect(stage.results.map(\.elapsedMilliseconds) == [10, 5])
  }

  @Test("What is broken off before any request has only waited")
  func brokenOff() throws {
    let stage = StagedPipeline { $0.admission.jobs = 1 }
    defer { stage.close() }
    try stage.submit("http://a.example/1.jpg")
    stage.drive(until: { stage.transport.open.count == 1 })
    try stage.submit("http://b.example/2.jpg")
    stage.clock.advance(.milliseconds(30))
    stage.pipeline?.cancelAll()
    stage.drive(until: { stage.results.count == 2 })
    let second = try #require(stage.results.first { $0.url == "http://b.example/2.jpg" })
    #expect(second.error?.kind == .cancelled)
    #expect(second.queuedMilliseconds == 30)
    #expect(second.elapsedMilliseconds == 30)
  }
}
