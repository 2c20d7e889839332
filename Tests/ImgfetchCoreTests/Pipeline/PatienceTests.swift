import TestSupport
import Testing

@testable import ImgfetchCore

/// The times of further attempts, and their number: with invented instants, so that no test waits.
@Suite("Patience: retries, and what is not retried") struct PatienceTests {
  private let image = TestImages.jpeg(width: 20, height: 10)

  @Test("503 with Retry-After: 1 is asked again after a second, and not before")
  func retryAfter() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    let transport = stage.transport
    transport.respond = { [image] _ in
      transport.started.count == 1 ? .status(503, [(name: "Retry-After", value: "1")]) : .ok(image)
    }
    try stage.submit("http://a.example/a.jpg")
    let wake = stage.drive(until: { transport.started.count == 1 && transport.open.isEmpty })
    #expect(wake == stage.clock.now() + .seconds(1))
    stage.clock.advance(.milliseconds(999))
    stage.drive(until: { true })
    #expect(transport.started.count == 1)
    stage.clock.advance(.milliseconds(1))
    stage.drive(until: { stage.results.count == 1 })
    #expect(transport.started.count == 2)
    #expect(stage.results.first?.error == nil)
    #expect(stage.results.first?.attempts == 2)
  }

  @Test("503 with Retry-After holds up all flights of its origin, and no other")
  func wholeOrigin() throws {
    let stage = StagedPipeline { $0.admission.jobs = 1 }
    defer { stage.close() }
    let transport = stage.transport
    transport.respond = { [image] request in
      request.url == "http://a.example/1.jpg" && transport.started.count == 1
        ? .status(503, [(name: "Retry-After", value: "5")]) : .ok(image)
    }
    try stage.submit("http://a.example/1.jpg")
    stage.drive(until: { transport.started.count == 1 && transport.open.isEmpty })
    try stage.submit("http://a.example/2.jpg")
    try stage.submit("http://b.example/3.jpg")
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results.first?.url == "http://b.example/3.jpg")
    stage.clock.advance(.seconds(5))
    stage.drive(until: { stage.results.count == 3 })
    #expect(stage.results.allSatisfy { $0.error == nil })
  }

  @Test("A Retry-After of more than a minute fails at once")
  func tooPatient() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    stage.transport.respond = { _ in .status(429, [(name: "Retry-After", value: "3600")]) }
    try stage.submit("http://a.example/a.jpg")
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.transport.started.count == 1)
    #expect(stage.results.first?.error?.status == 429)
  }

  @Test("404 is asked once though it stands in the list five times; with --retry-failed each time")
  func failedForGood() throws {
    for (retries, expected) in [(false, 1), (true, 5)] {
      let stage = StagedPipeline()
      defer { stage.close() }
      stage.transport.respond = { _ in .status(404) }
      for count in 1...5 {
        try stage.submit("http://a.example/a.jpg") { $0.options.retriesFailed = retries }
        stage.drive(until: { stage.results.count == count })
      }
      #expect(stage.transport.started.count == expected)
      #expect(stage.results.allSatisfy { $0.error?.kind == .http && $0.error?.status == 404 })
    }
  }

  @Test("A passing failure is tried twice more; the failure that is told is the last one")
  func givesUp() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    stage.transport.respond = { _ in .failed(.connect) }
    try stage.submit("http://a.example/a.jpg")
    for attempt in 1...3 {
      stage.drive(until: { stage.transport.started.count == attempt && stage.transport.open.isEmpty })
      stage.clock.advance(.seconds(60))
    }
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.transport.started.count == 3)
    #expect(stage.results.first?.error?.kind == .connect)
    #expect(stage.results.first?.attempts == 3)
  }

  @Test("A body that breaks off is fetched again and is whole")
  func brokenOff() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    let transport = stage.transport
    transport.respond = { [image] _ in
      transport.started.count == 1 ? FakeTransport.Answer.ok(image).brokenOff(after: 100) : .ok(image)
    }
    try stage.submit("http://a.example/a.jpg")
    stage.drive(until: { transport.open.isEmpty && transport.started.count == 1 })
    stage.clock.advance(.seconds(60))
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results.first?.error == nil)
    #expect(stage.results.first?.bytes == Int64(image.count))
  }

  @Test("A mirror is asked when the URL has failed for good")
  func mirror() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    stage.transport.respond = { [image] request in request.url.contains("b.example") ? .ok(image) : .status(404) }
    let mirror = try WebURL("http://b.example/a.jpg")
    try stage.submit("http://a.example/a.jpg") { $0.mirrors = [mirror] }
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results.first?.error == nil)
    #expect(stage.results.first?.finalURL == "http://b.example/a.jpg")
    #expect(stage.transport.started.map(\.url) == ["http://a.example/a.jpg", "http://b.example/a.jpg"])
  }

  @Test("A mirror is asked when what the URL has is no good", arguments: ["page", "long page", "cut", "other"])
  func uselessBody(_ kind: String) throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    let useless: [UInt8] =
      switch kind {
      case "page": Array("<!doctype html><html><body>Please log in</body></html>".utf8)
      // Its first piece tells what it is.
      case "long page": TestImages.html() + [UInt8](repeating: UInt8(ascii: " "), count: 200)
      case "cut": Array(image.prefix(image.count / 2))
      default: TestImages.png(width: 3, height: 3)
      }
    stage.transport.respond = { [image] request in .ok(request.url.contains("m.example") ? image : useless) }
    let mirrors = try ["http://b.example/a.jpg", "http://m.example/a.jpg"].map { try WebURL($0) }
    var hash = SHA256()
    hash.update(image.span)
    let sum = hash.finish()
    for _ in 0..<2 {
      try stage.submit("http://a.example/a.jpg") {
        $0.mirrors = mirrors
        if kind == "other" { $0.sha256 = sum }
      }
    }
    stage.drive(until: { stage.results.count == 2 })
    #expect(stage.results.allSatisfy { $0.error == nil && $0.finalURL == "http://m.example/a.jpg" })
    #expect(
      stage.transport.started.map(\.url) == [
        "http://a.example/a.jpg", "http://b.example/a.jpg", "http://m.example/a.jpg",
      ])
    #expect(stage.results.first?.attempts == 3)
  }

  @Test("A request with mirrors that is broken off names none of them")
  func brokenOffWithMirrors() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    let mirror = try WebURL("http://b.example/a.jpg")
    try stage.submit("http://a.example/a.jpg") { $0.mirrors = [mirror] }
    stage.drive(until: { stage.transport.started.count == 1 })
    stage.pipeline?.cancelAll()
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results.first?.error?.message == "http://a.example/a.jpg: broken off")
  }

  @Test("Where no mirror has the image either, the last one's failure is told")
  func uselessMirror() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    stage.transport.respond = { _ in .ok(Array("<html>".utf8)) }
    let mirror = try WebURL("http://b.example/a.jpg")
    try stage.submit("http://a.example/a.jpg") { $0.mirrors = [mirror] }
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results.first?.error?.kind == .notImage)
    #expect(stage.transport.started.count == 2)
  }

  @Test("An image that takes longer than the run's maximum is given up, retries and all")
  func maximumTime() throws {
    let stage = StagedPipeline { $0.maximumTime = .seconds(10) }
    defer { stage.close() }
    try stage.submit("http://a.example/a.jpg")
    stage.drive(until: { stage.transport.started.count == 1 })
    stage.clock.advance(.seconds(10))
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results.first?.error?.kind == .timeout)
  }

  @Test("Each of several images has that time for itself, by one alarm for all")
  func severalMaximumTimes() throws {
    let stage = StagedPipeline { $0.maximumTime = .seconds(10) }
    defer { stage.close() }
    let start = stage.clock.now()
    for number in 0..<8 {
      try stage.submit("http://host\(number).example/a.jpg")
      stage.drive(until: { stage.transport.started.count == number + 1 })
      stage.clock.advance(.seconds(1))
    }
    stage.clock.advance(.seconds(1))
    for number in 0..<8 {
      stage.drive(until: { stage.results.count == number })
      stage.clock.advance(.seconds(1))
      let wake = stage.drive(until: { stage.results.count == number + 1 })
      #expect(wake == (number < 7 ? start + .seconds(Double(11 + number)) : nil))
      #expect(stage.results.last?.error?.kind == .timeout)
      let isPosted = stage.post { stage in
        var timers = stage.timers
        var alarms = 0
        while let alarm = timers.popDue(at: start + .seconds(3600)) { if case .overtime = alarm { alarms += 1 } }
        #expect(alarms == (number < 7 ? 1 : 0))
      }
      #expect(isPosted)
    }
  }

  @Test("The last asker to leave ends the flight; one that stays gets its image")
  func cancellation() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    let first = try stage.submit("http://a.example/a.jpg")
    stage.drive(until: { stage.transport.started.count == 1 })
    let second = try stage.submit("http://a.example/a.jpg")
    stage.pipeline?.cancel(first)
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results.first?.error?.kind == .cancelled)
    #expect(stage.transport.open.count == 1)
    stage.pipeline?.cancel(second)
    stage.drive(until: { stage.transport.open.isEmpty && stage.results.count == 2 })
    #expect(stage.transport.cancelled.count + stage.transport.stopped.count == 1)
  }
}
