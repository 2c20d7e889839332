import TestSupport
import Testing

@testable import ImgfetchCore

/// Waiting for another process that has the same key: its bounds, and the next step.
@Suite("Waiting for another process") struct WaitingTests {
  private let image = TestImages.jpeg(width: 20, height: 10)
  private let url = "http://a.example/a.jpg"

  @Test("Takes no longer than the run's maximum, though the other one never ends")
  func maximumTime() throws {
    let fixture = try CacheFixture()
    let other = try fixture.another().claimPart(CacheKey(url: url), after: .missed)
    #expect(other.part != nil)
    let stage = StagedPipeline(disk: fixture.cache) { $0.maximumTime = .seconds(10) }
    defer { stage.close() }
    try stage.submit(url) { $0.options.policy = .age }
    // Until the waiting has an alarm: the one that looks again.
    stage.drive(until: { stage.isWaiting })
    stage.clock.advance(.seconds(10))
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results.first?.error?.kind == .timeout)
    #expect(stage.transport.started.isEmpty)
    withExtendedLifetime(other) {}
  }

  @Test("Ends with its turn, when the other one gave up")
  func itsTurn() throws {
    let fixture = try CacheFixture()
    let other = try fixture.another().claimPart(CacheKey(url: url), after: .missed)
    let stage = StagedPipeline(disk: fixture.cache) { $0.maximumTime = .seconds(10) }
    defer { stage.close() }
    stage.transport.respond = { [image] _ in .ok(image) }
    try stage.submit(url) { $0.options.policy = .age }
    stage.drive(until: { stage.isWaiting })
    other.part?.abandon(keepForResume: false)
    stage.clock.advance(.seconds(1))
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results.first?.error == nil)
    #expect(stage.results.first?.attempts == 1)
    // The timer of the wait has no effect.
    stage.clock.advance(.seconds(10))
    stage.drive(until: { true })
    #expect(stage.results.count == 1)
  }
}
