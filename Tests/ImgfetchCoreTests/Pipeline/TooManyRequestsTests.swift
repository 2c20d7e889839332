import TestSupport
import Testing

@testable import ImgfetchCore

/// Whole lists before servers that limit requests, in invented time.
@Suite("Too many requests: every image is had all the same") struct TooManyRequestsTests {
  /// The server's way of counting requests.
  private enum Server {
    /// A rate a second, with a burst after a rest.
    case bucket(perSecond: Double, burst: Double)
    /// A number of requests in each period.
    case window(Int, seconds: Double)
    /// A number of requests at once.
    case atOnce(Int)
  }

  private static let servers: [Server] = [
    .bucket(perSecond: 10, burst: 5), .bucket(perSecond: 10, burst: 1), .bucket(perSecond: 1, burst: 1),
    .bucket(perSecond: 2, burst: 10), .bucket(perSecond: 50, burst: 5), .bucket(perSecond: 5, burst: 20),
    .window(10, seconds: 1), .window(30, seconds: 10), .atOnce(1), .atOnce(2),
  ]

  /// A server's counting.
  private struct Counter {
    let server: Server
    var tokens = 0.0
    var last = 0.0
    var period = -1
    var count = 0

    init(_ server: Server) {
      self.server = server
      if case .bucket(_, let burst) = server { tokens = burst }
    }

    mutating func takes(at now: Double, running: Int) -> Bool {
      switch server {
      case .bucket(let rate, let burst):
        tokens = min(burst, tokens + (now - last) * rate)
        last = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
      case .window(let limit, let seconds):
        if period != Int(now / seconds) { (period, count) = (Int(now / seconds), 0) }
        count += 1
        return count <= limit
      case .atOnce(let limit): return running <= limit
      }
    }
  }

  @Test("With two retries, and with fewer than twice as many requests", arguments: servers.indices, [0.001, 0.05, 0.2])
  func lists(index: Int, latency: Double) {
    for seed in 0..<8 {
      let (lost, requests) = Self.fetch(60, from: Self.servers[index], latency: latency, seed: UInt64(seed))
      #expect(lost == 0 && requests <= 120, "\(Self.servers[index]), \(latency) s: \(lost) lost, \(requests) requests")
    }
  }

  /// Plays the network stage, with the rules that it asks.
  private static func fetch(_ images: Int, from server: Server, latency: Double, seed: UInt64) -> (
    lost: Int, requests: Int
  ) {
    let origin = Origin(isSecure: false, host: "a.example", port: 80)
    var (admission, counter, random) = (Admission(.init()), Counter(server), SeededRandom(seed: seed))
    var answers = Timers<(flight: UInt64, isRefused: Bool, start: Instant)>()
    var attempts: [UInt64: Int] = [:]
    var (now, lost, requests) = (Instant(nanoseconds: 1), 0, 0)
    for flight in 1...UInt64(images) { admission.enqueue(flight, to: origin, priority: .normal) }
    while true {
      while let flight = admission.next(at: now) {
        attempts[flight, default: 0] += 1
        requests += 1
        let isTaken = counter.takes(at: now.seconds, running: admission.inProgress)
        let time = latency * Double.random(in: 0.8...1.2, using: &random)
        answers.add((flight, !isTaken, now), at: now + .seconds(time))
      }
      guard let next = [answers.nextDeadline, admission.nextWake(after: now)].compactMap({ $0 }).min() else { break }
      now = next
      while let (flight, isRefused, start) = answers.popDue(at: now) {
        admission.ended(at: origin)
        guard isRefused else {
          admission.served(by: origin, startedAt: start)
          continue
        }
        let chance = Double.random(in: 0...1, using: &random)
        let again = admission.refused(by: origin, startedAt: start, at: now, random: chance)
        let made = attempts[flight, default: 0]
        switch RetryRule(limit: 2).decide(isTransient: true, attempts: made, retryAfter: nil, random: chance) {
        case .retry(let pause):
          admission.enqueue(flight, to: origin, priority: .normal, notBefore: again ?? now + pause, refusals: made)
        case .giveUp: lost += 1
        }
      }
    }
    return (lost, requests)
  }

  @Test("Through the whole pipeline: ten a second, five at once")
  func pipeline() throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    let (transport, clock) = (stage.transport, stage.clock)
    var counter = Counter(.bucket(perSecond: 10, burst: 5))
    let image = TestImages.jpeg(width: 20, height: 10)
    var images = 0
    transport.respond = { _ in
      guard counter.takes(at: clock.now().seconds, running: 0) else { return .status(429) }
      images += 1
      return .ok(image)
    }
    let begun = clock.now()
    for number in 1...60 { try stage.submit("http://a.example/\(number).jpg") }
    while stage.results.count < 60 {
      let before = (transport.started.count, stage.results.count)
      // No time passes while a disk thread is at work.
      stage.drive(until: { stage.results.count == images })
      if let wake = stage.drive(until: { true }), wake > clock.now(), stage.results.count == images {
        clock.advance(wake - clock.now())
      } else {
        stage.drive(until: { transport.started.count > before.0 || stage.results.count > before.1 })
      }
    }
    #expect(stage.results.allSatisfy { $0.error == nil })
    #expect(transport.started.count <= 120)
    // They cannot be had in less than 5.5 s. With a pause that stays as it began it would be half a minute.
    #expect(clock.now() - begun < .seconds(15))
  }

  @Test("An origin that refuses does not slow another")
  func otherOrigin() throws {
    let (a, b) = (
      Origin(isSecure: false, host: "a.example", port: 80), Origin(isSecure: false, host: "b.example", port: 80)
    )
    var admission = Admission(.init())
    let now = Instant(nanoseconds: 1)
    for flight in 1...20 { admission.enqueue(UInt64(flight), to: flight % 2 == 0 ? a : b, priority: .normal) }
    var started: [UInt64] = []
    while let flight = admission.next(at: now) { started.append(flight) }
    #expect(started.count == 12)
    let later = now + .milliseconds(1)
    let first = admission.refused(by: a, startedAt: now, at: now, random: 1)
    #expect(first == nil)
    let second = admission.refused(by: a, startedAt: later, at: later, random: 1)
    let again = try #require(second)
    #expect(again == later + .milliseconds(500))
    for flight in started { admission.ended(at: flight % 2 == 0 ? a : b) }
    started = []
    while let flight = admission.next(at: later) { started.append(flight) }
    #expect(started == [13, 15, 17, 19])
    #expect(admission.nextWake(after: later) == again)
    for _ in 0..<4 { admission.ended(at: b) }
    let (next, last) = (admission.next(at: again), admission.next(at: again))
    #expect(next == 14 && last == nil)
  }
}

extension Instant {
  fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}
