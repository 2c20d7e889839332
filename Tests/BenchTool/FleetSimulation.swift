import Glibc
import ImgfetchCore
import ImgfetchDataSet

/// Simulates a list of a thousand million URLs on fleets of several sizes: the program's rules of shards, admission and
/// dead origins, with hosts as the web has them, and no network. Its figures are printed in imgfetch-fleet(7).
struct FleetSimulation {
  /// Images a second that one machine manages where nothing but itself holds it up.
  let speed: Double
  /// The seconds that an origin takes to answer.
  let latency: Double

  private let urls = 1e9
  /// The most popular host has 1/16.7 of all URLs, the second half of that, and so on (Zipf's law with exponent 1).
  private let hosts = 10_000_000
  /// Hosts whose owners are really computed.
  private let exact = 500_000
  private let perShard = 10_000.0
  private let perHost = Double(ShardRule.politePerHost)

  func run() {
    let harmonic = (1...hosts).reduce(0.0) { $0 + 1 / Double($1) }
    print("1e9 URLs, \(hosts) hosts, \(shown(speed)) images/s a machine, answers in \(shown(latency)) s")
    print("machines  parts of          busiest  hours  connections  largest host")
    for machines in [1, 10, 100, 1_000] {
      byLines(machines, harmonic)
      byHost(machines, harmonic, split: false)
      byHost(machines, harmonic, split: true)
    }
    print("")
    print("requests of one machine: admission and dead origins, 50,000 URLs, one host in twenty dead")
    print("images/s  failed at once  most at one origin  seconds")
    var machine = OneMachine(latency: latency, harmonic: harmonic, hosts: hosts)
    machine.run()
    print("")
    // On average half a shard of lines has been fetched, and the open shards of the look-ahead besides.
    let again = perShard / 2 / speed
    print(
      "a dead machine: at most \(shown(perShard)) lines of its open shard again, \(shown(again)) s of its work on average"
    )
  }

  private func shown(_ value: Double) -> String {
    let tenths = (value * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
  }

  /// - Parameters:
  ///   - most: URLs of the machine that has most.
  ///   - connections: how many one origin sees at once from all machines.
  private func line(_ machines: Int, _ what: String, _ most: Double, _ connections: Int, _ harmonic: Double) {
    let skew = (most / (urls / Double(machines)) * 100).rounded() / 100
    // The first host's share, asked over `connections` connections.
    let origin = urls / harmonic * latency / Double(connections)
    let cells = [
      ("\(machines)", 10), (what, 18), ("\(skew)", 9), (shown(most / speed / 3600), 7), ("\(connections)", 13),
      (shown(origin / 3600), 0),
    ]
    print(cells.map { $0.0 + String(repeating: " ", count: max(0, $0.1 - $0.0.utf8.count)) }.joined())
  }

  /// Every Nth shard: even, but each origin is asked by all machines.
  private func byLines(_ machines: Int, _ harmonic: Double) {
    let shards = (urls / perShard).rounded(.up)
    let most = (shards / Double(machines)).rounded(.up) * perShard
    line(machines, "lines", most, Int(perHost) * machines, harmonic)
  }

  /// Hosts: each origin is asked by one machine, or the largest ones by as many as may connect.
  private func byHost(_ machines: Int, _ harmonic: Double, split: Bool) {
    var rule = ShardRule(perShard: Int(perShard))
    rule.part.count = machines
    rule.isByHost = true
    // The hosts that are more than half a machine's part.
    let large = split ? hosts(above: urls / Double(machines) / 2, harmonic) : 0
    var loads = [Double](repeating: 0, count: machines)
    // The rest is so many hosts of some hundred URLs each that it comes out even.
    let rest = (exact + 1...hosts).reduce(0.0) { $0 + urls / harmonic / Double($1) }
    for machine in 0..<machines { loads[machine] = rest / Double(machines) }
    for host in 1...exact {
      let count = urls / harmonic / Double(host)
      let owner = rule.owner(of: Self.origin(host), key: ContentHash(high: 0, low: 0)) - 1
      if host <= large {
        let sharers = min(rule.sharers, machines)
        for next in 0..<sharers { loads[(owner + next) % machines] += count / Double(sharers) }
      } else {
        loads[owner] += count
      }
    }
    line(machines, split ? "hosts, \(large) split" : "hosts", loads.max() ?? 0, Int(perHost), harmonic)
  }

  private func hosts(above count: Double, _ harmonic: Double) -> Int { min(hosts, Int(urls / harmonic / count)) }

  static func origin(_ host: Int) -> Origin { Origin(isSecure: true, host: "host\(host).example", port: 443) }
}

/// The requests of one machine, event by event.
private struct OneMachine {
  let latency: Double
  let harmonic: Double
  let hosts: Int

