import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Admission: who may start")
struct AdmissionTests {
  private let a = Origin(isSecure: false, host: "a.example", port: 80)
  private let b = Origin(isSecure: true, host: "b.example", port: 443)
  private let start = Instant(nanoseconds: 0)

  private func all(_ admission: inout Admission, at now: Instant) -> [UInt64] {
    var started: [UInt64] = []
    while let flight = admission.next(at: now) { started.append(flight) }
    return started
  }

  @Test("Six at once go to one origin, and another origin has its own six")
  func perHost() {
    var admission = Admission(.init())
    for flight in 1...10 { admission.enqueue(UInt64(flight), to: a, priority: .normal) }
    for flight in 11...20 { admission.enqueue(UInt64(flight), to: b, priority: .normal) }
    #expect(all(&admission, at: start) == [1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16])
    admission.ended(at: a)
    #expect(all(&admission, at: start) == [7])
  }

  @Test("A flight that goes on keeps its turn; one that is tried again has a new one")
  func turns() {
    var admission = Admission(.init(jobs: 1))
    var turns: [UInt64: Int] = [:]
    for flight: UInt64 in 1...3 { turns[flight] = admission.enqueue(flight, to: a, priority: .normal) }
    #expect(all(&admission, at: start) == [1])
    admission.ended(at: a)
    turns[1] = admission.enqueue(1, to: a, priority: .normal, keeping: turns[1])
    #expect(all(&admission, at: start) == [1])
    admission.ended(at: a)
    // To another origin, too.
    admission.enqueue(1, to: b, priority: .normal, keeping: turns[1])
    #expect(all(&admission, at: start) == [1])
    admission.ended(at: b)
    admission.enqueue(1, to: a, priority: .normal)
    var order: [UInt64] = []
    for _ in 0..<3 {
      order += all(&admission, at: start)
      admission.ended(at: a)
    }
    #expect(order == [2, 3, 1])
  }

  @Test("A place that is held until the result is known counts as taken")
  func heldPlaces() {
    var admission = Admission(.init(jobs: 1))
    for flight: UInt64 in 1...3 { admission.enqueue(flight, to: a, priority: .normal) }
    #expect(all(&admission, at: start) == [1])
    admission.hold(1)
    admission.ended(at: a)
    #expect(all(&admission, at: start).isEmpty && admission.nextWake(after: start) == nil)
    admission.settled(1)
    #expect(all(&admission, at: start) == [2])
  }

  @Test("An origin that answers over HTTP/2 gets a hundred at once")
  func multiplexed() {
    var admission = Admission(.init(jobs: 200))
    for flight in 1...150 { admission.enqueue(UInt64(flight), to: b, priority: .normal) }
    #expect(all(&admission, at: start).count == 6)
    admission.answered(b, overHTTP2: true, at: start)
    #expect(all(&admission, at: start).count == 94)
  }

  @Test("Of a million origins, those are remembered that wait, or of which there is something to remember")
  func manyOrigins() {
    var admission = Admission(.init())
    for flight in 1...10 { admission.enqueue(UInt64(flight), to: b, priority: .normal) }
    #expect(all(&admission, at: start).count == 6)
    admission.slow(a, until: start + .seconds(60))
    let dead = Origin(isSecure: false, host: "dead.example", port: 80)
    var now = start
    while !admission.isGivenUp(dead, at: now) {
      now = now + .milliseconds(1)
      _ = admission.wasSilent(dead, to: now, at: now, because: "refused", retries: 2, random: 0)
    }
    for number in 11...20_000 {
      let origin = Origin(isSecure: false, host: "host\(number).example", port: 80)
      admission.enqueue(UInt64(number), to: origin, priority: .normal)
      #expect(admission.next(at: now) == UInt64(number))
      admission.answered(origin, overHTTP2: false, at: now)
      admission.ended(at: origin)
      admission.answerEnded(by: origin)
    }
    #expect(admission.remembered <= 1024)
    #expect(admission.isGivenUp(dead, at: now) && admission.outage(of: dead) == "refused")
    admission.enqueue(30_000, to: a, priority: .normal)
    #expect(admission.next(at: now) == nil)
    for _ in 0..<4 { admission.ended(at: b) }
    #expect(all(&admission, at: now) == [7, 8, 9, 10])
    #expect(all(&admission, at: start + .seconds(60)) == [30_000])
    // Much later it may be tried like any other.
    now = start + .seconds(700)
    for number in 40_000...45_000 {
      let origin = Origin(isSecure: false, host: "host\(number).example", port: 80)
      admission.enqueue(UInt64(number), to: origin, priority: .normal)
      _ = admission.next(at: now)
      admission.ended(at: origin)
    }
    #expect(admission.outage(of: dead) == nil)
  }

