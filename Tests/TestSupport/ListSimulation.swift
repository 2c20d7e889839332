import ImgfetchCore

/// A list that is read ahead, admitted and answered, event by event: without network, threads or time.
///
/// Each host takes `handshake` to open a connection, and `answer` for an answer. Every second host speaks HTTP/2. A
/// connection is used, kept and closed as the values of the core decide.
package struct ListSimulation {
  package struct Outcome {
    package var connections = 0
    /// Hosts that the list names.
    package var origins = 0
    package var seconds = 0.0
    /// The longest time from the reading of a line to its start.
    package var longestWait = 0.0
    /// The most lines that started between the reading of a line and its start.
    package var mostOvertaken = 0
    package var mostOpen = 0
    package var mostAside = 0
    /// The lines in the order of their starts.
    package var order: [Int] = []
  }

  private enum Event {
    case opened(Int)
    case ended(Int)
  }

  private struct Host {
    var ready = 0
    var inUse = 0
    var isNamed = false
  }

  private let lines: [Int32]
  private let handshake: Double
  private let answer: Double
  private var ahead: LookAhead
  private var admission: Admission
  private let keeping = ConnectionKeeping(most: 512)
  private var hosts: [Host]
  private var origins: [Origin?]
  private var slots: [Int32]
  private var readAt: [Float]
  private var startsAtRead: [Int32]
  private var events = EventHeap()
  private var now = 0.0
  private var open = 0
  private var at = 0
  private var starts = 0
  private var outcome = Outcome()

  /// - Parameters:
  ///   - lines: the host of each line, from 0 on.
  ///   - sparesConnections: true if lines overtake each other for connections' sake.
  package init(
    lines: [Int32], handshake: Double = 0.06, answer: Double = 0.05, jobs: Int = 100, aside: Int = 200_000,
    sparesConnections: Bool = true
  ) {
    self.lines = lines
    self.handshake = handshake
    self.answer = answer
    var limits = LookAheadLimits(aside: aside)
    limits.sparesConnections = sparesConnections
    ahead = LookAhead(limits)
    var admitted = Admission.Limits(jobs: jobs)
    admitted.sparesConnections = sparesConnections
    admission = Admission(admitted)
    let count = Int(lines.max() ?? -1) + 1
    hosts = Array(repeating: Host(), count: count)
    origins = Array(repeating: nil, count: count)
    slots = Array(repeating: 0, count: lines.count)
    outcome.order.reserveCapacity(lines.count)
    readAt = Array(repeating: 0, count: lines.count)
    startsAtRead = Array(repeating: 0, count: lines.count)
  }

  /// A list whose hosts are as frequent as words are (Zipf): the first has the most lines, the tenth a tenth of that.
  package static func zipf(lines: Int, hosts: Int, seed: UInt64) -> [Int32] {
    var random = SeededRandom(seed: seed)
    var sums: [Double] = []
    var sum = 0.0
    for host in 1...hosts {
      sum += 1 / Double(host)
      sums.append(sum)
    }
    return (0..<lines).map { _ in
      let wanted = Double.random(in: 0..<sum, using: &random)
      var (low, high) = (0, hosts - 1)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle] > wanted { high = middle } else { low = middle + 1 }
      }
      return Int32(low)
    }
  }

  /// Runs the list to its end. `sampling` is called now and then while lines are under way, and counts the memory.
  package mutating func run(sampling: () -> Void = {}) -> Outcome {
    var sampled = 0
    while true {
      sendThoseDue()
      read()
      start()
      if starts - sampled >= 1000 {
        sampled = starts
        sampling()
      }
      guard let next = events.first?.time else { break }
      let wake = admission.nextWake(after: instant).map { Double($0.nanoseconds) / 1e9 } ?? .infinity
      now = min(next, wake)
      while let event = events.popDue(at: now) { take(event) }
    }
    outcome.seconds = now
    outcome.origins = hosts.count { $0.isNamed }
    return outcome
  }

  private var instant: Instant { Instant(nanoseconds: Int64(now * 1e9)) }

  private func span(_ seconds: Double) -> Instant.Span { .seconds(seconds) }

  private mutating func origin(_ host: Int) -> Origin {
    if let origin = origins[host] { return origin }
    let origin = Origin(isSecure: true, host: "host\(host).example", port: 443)
    origins[host] = origin
    return origin
  }

  private func isMultiplexed(_ host: Int) -> Bool { host.isMultiple(of: 2) }

  private mutating func sendThoseDue() {
    while let next = ahead.next() { send(Int(next.item.first), next.slot) }
  }

  private mutating func send(_ line: Int, _ slot: Int) {
    slots[line] = Int32(slot)
    admission.enqueue(UInt64(line), to: origin(Int(lines[line])), priority: .normal)
  }

  private mutating func read() {
    while at < lines.count, ahead.mayOffer {
      let host = Int(lines[at])
      hosts[host].isNamed = true
      (readAt[at], startsAtRead[at]) = (Float(now), Int32(starts))
      switch ahead.offer(origin(host)) {
      case .submit(let slot): send(at, slot)
      case .putAside(let slot): ahead.putAside(LookAhead.Note(UInt64(at)), at: slot, .normal)
      case .wait:
        switch ahead.pause(isOnline: true) {
        case .none: continue
        case .untilHalf, .untilSome: return
        case .untilHalfOrInVain, .untilSomeOrInVain:
          ahead.readOn()
          continue
        }
      }
      at += 1
      outcome.mostAside = max(outcome.mostAside, ahead.count)
    }
  }

  private mutating func start() {
    while let flight = admission.next(at: instant) {
      let line = Int(flight)
      let host = Int(lines[line])
      outcome.order.append(line)
      outcome.longestWait = max(outcome.longestWait, now - Double(readAt[line]))
      outcome.mostOvertaken = max(outcome.mostOvertaken, starts - Int(startsAtRead[line]))
      starts += 1
      let hasConnection =
        hosts[host].ready > 0 && (isMultiplexed(host) || hosts[host].inUse < hosts[host].ready)
      hosts[host].inUse += 1
      if hasConnection {
        events.add(.ended(line), at: now + answer)
      } else {
        outcome.connections += 1
        open += 1
        outcome.mostOpen = max(outcome.mostOpen, open)
        events.add(.opened(line), at: now + handshake)
      }
    }
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .opened(let line):
      let host = Int(lines[line])
      hosts[host].ready += 1
      admission.opened(to: origin(host), in: span(handshake))
      events.add(.ended(line), at: now + answer)
    case .ended(let line):
      let host = Int(lines[line])
      let origin = origin(host)
      hosts[host].inUse -= 1
      admission.answered(origin, overHTTP2: isMultiplexed(host), at: instant)
      admission.ended(at: origin)
      admission.answerEnded(by: origin, after: span(answer))
      _ = ahead.answered(Int(slots[line]), isAnswer: true)
      let hasAhead = admission.hasWaiting(for: origin) || ahead.hasAside(origin)
      if !(isMultiplexed(host) && hosts[host].inUse > 0), !keeping.keeps(open: open, hasAhead: hasAhead) {
        hosts[host].ready -= 1
        open -= 1
        admission.closed(to: origin)
      }
    }
  }

  /// The events that are to come, the earliest first.
  private struct EventHeap {
    private var heap: [(time: Double, event: Event)] = []

    var first: (time: Double, event: Event)? { heap.first }

    mutating func add(_ event: Event, at time: Double) {
      heap.append((time, event))
      var child = heap.count - 1
      while child > 0, heap[child].time < heap[(child - 1) / 2].time {
        heap.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
    }

    mutating func popDue(at time: Double) -> Event? {
      guard let first = heap.first, first.time <= time else { return nil }
      let last = heap.removeLast()
      guard !heap.isEmpty else { return first.event }
      heap[0] = last
      var parent = 0
      while true {
        var least = parent
        for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].time < heap[least].time {
          least = child
        }
        if least == parent { return first.event }
        heap.swapAt(parent, least)
        parent = least
      }
    }
  }
}
