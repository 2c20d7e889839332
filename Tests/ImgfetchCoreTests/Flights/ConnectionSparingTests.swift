import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Admission: connections are the dear thing") struct ConnectionSparingTests {
  private let start = Instant(nanoseconds: 0)

  private func origin(_ number: Int, isSecure: Bool = true) -> Origin {
    Origin(isSecure: isSecure, host: "h\(number).example", port: 443)
  }

  private func made(jobs: Int = 100, _ change: (inout Admission.Limits) -> Void = { _ in }) -> Admission {
    var limits = Admission.Limits(jobs: jobs)
    limits.sparesConnections = true
    change(&limits)
    return Admission(limits)
  }

  private func all(_ admission: inout Admission, at now: Instant) -> [UInt64] {
    var started: [UInt64] = []
    while let flight = admission.next(at: now) { started.append(flight) }
    return started
  }

  /// A connection is there, and the flight that opened it has its answer.
  private func open(_ origin: Origin, _ admission: inout Admission, at now: Instant) {
    admission.opened(to: origin, in: .milliseconds(10))
    admission.answered(origin, overHTTP2: false, at: now)
    admission.ended(at: origin)
    admission.answerEnded(by: origin, after: .milliseconds(30))
  }

  @Test("Each origin has its first connection before any has a second, and its handshake is waited for")
  func breadthFirst() {
    var admission = made()
    for host in 0..<3 {
      for flight in 0..<4 { admission.enqueue(UInt64(10 * host + flight), to: origin(host), priority: .normal) }
    }
    #expect(all(&admission, at: start) == [0, 10, 20])
    // It takes longer than usual: as many as show that the origin is dead set out.
    #expect(admission.nextWake(after: start) == start + .seconds(1))
    #expect(all(&admission, at: start + .milliseconds(999)) == [])
    #expect(Set(all(&admission, at: start + .seconds(1))) == Set([1, 2, 3, 11, 12, 13, 21, 22, 23]))
  }

  @Test("Of one host six are under way at once, as soon as it is known that it speaks HTTP/1.1")
  func oneHost() {
    var admission = made()
    for flight in 1...9 { admission.enqueue(UInt64(flight), to: origin(0), priority: .normal) }
    #expect(all(&admission, at: start) == [1])
    admission.opened(to: origin(0), in: .milliseconds(20))
    #expect(all(&admission, at: start) == [2, 3, 4, 5, 6])
  }

  @Test("Without TLS nothing is waited for")
  func plain() {
    var admission = made()
    for flight in 1...9 { admission.enqueue(UInt64(flight), to: origin(0, isSecure: false), priority: .normal) }
    #expect(all(&admission, at: start) == [1, 2, 3, 4, 5, 6])
  }

  @Test("Over HTTP/2 all share the first connection")
  func multiplexed() {
    var admission = made()
    for flight in 1...9 { admission.enqueue(UInt64(flight), to: origin(0), priority: .normal) }
    #expect(all(&admission, at: start) == [1])
    admission.opened(to: origin(0), in: .milliseconds(20))
    admission.answered(origin(0), overHTTP2: true, at: start)
    #expect(all(&admission, at: start) == [2, 3, 4, 5, 6, 7, 8, 9])
  }

  @Test("Requests share six connections at the most, however few each of these takes", arguments: [1, 3, 32, 1000])
  func fewStreams(each: Int) {
    var admission = made { $0.boundsSharedConnections = true }
    for flight in 1...200 { admission.enqueue(UInt64(flight), to: origin(0), priority: .normal) }
    #expect(all(&admission, at: start) == [1])
    admission.opened(to: origin(0), in: .milliseconds(10), startedAt: start)
    admission.wentOut(to: origin(0))
    admission.answered(origin(0), overHTTP2: true, at: start)
    var (connections, out, most, ended) = (1, 1, 1, 0)
    while out > 0 {
      let started = all(&admission, at: start).count
      for _ in 0..<started {
        if out == connections * each {
          connections += 1
          admission.opened(to: origin(0), in: .milliseconds(10), startedAt: start)
        }
        out += 1
        admission.wentOut(to: origin(0))
      }
      most = max(most, out)
      guard started == 0 else { continue }
      admission.ended(at: origin(0))
      (out, ended) = (out - 1, ended + 1)
    }
    #expect(ended == 200)
    #expect(connections <= 6)
    // Five of them are full, as far as there are places.
    #expect(most > 5 * each || most == 100, "\(most)")
  }

  /// As with a server that closes each connection after a few requests. If nothing started, nothing would end the run.
  @Test("Connections that were full are used again, though all their requests have ended before another starts")
  func allEnded() {
    var admission = made { $0.boundsSharedConnections = true }
    for flight in 1...20 { admission.enqueue(UInt64(flight), to: origin(0), priority: .normal) }
    for (flights, connections) in [(1...1, 1), (2...5, 4), (6...10, 1)] as [(ClosedRange<UInt64>, Int)] {
      #expect(all(&admission, at: start) == Array(flights))
      for _ in 0..<connections { admission.opened(to: origin(0), in: .milliseconds(10), startedAt: start) }
      for _ in flights { admission.wentOut(to: origin(0)) }
      for _ in flights {
        admission.answered(origin(0), overHTTP2: true, at: start)
        admission.ended(at: origin(0))
        admission.answerEnded(by: origin(0))
      }
    }
    #expect(all(&admission, at: start) == Array(11...16))
  }

  @Test("A flight that does not get as far as its request makes room for another")
  func unsent() {
    var admission = made { $0.boundsSharedConnections = true }
    for flight in 1...20 { admission.enqueue(UInt64(flight), to: origin(0), priority: .normal) }
    #expect(all(&admission, at: start) == [1])
    admission.opened(to: origin(0), in: .milliseconds(10), startedAt: start)
    admission.wentOut(to: origin(0))
    admission.answered(origin(0), overHTTP2: true, at: start)
    #expect(all(&admission, at: start) == [2, 3, 4, 5])
    admission.stayed(from: origin(0))
    admission.ended(at: origin(0))
    #expect(all(&admission, at: start) == [6])
    for _ in 0..<4 { admission.wentOut(to: origin(0)) }
    #expect(all(&admission, at: start) == [7, 8, 9, 10])
  }

  @Test("What can go over an open connection goes first, then what needs the first one to its origin")
  func openFirst() {
    var admission = made(jobs: 2)
    admission.enqueue(1, to: origin(0), priority: .normal)
    #expect(all(&admission, at: start) == [1])
    open(origin(0), &admission, at: start)
    for (flight, host) in [(2, 1), (3, 0), (4, 0), (5, 2)] {
      admission.enqueue(UInt64(flight), to: origin(host), priority: .normal)
    }
    #expect(all(&admission, at: start) == [3, 2])
    admission.ended(at: origin(0))
    #expect(all(&admission, at: start) == [4])
    // A higher priority goes before either.
    admission.enqueue(6, to: origin(3), priority: .high)
    admission.enqueue(7, to: origin(0), priority: .normal)
    open(origin(1), &admission, at: start)
    #expect(all(&admission, at: start) == [6])
  }

  @Test("A second connection is not worth its handshake where many origins would want one")
  func further() {
    func wanted(origins: Int, each: Int) -> Int {
      var admission = made(jobs: 1000)
      for host in 0..<origins {
        for _ in 0..<each { admission.enqueue(UInt64.random(in: 1 ... .max), to: origin(host), priority: .normal) }
      }
      let first = all(&admission, at: start).count
      for host in 0..<origins { open(origin(host), &admission, at: start) }
      // Over the open ones go as many as there are connections.
      return all(&admission, at: start).count - first
    }
    #expect(wanted(origins: 1, each: 7) == 4)
    #expect(wanted(origins: 2, each: 7) == 6)
    #expect(wanted(origins: 100, each: 7) == 0)
    #expect(wanted(origins: 20, each: 100) == 100)
  }

  @Test("An origin that may be dead is tried again before new ones, and before those with open connections")
  func doubt() {
    var admission = made(jobs: 2)
    admission.enqueue(1, to: origin(0), priority: .normal)
    #expect(all(&admission, at: start) == [1])
    open(origin(0), &admission, at: start)
    admission.enqueue(2, to: origin(1), priority: .normal)
    #expect(all(&admission, at: start) == [2])
    admission.ended(at: origin(1))
    _ = admission.wasSilent(origin(1), to: start, at: start, because: "refused", retries: 2, random: 0)
    for (flight, host) in [(3, 1), (4, 0), (5, 2)] {
      admission.enqueue(UInt64(flight), to: origin(host), priority: .normal)
    }
    #expect(admission.next(at: start) == 3)
    #expect(admission.next(at: start) == 4)
  }

  @Test("A connection that is lost is opened anew, by one flight")
  func lost() {
    var admission = made()
    admission.enqueue(1, to: origin(0), priority: .normal)
    #expect(all(&admission, at: start) == [1])
    open(origin(0), &admission, at: start)
    admission.closed(to: origin(0))
    for flight in 2...4 { admission.enqueue(UInt64(flight), to: origin(0), priority: .normal) }
    #expect(all(&admission, at: start) == [2])
  }

  @Test("No flight is overtaken by more than 512 others")
  func overtaken() {
    var admission = made(jobs: 1) { $0.sparesConnections = true }
    admission.enqueue(1, to: origin(0), priority: .normal)
    #expect(admission.next(at: start) == 1)
    open(origin(0), &admission, at: start)
    admission.enqueue(2, to: origin(1), priority: .normal)
    var overtook = 0
    for flight in 3... {
      admission.enqueue(UInt64(flight), to: origin(0), priority: .normal)
      let next = admission.next(at: start)
      if next == 2 || next == nil { break }
      overtook += 1
      admission.ended(at: origin(0))
    }
    #expect(overtook == 513)
  }

  @Test("Connections are kept while there is work for them, and some in any case")
  func keeping() {
    let keeping = ConnectionKeeping(most: 512)
    #expect(keeping.keeps(open: 128, hasAhead: false) && !keeping.keeps(open: 129, hasAhead: false))
    #expect(keeping.keeps(open: 512, hasAhead: true) && !keeping.keeps(open: 513, hasAhead: true))
    #expect(!ConnectionKeeping(most: 4).keeps(open: 5, hasAhead: false))
  }

  @Test("Of two connections that a transfer tries, the one that is closed does not count")
  func book() {
    var book = ConnectionBook()
    book.opened(5, by: 1, to: origin(0))
    book.opened(6, by: 1, to: origin(0))
    book.opened(7, by: 2, to: nil)
    #expect(book.count == 3)
    #expect(book.closed(5) == nil)
    #expect(book.connected(1)?.count == 1)
    #expect(book.connected(1) == nil && book.connected(3) == nil)
    #expect(book.closed(6) == origin(0) && book.closed(7) == nil && book.closed(9) == nil)
    #expect(book.count == 0)
  }

  // MARK: - Whole lists

  @Test("A shuffled or sorted list of many hosts takes one connection a host", arguments: [false, true])
  func wholeList(isSorted: Bool) {
    let seed = Seed()
    var random = seed.random(for: 1)
    var lines = (0..<600).flatMap { Array(repeating: Int32($0), count: 7) }
    if !isSorted { lines.shuffle(using: &random) }
    var list = ListSimulation(lines: lines)
    let outcome = list.run()
    #expect(outcome.order.sorted() == Array(lines.indices), "\(seed)")
    #expect(Double(outcome.connections) <= 1.15 * 600, "\(outcome.connections) connections, \(seed)")
    #expect(outcome.mostOpen <= 400, "\(outcome.mostOpen) open, \(seed)")
    // A hundred at once, 50 ms each, take 2.1 s.
    #expect(outcome.seconds < 2 * 2.1, "\(outcome.seconds) s, \(seed)")
  }

  @Test("Hosts as frequent as words: few connections each, and no line waits for ever")
  func zipf() {
    let seed = Seed()
    let lines = ListSimulation.zipf(lines: 20_000, hosts: 4_000, seed: seed.number)
    var list = ListSimulation(lines: lines)
    let outcome = list.run()
    #expect(outcome.order.sorted() == Array(lines.indices), "\(seed)")
    #expect(Double(outcome.connections) <= 2.2 * Double(outcome.origins), "\(outcome.connections), \(seed)")
    #expect(outcome.mostOvertaken < lines.count, "\(outcome.mostOvertaken), \(seed)")
  }
}
