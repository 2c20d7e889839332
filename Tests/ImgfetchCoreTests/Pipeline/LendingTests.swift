import TestSupport
import Testing

@testable import ImgfetchCore

/// A download has the highest priority of all that wait for it, even if it was begun for another.
@Suite("Priorities that are lent") struct LendingTests {
  private static let names = ["a", "b", "c", "d"]
  private let image = TestImages.jpeg(width: 20, height: 10)

  private func url(_ name: String) -> String { "http://h.example/\(name).jpg" }

  /// A pipeline with one place, which `a` has, and in which the others wait.
  private func waiting() throws -> StagedPipeline {
    let stage = StagedPipeline { $0.admission.jobs = 1 }
    for name in Self.names { try stage.submit(url(name)) }
    stage.drive(until: { stage.lettersRead >= Self.names.count })
    return stage
  }

  /// Answers one after the other. The order in which they were asked for.
  private func finish(_ stage: StagedPipeline, _ answers: Int) -> [String] {
    while stage.results.count < answers {
      guard let open = stage.transport.open.first else { break }
      let before = stage.results.count
      stage.transport.answer(open.id, with: .ok(image))
      stage.drive(until: { stage.results.count > before })
    }
    return stage.transport.started.map { String($0.url.dropFirst("http://h.example/".count).prefix(1)) }
  }

  @Test("A high asker of a download that waits for a place has it go first")
  func raised() throws {
    let stage = try waiting()
    defer { stage.close() }
    try stage.submit(url("d")) { $0.priority = .high }
    stage.drive(until: { stage.transport.open.count == 1 })
    #expect(finish(stage, 5) == ["a", "d", "b", "c"])
  }

  @Test("When that asker leaves, it goes in its own turn again")
  func sunk() throws {
    let stage = try waiting()
    defer { stage.close() }
    var request = FetchRequest(try WebURL(url("d")), options: FetchOptions())
    request.options.policy = .off
    request.priority = .high
    let gone = Guarded<FetchError?>(nil)
    let number = stage.pipeline?.submit(request) { result in gone.withLock { $0 = result.error } } ?? 0
    stage.pipeline?.cancel(number)
    stage.drive(until: { gone.withLock { $0 != nil } })
    #expect(gone.withLock { $0?.kind } == .cancelled)
    #expect(finish(stage, 4) == ["a", "b", "c", "d"])
  }

  @Test("A request's own priority can be changed while it waits")
  func changed() throws {
    let stage = StagedPipeline { $0.admission.jobs = 1 }
    defer { stage.close() }
    let answered = Guarded(0)
    var numbers: [UInt64] = []
    for name in Self.names {
      var request = FetchRequest(try WebURL(url(name)), options: FetchOptions())
      request.options.policy = .off
      numbers.append(stage.pipeline?.submit(request) { _ in answered.withLock { $0 += 1 } } ?? 0)
    }
    stage.pipeline?.kick()
    stage.drive(until: { stage.lettersRead >= Self.names.count })
    stage.pipeline?.setPriority(.high, ofRequest: numbers[2])
    stage.pipeline?.setPriority(.low, ofRequest: numbers[1])
    for count in 1...4 {
      stage.drive(until: { stage.transport.open.count == 1 })
      if let open = stage.transport.open.first { stage.transport.answer(open.id, with: .ok(image)) }
      stage.drive(until: { answered.withLock { $0 } == count })
    }
    #expect(stage.transport.started.map(\.url) == ["a", "c", "d", "b"].map(url))
  }

  @Test("One that was cancelled before its place was given gets none")
  func cancelled() throws {
    let stage = try waiting()
    defer { stage.close() }
    let answered = Guarded(0)
    var request = FetchRequest(try WebURL(url("e")), options: FetchOptions())
    request.options.policy = .off
    let letters = stage.lettersRead
    let number = stage.pipeline?.submit(request) { _ in answered.withLock { $0 += 1 } } ?? 0
    stage.pipeline?.kick()
    stage.drive(until: { stage.lettersRead > letters })
    stage.pipeline?.cancel(number)
    // The network's thread reads its messages about that only after the place is free.
    #expect(finish(stage, 4) == Self.names)
    stage.drive(until: { answered.withLock { $0 } == 1 })
    #expect(!stage.transport.started.contains { $0.url == url("e") })
  }

  @Test("At the gate of those that hold a part, one whose priority changes goes with its new peers")
  func gate() throws {
    let resumed = Guarded<[UInt64]>([])
    let priorities = Guarded<[UInt64: FetchRequest.Priority]>([:])
    let gate = ClaimGate(limit: 1) { flight in
      priorities.withLock { $0[flight.id] ?? .normal }
    }
    let resume = { @Sendable (flight: Flight) in
      resumed.withLock { $0.append(flight.id) }
      // Its pass ends with it.
      flight.pass = nil
    }
    func flight(_ id: UInt64) throws -> Flight {
      let url = try WebURL(url("x\(id)"))
      let waiter = Waiter(
        request: FetchRequest(url), key: CacheKey(url: url.canonical), begun: Instant(nanoseconds: 0)
      ) { _ in }
      let rules = CachingRules.byAge(AgeRules(policy: .age, isFirstAsking: false, maximumAge: 1))
      let hop = Hop(at: url, from: url, key: waiter.key, rules: rules, mirrors: [])
      return Flight(id: id, for: waiter, at: hop, begun: Instant(nanoseconds: 0))
    }
    let first = try flight(1)
    #expect(gate.admit(first, orLater: resume))
    let others = try (2...5).map { try flight($0) }
    for other in others { #expect(!gate.admit(other, orLater: resume)) }
    gate.setPriority(.high, of: 4)
    gate.setPriority(.low, of: 2)
    gate.setPriority(.high, of: 5)
    gate.setPriority(.normal, of: 5)
    first.pass = nil
    #expect(resumed.withLock { $0 } == [4, 3, 5, 2])
  }
}
