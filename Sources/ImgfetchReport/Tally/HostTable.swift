/// The images of each host: exact up to ``most`` hosts. If there are more, those with the fewest failures and images
/// are forgotten, and the table says that it is approximate. A pure value of bounded size.
package struct HostTable: Sendable {
  package struct Host: Sendable {
    /// With its port where that is not the scheme's.
    package var name: String
    package var total: UInt32 = 0
    package var failed: UInt32 = 0
    package var bytes: Int64 = 0
    /// The times of images, by powers of two from a millisecond.
    fileprivate var times = SIMD16<UInt32>.zero

    /// The median of the times in milliseconds, as far as powers of two tell it, or nil if there are none.
    package var median: Double? {
      let all = (0..<16).reduce(0) { $0 + Int(times[$1]) }
      guard all > 0 else { return nil }
      var passed = 0
      for place in 0..<16 {
        let here = Int(times[place])
        if 2 * (passed + here) >= all {
          let part = here == 0 ? 0 : (Double(all) / 2 - Double(passed)) / Double(here)
          let low = place == 0 ? 0 : Double(1 << place)
          return low + part * (Double(2 << place) - low)
        }
        passed += here
      }
      return nil
    }

    fileprivate mutating func add(_ elapsed: Double) {
      let whole = UInt32(min(max(elapsed, 1), 65_535))
      times[31 - whole.leadingZeroBitCount] &+= 1
    }
  }

  /// The reasons why images of a host failed: one message, and how often each cause was one.
  private struct Reason: Sendable {
    let message: String
    var causes = Counts<Int>(most: 8)
  }

  private static let most = 100_000
  private static let longestName = 255
  /// Only the hosts with the most failures have reasons.
  private static let mostReasons = 256

  private var hosts: [Host] = []
  /// The hosts' places by the hashes of their names. Each process hashes in its own way, so no server can choose names
  /// that are alike.
  private var places: [Int: Int32] = [:]
  private var reasons: [Int32: Reason] = [:]
  /// At most the fewest failures of any host that has reasons.
  private var leastTold: UInt32 = 0
  package private(set) var isExact = true

  package init() {}

  package var count: Int { hosts.count }

  mutating func add(_ row: Row, in bytes: Span<UInt8>) {
    guard let range = Self.host(row.counted(in: bytes), in: bytes) else { return }
    let place = self.place(of: range, in: bytes)
    hosts[Int(place)].total &+= 1
    if row.hasFailed {
      hosts[Int(place)].failed &+= 1
      keepReason(of: place, row, in: bytes)
    } else {
      hosts[Int(place)].bytes &+= row.bytes ?? 0
      if let elapsed = row.elapsed { hosts[Int(place)].add(elapsed) }
    }
    if hosts.count > Self.most { forget() }
  }

  private mutating func place(of range: Range<Int>, in bytes: Span<UInt8>) -> Int32 {
    var hasher = Hasher()
    for at in range { hasher.combine(Self.lowered(bytes[at])) }
    let hash = hasher.finalize()
    if let place = places[hash] { return place }
    var name: [UInt8] = []
    for at in range.prefix(Self.longestName) { name.append(Self.lowered(bytes[at])) }
    let place = Int32(hosts.count)
    hosts.append(Host(name: String(decoding: name, as: UTF8.self)))
    places[hash] = place
    return place
  }

  private static func lowered(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

  private mutating func keepReason(of place: Int32, _ row: Row, in bytes: Span<UInt8>) {
    if reasons[place] == nil {
      guard makeRoom(forReasonOf: place) else { return }
      reasons[place] = Reason(message: row.message.string(in: bytes, most: 512))
    }
    reasons[place]?.causes.add(row.cause(in: bytes))
  }

  /// Forgets the reasons of the host with the fewest failures where there are many. Returns false if that is this one.
  private mutating func makeRoom(forReasonOf place: Int32) -> Bool {
    guard reasons.count >= Self.mostReasons else { return true }
    guard hosts[Int(place)].failed > leastTold else { return false }
    let least = reasons.keys.map { (place: $0, failed: hosts[Int($0)].failed) }.min {
      ($0.failed, $1.place) < ($1.failed, $0.place)
    }
    guard let least else { return true }
    leastTold = least.failed
    guard hosts[Int(place)].failed > leastTold else { return false }
    reasons[least.place] = nil
    return true
  }

  /// Forgets half of the hosts: those with the fewest failures, and among equals those with the fewest images.
  private mutating func forget() {
    isExact = false
    let order = hosts.indices.sorted {
      (hosts[$0].failed, hosts[$0].total, $1) > (hosts[$1].failed, hosts[$1].total, $0)
    }
    var isKept = [Bool](repeating: false, count: hosts.count)
    for place in order.prefix(Self.most / 2) { isKept[place] = true }
    // They move up in their list: a second one would be the most memory that a report takes.
    var moved = [Int32](repeating: -1, count: hosts.count)
    var next = 0
    for place in hosts.indices where isKept[place] {
      moved[place] = Int32(next)
      hosts[next] = hosts[place]
      next += 1
    }
    hosts.removeLast(hosts.count - next)
    places = places.compactMapValues { isKept[Int($0)] ? moved[Int($0)] : nil }
    reasons = Dictionary(
      uniqueKeysWithValues: reasons.compactMap { isKept[Int($0)] ? (moved[Int($0)], $1) : nil })
  }

  /// A host of which images failed.
  package struct Failing: Sendable {
    package let host: Host
    /// One of its failures' messages, or nothing if it has too few failures for one.
    package let message: String
    /// The causes of its failures, the most frequent first. Empty if they are not known of all failures.
    package let causes: [(word: String, value: Int)]
  }

  /// The hosts with the most failures. Among equals, hosts with a message come first; only ``mostReasons`` hosts have
  /// one.
  package func failing(most: Int) -> [Failing] {
    let order = hosts.indices.filter { hosts[$0].failed > 0 }.sorted {
      if hosts[$0].failed != hosts[$1].failed { return hosts[$0].failed > hosts[$1].failed }
      let (isTold, isOtherTold) = (reasons[Int32($0)] != nil, reasons[Int32($1)] != nil)
      if isTold != isOtherTold { return isTold }
      return hosts[$0].name.utf8.lexicographicallyPrecedes(hosts[$1].name.utf8)
    }
    return order.prefix(most).map { place in
      let (host, reason) = (hosts[place], reasons[Int32(place)])
      let causes = reason?.causes.total == Int(host.failed) ? reason?.causes.sorted { $0 } : nil
      return Failing(host: host, message: reason?.message ?? "", causes: causes ?? [])
    }
  }

  package func largest(most: Int) -> [Host] {
    let order = hosts.indices.sorted {
      let (one, other) = (hosts[$0], hosts[$1])
      return one.total == other.total
        ? one.name.utf8.lexicographicallyPrecedes(other.name.utf8) : one.total > other.total
    }
    return order.prefix(most).map { hosts[$0] }
  }

  package var failing: Int { hosts.count { $0.failed > 0 } }

  /// The place of the host in a URL, with its port where that is not the scheme's, or nil if there is none.
  static func host(_ url: Row.Text, in bytes: Span<UInt8>) -> Range<Int>? {
    var (start, end) = (Int(url.start), Int(url.start))
    let last = Int(url.end)
    var isSecure = false
    var hasScheme = false
    while end < min(start + 9, last - 2) {
      if bytes[end] == UInt8(ascii: ":"), bytes[end + 1] == UInt8(ascii: "/"), bytes[end + 2] == UInt8(ascii: "/") {
        isSecure = end > start && bytes[end - 1] | 0x20 == UInt8(ascii: "s")
        hasScheme = true
        start = end + 3
        break
      }
      end += 1
    }
    guard hasScheme else { return nil }
    end = start
    while end < last {
      let byte = bytes[end]
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
      if byte == UInt8(ascii: "@") { start = end + 1 }
      if byte <= UInt8(ascii: " ") || byte == UInt8(ascii: "\\") { return nil }
      end += 1
    }
    let port: StaticString = isSecure ? ":443" : ":80"
    let count = port.utf8CodeUnitCount
    if end - start > count, Row.Text(start: Int32(end - count), end: Int32(end)).equals(port, in: bytes) {
      end -= count
    }
    return start < end ? start..<end : nil
  }
}
