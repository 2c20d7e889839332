import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("LookAhead: which request of a list goes next") struct LookAheadTests {
  private func origin(_ number: Int) -> Origin { Origin(isSecure: false, host: "h\(number)", port: 80) }

  private func note(_ line: Int) -> LookAhead.Note { LookAhead.Note(UInt64(line)) }
  private func number(of note: LookAhead.Note) -> Int { Int(note.first) }

  private func made(_ change: (inout LookAheadLimits) -> Void = { _ in }) -> LookAhead {
    var limits = LookAheadLimits(aside: 1000)
    change(&limits)
    return LookAhead(limits)
  }

  /// Offers the requests of `lines`. Returns those that went out.
  private func offer(_ lines: Range<Int>, to host: Int, _ ahead: inout LookAhead) -> [Int] {
    lines.filter { line in
      switch ahead.offer(origin(host)) {
      case .submit: return true
      case .putAside(let slot): ahead.putAside(note(line), at: slot, .normal)
      case .wait: Issue.record("\(line) would wait")
      }
      return false
    }
  }

  @Test(
    "Everything goes out in its order until the window is full; then the reader waits, and goes on when there are answers"
  )
  func window() {
    var ahead = made()
    for line in 0..<256 { #expect(ahead.offer(origin(line % 3)) == .submit(line % 3)) }
    #expect(ahead.offer(origin(7)) == .wait)
    for line in 0..<128 { #expect(ahead.answered(line % 3, isAnswer: true) == false) }
    #expect(ahead.offer(origin(1)) == .submit(1))
    #expect(ahead.count == 0 && ahead.missing == 129)
  }

  @Test("A host that says nothing has its part, and what is behind its requests goes out")
  func silent() {
    var ahead = made()
    #expect(offer(0..<256, to: 0, &ahead).count == 256)
    ahead.readOn()
    #expect(offer(256..<400, to: 0, &ahead) == [])
    // Three show whether the host answers.
    #expect(offer(400..<600, to: 1, &ahead) == [400, 401, 402])
    #expect(ahead.next() == nil)
    #expect(ahead.noteSleep() == true)
    #expect(ahead.answered(1, isAnswer: true) == true)
    var sent: [Int] = []
    while let next = ahead.next() {
      #expect(next.slot == 1)
      sent.append(number(of: next.item))
    }
    #expect(sent == Array(403..<529))
    for _ in 0..<198 {
      _ = ahead.answered(1, isAnswer: true)
      while let next = ahead.next() { sent.append(number(of: next.item)) }
    }
    #expect(sent == Array(403..<600))
    #expect(ahead.count == 144 && ahead.missing == 257)
  }

  @Test("The reader is woken once, and only when a request may go out")
  func wakes() {
    var ahead = made { $0.window = 16 }
    _ = offer(0..<16, to: 0, &ahead)
    ahead.readOn()
    _ = offer(16..<40, to: 0, &ahead)
    #expect(ahead.noteSleep() == true)
    let woken = (0..<12).map { _ in ahead.answered(0, isAnswer: true) }
    #expect(woken == (0..<12).map { $0 == 7 })
    #expect(ahead.isAwake)
    #expect(ahead.noteSleep() == false)
  }

  @Test(
    "High priority goes before normal, low behind it; the newest first where that is asked for",
    arguments: [false, true])
  func order(isNewestFirst: Bool) {
    var ahead = made { ($0.window, $0.isNewestFirst) = (4, isNewestFirst) }
    _ = offer(0..<4, to: 0, &ahead)
    ahead.readOn()
    let priorities: [FetchRequest.Priority] = [.low, .normal, .normal, .high, .low, .high]
    for (line, priority) in priorities.enumerated() {
      #expect(ahead.offer(origin(0)) == .putAside(0))
      ahead.putAside(note(line), at: 0, priority)
    }
    var sent: [Int] = []
    while ahead.count > 0 {
      _ = ahead.answered(0, isAnswer: true)
      while let next = ahead.next() { sent.append(number(of: next.item)) }
    }
    #expect(sent == (isNewestFirst ? [5, 3, 2, 1, 4, 0] : [3, 5, 1, 2, 0, 4]))
  }

  @Test("One download at a time is never overtaken")
  func serial() {
    var ahead = made { $0.isSerial = true }
    _ = offer(0..<256, to: 0, &ahead)
    #expect(ahead.pause(isOnline: true) == .untilHalf)
    ahead.readOn()
    #expect(ahead.offer(origin(1)) == .wait)
  }

  @Test("Hosts that do not answer take up twice the window at most, and then the reader waits")
  func bound() {
    var ahead = made()
    _ = offer(0..<256, to: 0, &ahead)
    ahead.readOn()
    for host in 1...85 { #expect(offer(0..<4, to: host, &ahead) == [0, 1, 2]) }
    #expect(offer(0..<1, to: 86, &ahead) == [0])
    #expect(ahead.missing == 512)
    #expect(ahead.offer(origin(500)) == .wait)
    // One that failed without a word makes room.
    _ = ahead.answered(3, isAnswer: false)
    #expect(ahead.next()?.slot == 3)
  }

  @Test("A list of many hosts is read further, also where its reader had paused in vain before the network was asked")
  func manyHostsOfASlowMachine() {
    var ahead = made { $0.sparesConnections = true }
    for host in 0..<256 { #expect(ahead.offer(origin(host)) == .submit(host)) }
    #expect(ahead.offer(origin(256)) == .wait)
    #expect(ahead.pause(isOnline: false) == .untilHalfOrInVain)
    ahead.readOn()
    for host in 256..<512 { #expect(ahead.offer(origin(host)) == .submit(host)) }
    #expect(ahead.offer(origin(512)) == .wait)
    #expect(ahead.pause(isOnline: true) == .none)
    #expect(offer(512..<612, to: 512, &ahead) == [] && ahead.count == 100)
    // Only then, with no room for more, is there a pause.
    #expect(ahead.pause(isOnline: true) == .untilSome)
  }

  @Test("What was put aside can be taken back")
  func takenBack() {
    var ahead = made { $0.window = 4 }
    _ = offer(0..<4, to: 0, &ahead)
    ahead.readOn()
    _ = offer(4..<9, to: 0, &ahead)
    #expect(ahead.takeAll().map(number).sorted() == Array(4..<9))
    #expect(ahead.count == 0)
    #expect(ahead.next() == nil)
    #expect(ahead.noteSleep() == false)
    for _ in 0..<4 { #expect(ahead.answered(0, isAnswer: true) == false) }
    #expect(ahead.missing == 0)
  }

  // MARK: - Whole lists

  /// Fetches a list from hosts that take `delay` for an answer and six requests at once. The
  /// answer is how long it takes.
  private func run(_ list: [Int], delay: (Int) -> Int?) -> (time: Int, done: [Int]) {
    var ahead = LookAhead(LookAheadLimits(aside: 200_000))
    var queues: [Int: [Int]] = [:]
    var running: [(end: Int, line: Int, slot: Int)] = []
    var slots: [Int: Int] = [:]
    var (now, at, done) = (0, 0, [Int]())
    func begin() {
      for host in queues.keys.sorted() {
        guard let delay = delay(host) else { continue }
        while running.count < 100, running.count(where: { list[$0.line] == host }) < 6, let line = queues[host]?.first {
          queues[host]?.removeFirst()
          running.append((now + delay, line, slots[line] ?? 0))
        }
      }
    }
    func send(_ line: Int, _ slot: Int) {
      slots[line] = slot
      queues[list[line], default: []].append(line)
    }
    while true {
      while let next = ahead.next() { send(number(of: next.item), next.slot) }
      reading: while at < list.count && ahead.mayOffer {
        switch ahead.offer(origin(list[at])) {
        case .submit(let slot): send(at, slot)
        case .putAside(let slot): ahead.putAside(note(at), at: slot, .normal)
        case .wait:
          if ahead.isReadingOn { break reading }
          ahead.readOn()
          continue reading
        }
        at += 1
      }
      begin()
      guard let end = running.map(\.end).min() else { return (now, done) }
      now = end
      for flight in running where flight.end == now {
        done.append(flight.line)
        _ = ahead.answered(flight.slot, isAnswer: true)
      }
      running.removeAll { $0.end == now }
    }
  }

  @Test("A list that is sorted by host takes as long as a shuffled one", arguments: [3, 10, 16])
  func sortedAndShuffled(hosts: Int) {
    let seed = Seed()
    var random = seed.random(for: hosts)
    let sorted = (0..<hosts * 220).map { $0 / 220 }
    let shuffled = sorted.shuffled(using: &random)
    let (inOrder, mixed) = (run(sorted) { 15 + $0 % 3 * 10 }, run(shuffled) { 15 + $0 % 3 * 10 })
    #expect(inOrder.done.sorted() == Array(sorted.indices) && mixed.done.sorted() == Array(sorted.indices), "\(seed)")
    #expect(Double(inOrder.time) <= 1.1 * Double(mixed.time), "\(seed): \(inOrder.time) and \(mixed.time)")
  }

  @Test("All but the lines of hosts that say nothing are had, wherever those stand")
  func silentHosts() {
    let seed = Seed()
    var random = seed.random(for: 0)
    let blocks = (0..<20).map { host in Array(repeating: host, count: 150) }
    for list in [Array(blocks.joined()), blocks.joined().shuffled(using: &random)] {
      let outcome = run(list) { $0 % 5 == 0 ? nil : 20 }
      #expect(outcome.done.sorted() == list.indices.filter { list[$0] % 5 != 0 }, "\(seed)")
    }
  }

  @Test("Whatever the order of offers and answers, nothing is lost, and a thread that sleeps has an answer to come")
  func walk() throws {
    let seed = Seed()
    var random = seed.random(for: 1)
    for _ in 0..<50 {
      var ahead = made { limits in
        limits.window = Int.random(in: 2...20, using: &random)
        limits.aside = Int.random(in: 1...60, using: &random)
        limits.perHost = Int.random(in: 1...6, using: &random)
      }
      let hosts = Int.random(in: 1...12, using: &random)
      var (offered, sent, out) = (0, Set<Int>(), [Int]())
      func send(_ line: Int, _ slot: Int) {
        #expect(sent.insert(line).inserted, "\(seed)")
        out.append(slot)
      }
      while sent.count < 400 || !out.isEmpty {
        while let next = ahead.next() { send(number(of: next.item), next.slot) }
        var isStuck = true
        if offered < 400, ahead.mayOffer {
          switch ahead.offer(origin(Int.random(in: 0..<hosts, using: &random))) {
          case .submit(let slot):
            send(offered, slot)
            (offered, isStuck) = (offered + 1, false)
          case .putAside(let slot):
            ahead.putAside(note(offered), at: slot, .normal)
            (offered, isStuck) = (offered + 1, false)
          case .wait: ahead.readOn()
          }
        }
        #expect(ahead.missing == out.count && ahead.count == offered - sent.count, "\(seed)")
        if isStuck || Bool.random(using: &random) {
          let sleeps = ahead.noteSleep()
          try #require(!sleeps || !out.isEmpty, "\(seed)")
          if let at = out.indices.randomElement(using: &random) {
            _ = ahead.answered(out.remove(at: at), isAnswer: Bool.random(using: &random))
          }
        }
      }
      #expect(sent == Set(0..<400), "\(seed)")
    }
  }

  @Test("Origins that are done with are forgotten")
  func manyOrigins() {
    var ahead = made()
    for host in 0..<5000 {
      guard case .submit(let slot) = ahead.offer(origin(host)) else { return #expect(Bool(false)) }
      #expect(slot < 1024)
      _ = ahead.answered(slot, isAnswer: true)
    }
  }
}