  @Test("A limit that was given holds for HTTP/2 too")
  func givenLimit() {
    var admission = Admission(.init(perHost: 3))
    for flight in 1...10 { admission.enqueue(UInt64(flight), to: b, priority: .normal) }
    admission.answered(b, overHTTP2: true, at: start)
    #expect(all(&admission, at: start).count == 3)
  }

  @Test("An origin that other processes ask too gets one at once, and its part of the rate")
  func shared() throws {
    let pattern = try #require(HostPattern("*.example"))
    var admission = Admission(.init(perHost: 3, requestsPerSecond: 10, sharing: ([pattern], 4)))
    for flight in 1...3 { admission.enqueue(UInt64(flight), to: a, priority: .normal) }
    admission.answered(a, overHTTP2: true, at: start)
    #expect(all(&admission, at: start) == [1])
    admission.ended(at: a)
    #expect(admission.next(at: start + .milliseconds(399)) == nil)
    #expect(admission.next(at: start + .milliseconds(400)) == 2)
  }

  @Test("One job is one after another, whatever the origins")
  func oneJob() {
    var admission = Admission(.init(jobs: 1))
    admission.enqueue(1, to: a, priority: .normal)
    admission.enqueue(2, to: b, priority: .normal)
    #expect(all(&admission, at: start) == [1])
    admission.ended(at: a)
    #expect(all(&admission, at: start) == [2])
  }

  @Test("High priority goes first and low last, in the order of asking within each")
  func priorities() {
    var admission = Admission(.init(jobs: 1))
    admission.enqueue(1, to: a, priority: .low)
    admission.enqueue(2, to: a, priority: .normal)
    admission.enqueue(3, to: b, priority: .high)
    admission.enqueue(4, to: a, priority: .high)
    var order: [UInt64] = []
    while let flight = admission.next(at: start) {
      order.append(flight)
      admission.ended(at: flight == 3 ? b : a)
    }
    #expect(order == [3, 4, 2, 1])
  }

  @Test("One that is lent a priority goes before those that have less, and back to its place when that is taken away")
  func lending() {
    var admission = Admission(.init(jobs: 1))
    for flight in 1...5 { admission.enqueue(UInt64(flight), to: flight == 4 ? b : a, priority: .normal) }
    for flight in [UInt64(5), 4, 3] { admission.setPriority(.high, of: flight) }
    admission.setPriority(.normal, of: 3)
    admission.setPriority(.low, of: 1)
    admission.setPriority(.high, of: 9)
    var order: [UInt64] = []
    while let flight = admission.next(at: start) {
      order.append(flight)
      admission.ended(at: flight == 4 ? b : a)
    }
    #expect(order == [4, 5, 2, 3, 1])
  }

