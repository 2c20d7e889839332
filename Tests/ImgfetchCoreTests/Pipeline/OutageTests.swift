import TestSupport
import Testing

@testable import ImgfetchCore

/// Origins that do not answer, in invented time.
@Suite("Outages: what waits for a dead origin") struct OutageTests {
  private let image = TestImages.jpeg(width: 20, height: 10)

  /// Lets time pass until `count` results are there, of `flights` flights. It begins when all have been looked up.
  private func drive(_ stage: StagedPipeline, to count: Int, of flights: Int) {
    stage.drive(until: { stage.lettersRead >= flights })
    while let wake = stage.drive(until: { stage.results.count >= count || stage.transport.open.isEmpty }),
      stage.results.count < count
    {
      stage.clock.advance(wake - stage.clock.now())
    }
    stage.drive(until: { stage.results.count >= count })
  }

  @Test("All of a list's images of a dead origin fail after few requests, with one reason, and no other image does")
  func list() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    stage.transport.respond = { [image] in $0.url.hasPrefix("http://dead.example/") ? .failed(.timeout) : .ok(image) }
    for number in 0..<100 { try stage.submit("http://dead.example/\(number).jpg") }
    for number in 0..<100 { try stage.submit("http://a.example/\(number).jpg") }
    drive(stage, to: 200, of: 200)
    let dead = stage.results.filter { $0.url.hasPrefix("http://dead.example/") }
    #expect(dead.count == 100 && dead.allSatisfy { $0.error?.kind == .connect && $0.error?.isTransient == true })
    #expect(Set(dead.map { $0.error?.reason }) == ["dead.example does not answer (it failed)"])
    #expect(stage.results.count { $0.error == nil } == 100)
    // Six are under way at once, two of those may fail and be followed by others before the third shows the
    // outage; then three trials.
    #expect(stage.transport.started.count { $0.url.hasPrefix("http://dead.example/") } <= 11)
  }

  @Test("An origin that comes back has all its images")
  func back() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    let transport = stage.transport
    transport.respond = { [image] _ in transport.started.count <= 4 ? .failed(.connect) : .ok(image) }
    for number in 0..<50 { try stage.submit("http://a.example/\(number).jpg") }
    drive(stage, to: 50, of: 50)
    #expect(stage.results.compactMap { $0.error?.message } == [])
  }

  @Test(
    "A server that restarts costs no image, also where it first says that it is not ready",
    arguments: [(6.0, 6.0), (29, 29), (6, 12), (20, 29)])
  func restart(back: Double, ready: Double) throws {
    let stage = StagedPipeline { $0.admission.outage = .seconds(30) }
    defer { stage.close() }
    let (transport, begin) = (stage.transport, stage.clock.now())
    transport.respond = { [image] _ in
      if transport.started.count <= 10 { return .ok(image) }
      let passed = (stage.clock.now() - begin).seconds
      return passed < back ? .failed(.connect) : passed < ready ? .status(503) : .ok(image)
    }
    for number in 0..<60 { try stage.submit("http://a.example/\(number).jpg") }
    drive(stage, to: 60, of: 60)
    #expect(stage.results.compactMap { $0.error?.message } == [])
  }

  @Test("One that stays away longer than it is given fails all, with one reason, when that is over")
  func longOutage() throws {
    let stage = StagedPipeline { $0.admission.outage = .seconds(30) }
    defer { stage.close() }
    let (transport, begin) = (stage.transport, stage.clock.now())
    transport.respond = { [image] _ in transport.started.count <= 10 ? .ok(image) : .failed(.connect) }
    for number in 0..<60 { try stage.submit("http://a.example/\(number).jpg") }
    drive(stage, to: 60, of: 60)
    let failed = stage.results.compactMap(\.error)
    #expect(failed.count >= 50 && Set(failed.map(\.reason)) == ["a.example does not answer (it failed)"])
    #expect(failed.allSatisfy { $0.kind == .connect && $0.isTransient })
    // The first of the three that count is one of the second attempts: no time passes between the
    // answers and the first ones.
    let passed = (stage.clock.now() - begin).seconds
    #expect(passed >= 30 && passed < 35)
    #expect(transport.started.count < 60 + 30)
  }

  @Test("Connections that were reused when they were lost say nothing of their origin")
  func reused() throws {
    let stage = StagedPipeline { $0.retry.limit = 0 }
    defer { stage.close() }
    stage.transport.respond = { _ in
      FakeTransport.Answer(
        head: nil,
        end: .failed(TransportFailure(.connect, "it was lost", isTransient: true, isConnectionReused: true)))
    }
    for number in 0..<20 { try stage.submit("http://a.example/\(number).jpg") }
    drive(stage, to: 20, of: 20)
    #expect(stage.transport.started.count == 20)
    #expect(stage.results.allSatisfy { $0.error?.reason == "it was lost" })
  }

  @Test("A flight that has a mirror asks it at once when its origin is down")
  func mirrors() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    let mirror = try WebURL("http://b.example/m.jpg")
    stage.transport.respond = { [image] in $0.url.hasPrefix("http://dead.example/") ? .failed(.connect) : .ok(image) }
    for number in 0..<40 {
      try stage.submit("http://dead.example/\(number).jpg") { if number >= 10 { $0.mirrors = [mirror] } }
    }
    // No time passes, so that there is no trial yet: only those that have a mirror are done.
    stage.drive(until: { stage.results.count == 30 })
    #expect(stage.results.compactMap { $0.error?.message } == [])
    // As above, without a trial.
    #expect(stage.transport.started.count { $0.url.hasPrefix("http://dead.example/") } <= 8)
  }
}
