import TestSupport
import Testing

@testable import ImgfetchCore

/// Names of hosts, looked up by a stand-in for the system's resolver.
@Suite("Names: looked up before requests") struct NamesTests {
  private let image = TestImages.jpeg(width: 20, height: 10)
  /// The look-ups that were made.
  private let asked = Guarded<[String]>([])

  private func stage(
    _ configure: (inout PipelineConfiguration) -> Void = { _ in },
    lookUp: @escaping @Sendable (_ name: String, _ times: Int) -> NameAnswer
  ) -> StagedPipeline {
    let names = NameThreads(patience: .seconds(10), clock: SystemClock(), isReachable: { true }) { [asked] name in
      let times = asked.withLock { asked in
        asked.append(name)
        return asked.count { $0 == name }
      }
      return lookUp(name, times)
    }
    let stage = StagedPipeline(names: names, configure)
    stage.transport.respond = { [image] _ in .ok(image) }
    return stage
  }

  private func drive(_ stage: StagedPipeline, to count: Int) { stage.drive(until: { stage.results.count >= count }) }

  /// Lets the pauses after `failures` failed look-ups of one flight pass.
  private func pass(_ failures: Int, _ stage: StagedPipeline) {
    for number in 1...failures {
      // One letter for the flight, and one for each look-up.
      guard let wake = stage.drive(until: { stage.lettersRead > number }) else { continue }
      if wake > stage.clock.now() { stage.clock.advance(wake - stage.clock.now()) }
    }
  }

  @Test("Many images of one host are one look-up, and requests bring its addresses along")
  func once() throws {
    let stage = stage { _, _ in .found(["192.0.2.1", "2001:db8::1"]) }
    defer { stage.close() }
    for number in 0..<20 { try stage.submit("http://a.example:81/\(number).jpg") }
    drive(stage, to: 20)
    #expect(stage.results.allSatisfy { $0.error == nil })
    #expect(asked.withLock { $0 } == ["a.example"])
    #expect(stage.transport.started.allSatisfy { $0.addresses == "a.example:81:192.0.2.1,[2001:db8::1]" })
  }

  @Test("A passing failure is retried like a connection")
  func passing() throws {
    let stage = stage { _, times in times < 3 ? .failed(.noAnswer) : .found(["192.0.2.1"]) }
    defer { stage.close() }
    try stage.submit("http://a.example/1.jpg")
    pass(2, stage)
    drive(stage, to: 1)
    #expect(stage.results[0].error == nil && stage.results[0].attempts == 3)
    #expect(asked.withLock { $0.count } == 3)
  }

  @Test("A passing failure is one at last, and says so")
  func lasting() throws {
    let stage = stage { _, _ in .failed(.noAnswer) }
    defer { stage.close() }
    try stage.submit("http://a.example/1.jpg")
    pass(2, stage)
    drive(stage, to: 1)
    let error = try #require(stage.results[0].error)
    #expect(error.kind == .name && error.isTransient && stage.results[0].attempts == 3)
    #expect(error.reason == "the host name could not be resolved for now: the name servers gave no answer")
  }

  @Test("A name that does not exist is final, and asked about once")
  func absent() throws {
    let stage = stage { _, _ in .absent }
    defer { stage.close() }
    for number in 0..<5 { try stage.submit("http://a.example/\(number).jpg") }
    drive(stage, to: 5)
    for result in stage.results {
      #expect(result.error?.kind == .name && result.error?.isTransient == false && result.attempts == 1)
      #expect(result.error?.reason == "the host name could not be resolved: it does not exist, or has no address")
    }
    #expect(asked.withLock { $0 } == ["a.example"])
    #expect(stage.transport.started.isEmpty)
  }

  @Test("A mirror is asked when the name of the first host does not exist")
  func mirror() throws {
    let stage = stage { name, _ in name == "a.example" ? .absent : .found(["192.0.2.1"]) }
    defer { stage.close() }
    let mirror = try WebURL("http://b.example/1.jpg")
    try stage.submit("http://a.example/1.jpg") { $0.mirrors = [mirror] }
    drive(stage, to: 1)
    #expect(stage.results[0].error == nil)
  }

  @Test("A slow name does not hold up flights with other names")
  func slow() throws {
    let gate = Guarded(false)
    let stage = stage { name, _ in
      if name == "slow.example" { _ = gate.wait { $0 ? true : nil } }
      return .found(["192.0.2.1"])
    }
    defer { stage.close() }
    try stage.submit("http://slow.example/1.jpg")
    for number in 0..<10 { try stage.submit("http://host\(number).example/1.jpg") }
    stage.drive(until: { stage.results.count == 10 })
    #expect(stage.results.allSatisfy { $0.error == nil })
    gate.withLock { $0 = true }
    gate.broadcast()
    stage.drive(until: { stage.results.count == 11 })
    #expect(stage.results.allSatisfy { $0.error == nil })
  }

  @Test(
    "Addresses, localhost, hosts behind a proxy and hosts with addresses from the user are not looked up",
    arguments: ["http://127.0.0.1/", "http://[::1]/", "http://2130706433/", "http://localhost/", "http://a.localhost/"]
      + ["http://given.example/", "https://proxied.example/"])
  func unasked(url: String) throws {
    let stage = stage {
      $0.network.resolve = ["given.example:80:192.0.2.7"]
      $0.network.httpsProxy = "http://proxy.example:3128"
    } lookUp: { _, _ in
      .absent
    }
    defer { stage.close() }
    try stage.submit(url + "1.jpg")
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results[0].error == nil)
    #expect(asked.withLock { $0 } == [])
    #expect(stage.transport.started.allSatisfy { $0.addresses == nil })
  }

  @Test("What waits for its turn for longer than a minute has its name looked up again")
  func expired() throws {
    let stage = stage({ $0.admission.jobs = 1 }) { _, _ in .found(["192.0.2.1"]) }
    defer { stage.close() }
    stage.transport.respond = { _ in nil }
    for number in 0..<2 { try stage.submit("http://a.example/\(number).jpg") }
    stage.drive(until: { stage.lettersRead >= 3 && stage.transport.started.count == 1 })
    stage.clock.advance(.seconds(61))
    stage.transport.respond = { [image] _ in .ok(image) }
    stage.transport.answer(stage.transport.started[0].id, with: .ok(image))
    stage.drive(until: { stage.results.count == 2 })
    #expect(asked.withLock { $0 } == ["a.example", "a.example"])
  }
}