  @Test(
    "Whatever leaves, is lent a priority and goes, the next is the one that a plain search finds", arguments: 1...20)
  func modelWalk(walk: Int) {
    let seed = Seed()
    var random = seed.random(for: walk)
    let isNewestFirst = walk.isMultiple(of: 2)
    var admission = Admission(.init(jobs: 1, isNewestFirst: isNewestFirst))
    var model: [(flight: UInt64, priority: FetchRequest.Priority)] = []
    var last: UInt64 = 0
    for turn in 0..<4000 {
      let priority = FetchRequest.Priority(rawValue: Int.random(in: -1...1, using: &random)) ?? .normal
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3:
        last += 1
        admission.enqueue(last, to: a, priority: priority)
        model.append((last, priority))
      case 4, 5:
        guard let at = model.indices.randomElement(using: &random) else { continue }
        #expect(admission.remove(model.remove(at: at).flight) == true, "turn \(turn), \(seed)")
      case 6, 7:
        guard let at = model.indices.randomElement(using: &random) else { continue }
        model[at].priority = priority
        admission.setPriority(priority, of: model[at].flight)
      default:
        let best = model.map(\.priority).max()
        let all = model.indices.filter { model[$0].priority == best }
        let expected = (isNewestFirst ? all.last : all.first).map { model.remove(at: $0).flight }
        #expect(admission.next(at: start) == expected, "turn \(turn), \(seed)")
        if expected != nil { admission.ended(at: a) }
      }
    }
  }

  @Test("The newest goes first when that is asked for")
  func newestFirst() {
    var admission = Admission(.init(jobs: 1, isNewestFirst: true))
    for flight in 1...4 { admission.enqueue(UInt64(flight), to: a, priority: .normal) }
    var order: [UInt64] = []
    while let flight = admission.next(at: start) {
      order.append(flight)
      admission.ended(at: a)
    }
    #expect(order == [4, 3, 2, 1])
  }

  @Test("A retry waits for its time without holding a place, and says when it will be due")
  func notBefore() {
    var admission = Admission(.init(jobs: 1))
    let due = start + .seconds(2)
    admission.enqueue(1, to: a, priority: .normal, notBefore: due)
    #expect(admission.next(at: start) == nil)
    #expect(admission.nextWake(after: start) == due)
    admission.enqueue(2, to: a, priority: .normal)
    #expect(admission.next(at: start) == 2)
    admission.ended(at: a)
    #expect(admission.next(at: due) == 1)
  }

  @Test("An origin that asks for patience holds up its own flights only")
  func slow() {
    var admission = Admission(.init())
    admission.enqueue(1, to: a, priority: .normal)
    admission.enqueue(2, to: b, priority: .normal)
    let until = start + .seconds(1)
    admission.slow(a, until: until)
    #expect(all(&admission, at: start) == [2])
    #expect(admission.nextWake(after: start) == until)
    #expect(all(&admission, at: until) == [1])
  }

  @Test("A rate spaces the requests to an origin")
  func rate() {
    var admission = Admission(.init(requestsPerSecond: 4))
    for flight in 1...3 { admission.enqueue(UInt64(flight), to: a, priority: .normal) }
    #expect(all(&admission, at: start) == [1])
    #expect(admission.nextWake(after: start) == start + .milliseconds(250))
    #expect(all(&admission, at: start + .milliseconds(249)) == [])
    #expect(all(&admission, at: start + .milliseconds(250)) == [2])
  }

  @Test("A rate of 0 is no limit", arguments: [0, -1.0])
  func noRate(rate: Double) {
    var admission = Admission(.init(requestsPerSecond: rate))
    for flight in 1...3 { admission.enqueue(UInt64(flight), to: a, priority: .normal) }
    #expect(all(&admission, at: start) == [1, 2, 3])
  }

  @Test("An origin that asks for time between requests gets it, or more where a rate is lower", arguments: [nil, 0.25])
  func spacing(rate: Double?) {
    var admission = Admission(.init(requestsPerSecond: rate))
    admission.space(a, by: .seconds(2))
    for flight in 1...2 { admission.enqueue(UInt64(flight), to: a, priority: .normal) }
    #expect(all(&admission, at: start) == [1])
    #expect(admission.nextWake(after: start) == start + .seconds(rate == nil ? 2 : 4))
  }

  @Test("What is wanted no longer does not start")
  func removal() {
    var admission = Admission(.init(jobs: 1))
    for flight in 1...3 { admission.enqueue(UInt64(flight), to: a, priority: .normal) }
    #expect(admission.remove(2) == true)
    #expect(admission.remove(9) == false)
    #expect(admission.next(at: start) == 1)
    admission.ended(at: a)
    #expect(admission.next(at: start) == 3)
  }

  private func origin(_ number: Int) -> Origin { Origin(isSecure: false, host: "h\(number).example", port: 80) }

  @Test("Origins that have not answered yet hold half of the places together")
  func unproven() {
    var admission = Admission(.init(jobs: 20))
    for host in 0..<9 {
      for flight in 1...9 { admission.enqueue(UInt64(10 * host + flight), to: origin(host), priority: .normal) }
    }
    #expect(all(&admission, at: start).count == 10)
    #expect(all(&admission, at: start) == [])
    admission.answered(origin(0), overHTTP2: false, at: start)
    // Its flights count no longer, and the others may use those places.
    #expect(all(&admission, at: start).count == 6)
    #expect(admission.inProgress == 16)
  }

  @Test("Where such places are scarce, an origin gets as many as show that it is dead")
  func scarce() {
    var admission = Admission(.init(jobs: 40))
    for host in 0..<9 {
      for flight in 1...9 { admission.enqueue(UInt64(10 * host + flight), to: origin(host), priority: .normal) }
    }
    #expect(
      all(&admission, at: start) == [1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 21, 22, 23, 31, 32, 33, 41, 42, 43, 51])
  }

  @Test("A remote cache is asked only for what the origin could be asked for soon, unless that is down")
  func onward() {
    let c = Origin(isSecure: true, host: "c.example", port: 443)
    var admission = Admission(.init(perHost: 2))
    for flight in 1...3 { admission.enqueue(UInt64(flight), to: a, priority: .normal) }
    #expect(all(&admission, at: start) == [1, 2])
    for flight in 11...13 { admission.enqueue(UInt64(flight), to: b, priority: .normal, onward: a) }
    admission.enqueue(14, to: b, priority: .normal, onward: c)
    #expect(all(&admission, at: start) == [14])
    admission.ended(at: a)
    #expect(all(&admission, at: start) == [3, 11])

    var other = down(1...9)
    other.enqueue(21, to: b, priority: .normal, onward: a)
    #expect(all(&other, at: start) == [21])
  }

  /// An admission in which `flights` wait for `a`, which has been silent to three of them.
  private func down(_ flights: ClosedRange<UInt64>, retries: Int = 2) -> Admission {
    var admission = Admission(.init())
    for flight in flights { admission.enqueue(flight, to: a, priority: .normal) }
    for silence in 1...3 {
      #expect(admission.next(at: start) == UInt64(silence))
      admission.ended(at: a)
      let change = admission.wasSilent(
        a, to: start, at: start, because: "refused", retries: retries, random: 1)
      #expect(change == (silence == 3 ? .wentDown : .none))
    }
    return admission
  }

  @Test("Of an origin that is down one flight at a time tries it again, with growing pauses, until all are given up")
  func trials() {
    var admission = down(1...9)
    #expect(admission.outage(of: a) == "refused")
    admission.enqueue(100, to: b, priority: .normal)
    #expect(all(&admission, at: start) == [100])
    var now = start
    for (trial, pause) in [(UInt64(4), 0.5), (5, 1), (6, 2)] {
      #expect(admission.nextWake(after: now) == now + .seconds(pause))
      now = now + .seconds(pause)
      #expect(all(&admission, at: now) == [trial])
      admission.ended(at: a)
      let change = admission.wasSilent(a, to: now, at: now, because: "refused", retries: 2, random: 1)
      #expect(change == (trial == 6 ? .gaveUp : .none))
      #expect(admission.isGivenUp(a, at: now) == (trial == 6))
    }
    #expect(admission.waiting(for: a) == [7, 8, 9])
  }

  @Test("Who has tried an origin least tries it next")
  func leastTried() {
    var admission = down(1...4)
    for flight in 1...3 { admission.enqueue(UInt64(flight), to: a, priority: .normal, refusals: 1) }
    #expect(all(&admission, at: start + .seconds(1)) == [4])
  }

  @Test("After several refusals in a row one that was refused tries the origin, if it can afford another refusal")
  func insisting() {
    var admission = Admission(.init())
    var now = start
    for _ in 0..<5 {
      now = now + .seconds(10)
      _ = admission.refused(by: a, startedAt: now, at: now, random: 0)
    }
    admission.enqueue(1, to: a, priority: .normal)
    admission.enqueue(2, to: a, priority: .normal, refusals: 1)
    admission.enqueue(3, to: a, priority: .normal, refusals: 1, hasSpare: true)
    let first = admission.next(at: now + .seconds(10))
    admission.ended(at: a)
    let second = admission.next(at: now + .seconds(20))
    #expect(first == 3 && second == 1)
  }

  @Test("One answer brings an origin back")
  func back() {
    var admission = down(1...9)
    let now = start + .seconds(1)
    #expect(all(&admission, at: now) == [4])
    admission.answered(a, overHTTP2: false, at: now)
    #expect(admission.outage(of: a) == nil)
    #expect(all(&admission, at: now) == [5, 6, 7, 8, 9])
  }

  @Test("A random walk never exceeds a limit, starts everything once, and in order within an origin", arguments: 1...20)
  func randomWalk(walk: Int) {
    let seed = Seed()
    var random = seed.random(for: walk)
    let limits = Admission.Limits(
      jobs: Int.random(in: 1...8, using: &random), perHost: Int.random(in: 1...4, using: &random))
    var admission = Admission(limits)
    let origins = (0..<5).map { Origin(isSecure: false, host: "h\($0).example", port: 80) }
    var waiting: [UInt64: Origin] = [:]
    var running: [UInt64: Origin] = [:]
    var last: [Origin: UInt64] = [:]
    var next: UInt64 = 0
    for _ in 0..<2000 {
      if Bool.random(using: &random) {
        next += 1
        let origin = origins[Int.random(in: 0..<5, using: &random)]
        waiting[next] = origin
        admission.enqueue(next, to: origin, priority: .normal)
      } else if let flight = running.keys.sorted().randomElement(using: &random),
        let origin = running.removeValue(forKey: flight)
      {
        admission.ended(at: origin)
      }
      while let flight = admission.next(at: start) {
        guard let origin = waiting.removeValue(forKey: flight) else {
          Issue.record("flight \(flight) started twice, \(seed)")
          return
        }
        #expect(flight > last[origin] ?? 0, "\(seed)")
        last[origin] = flight
        running[flight] = origin
      }
      #expect(running.count <= limits.jobs, "\(seed)")
      for origin in origins {
        #expect(running.values.filter { $0 == origin }.count <= limits.perHost ?? 6, "\(seed)")
      }
    }
  }
}