  private let count = 50_000
  /// Lines that are out or wait at once.
  private let window = 1_000
  private let connectTimeout = 10.0

  private struct End {
    let time: Double
    let flight: UInt64
    let began: Double
  }

  private var random = FleetRandom(state: 1)
  private var admission = Admission(Admission.Limits())
  /// By flight: its host, and how often it was tried.
  private var flights: [(host: Int, attempts: Int)] = []
  /// The earliest stands last.
  private var ends: [End] = []
  private var running: [Int: Int] = [:]
  private var now = 0.0
  private var done = 0
  private var failed = 0
  private var open = 0
  /// Requests that were out at one origin at once.
  private var most = 0

  init(latency: Double, harmonic: Double, hosts: Int) {
    (self.latency, self.harmonic, self.hosts) = (latency, harmonic, hosts)
  }

  mutating func run() {
    while done < count {
      readLines()
      startRequests()
      let wake = admission.nextWake(after: instant(now)).map { Double(($0 - instant(0)).nanoseconds) / 1e9 }
      if let wake, wake < ends.last?.time ?? .infinity {
        now = wake
      } else if let end = ends.popLast() {
        now = end.time
        take(end)
      } else {
        break
      }
    }
    print("\(Int(Double(done - failed) / now))\t\(failed)\t\(most)\t\(Int(now))")
  }

  private mutating func readLines() {
    while flights.count < count, open < window {
      let host = random.host(harmonic, hosts)
      let flight = UInt64(flights.count)
      flights.append((host, 0))
      if admission.isGivenUp(FleetSimulation.origin(host), at: instant(now)) {
        (done, failed) = (done + 1, failed + 1)
      } else {
        admission.enqueue(flight, to: FleetSimulation.origin(host), priority: .normal)
        open += 1
      }
    }
  }

  private mutating func startRequests() {
    while let flight = admission.next(at: instant(now)) {
      let host = flights[Int(flight)].host
      running[host, default: 0] += 1
      most = max(most, running[host] ?? 0)
      let takes = isDead(host) ? connectTimeout : latency * (0.5 + random.fraction())
      insert(End(time: now + takes, flight: flight, began: now))
    }
  }

  private mutating func take(_ end: End) {
    let host = flights[Int(end.flight)].host
    let origin = FleetSimulation.origin(host)
    running[host, default: 1] -= 1
    flights[Int(end.flight)].attempts += 1
    guard isDead(host) else {
      admission.answered(origin, overHTTP2: false, at: instant(now))
      admission.answerEnded(by: origin)
      admission.ended(at: origin)
      (done, open) = (done + 1, open - 1)
      return
    }
    admission.ended(at: origin)
    let change = admission.wasSilent(
      origin, to: instant(end.began), at: instant(now), because: "dead", retries: 2, random: random.fraction())
    if case .gaveUp = change {
      for waiting in admission.waiting(for: origin) {
        admission.remove(waiting)
        fail()
      }
    }
    if admission.isGivenUp(origin, at: instant(now)) || flights[Int(end.flight)].attempts > 2 {
      fail()
    } else {
      admission.enqueue(end.flight, to: origin, priority: .normal, notBefore: instant(now + 1))
    }
  }

  private mutating func fail() { (done, failed, open) = (done + 1, failed + 1, open - 1) }

  private func isDead(_ host: Int) -> Bool { host % 20 == 7 }

  private func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }

  private mutating func insert(_ end: End) {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle].time > end.time { low = middle + 1 } else { high = middle }
    }
    ends.insert(end, at: low)
  }
}

/// SplitMix64: the same figures each time.
private struct FleetRandom {
  var state: UInt64

  mutating func fraction() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) / 9_007_199_254_740_992
  }

  /// A host by Zipf's law: the sum of 1/n up to n is close to the logarithm of n and Euler's constant.
  mutating func host(_ harmonic: Double, _ hosts: Int) -> Int {
    let sum = fraction() * harmonic
    var (n, reached) = (1, 1.0)
    while reached < sum, n < 30 {
      n += 1
      reached += 1 / Double(n)
    }
    if reached >= sum { return n }
    return min(hosts, max(30, Int(exp(sum - 0.577_215_664_9))))
  }
}
