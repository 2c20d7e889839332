import ImgfetchCore

/// Counts the images of each host and those that failed. A pure value of bounded size: exact up to ``most`` hosts.
/// Beyond that, those with the fewest failures are forgotten, so that the counts of the others are lower bounds.
struct HostTally: Hashable, Sendable {
  /// A host with the most failures.
  struct Host: Hashable, Sendable {
    /// The name, with the port if that is not the scheme's.
    var name: String
    var failed: Int
    var total: Int
    /// The message of one of its failures.
    var message: String
  }

  private struct Counts: Hashable {
    var total: UInt32 = 0
    var failed: UInt32 = 0
  }

  private struct Named: Hashable {
    var name: String
    var message: String
  }

  /// Two megabytes of counts.
  private static let most = 100_000
  /// Names and messages are kept of these alone. A host that overtakes one of them does it by a failure, which has
  /// both.
  private static let mostNamed = 64

  /// The counts by the hashes of the hosts' names. A process has its own hashes, so no name from outside can be made to
  /// have another's.
  private var counts: [Int: Counts] = [:]
  private var named: [Int: Named] = [:]

  /// The last image's URL, the end of its host in it, and the host's hash: most lists name a host more than once in a
  /// row.
  private struct Last: Hashable {
    var url = ""
    var end = 0
    var hash = 0
  }

  private var last = Last()

  /// Counts an image, and its failure, which is of the host that a redirect has led to, if that has failed. A line that
  /// is no URL has no host, and one that was broken off here says nothing of its host.
  mutating func add(_ result: FetchResult) {
    if result.key.isEmpty || result.error?.kind == .cancelled { return }
    add(result.failedURL ?? result.url, result.error)
  }

  /// Counts an image of a URL as given, and its failure.
  mutating func add(_ url: String, _ error: FetchError?) {
    let bytes = url.utf8Span.span
    if !isOfLast(bytes) {
      guard let range = Self.host(in: bytes) else { return }
      last = Last(url: url, end: range.upperBound, hash: Self.hash(of: bytes, range))
    }
    let hash = last.hash
    // The table is not searched twice: this is done for each image.
    var failed: UInt32 = 0
    if error == nil {
      counts[hash, default: Counts()].total &+= 1
    } else {
      failed = Self.countFailure(&counts[hash, default: Counts()])
    }
    if let error { name(hash, failed, error) { Self.name(url) } }
    if counts.count > Self.most { forget() }
  }

  private func isOfLast(_ bytes: borrowing Span<UInt8>) -> Bool {
    guard last.end > 0, bytes.count > last.end, bytes[last.end] == UInt8(ascii: "/") else { return false }
    let former = last.url.utf8Span.span
    for at in 0..<last.end where bytes[at] != former[at] { return false }
    return true
  }

  private static func countFailure(_ counts: inout Counts) -> UInt32 {
    counts.total &+= 1
    counts.failed &+= 1
    return counts.failed
  }

  private mutating func name(_ hash: Int, _ failed: UInt32, _ error: FetchError, _ name: () -> String) {
    if named[hash] != nil { return }
    if named.count >= Self.mostNamed {
      let least = named.keys.map { ($0, counts[$0]?.failed ?? 0) }.min { $0.1 < $1.1 }
      guard let least, least.1 < failed else { return }
      named[least.0] = nil
    }
    named[hash] = Named(name: name(), message: error.message)
  }

  /// Forgets half of the hosts: those with the fewest failures.
  private mutating func forget() {
    let order = counts.values.map(\.failed).sorted(by: >)
    let least = order[order.count / 2]
    // Most hosts of a large list may be alike.
    var alike = order.count / 2 - order.count { $0 > least }
    counts = counts.filter { hash, counts in
      if counts.failed == least { alike -= 1 }
      return named[hash] != nil || counts.failed > least || (counts.failed == least && alike >= 0)
    }
  }

  /// The hosts with failures, most failures first. Those with equally many are in the order of their names.
  func hosts(atMost count: Int) -> [Host] {
    let hosts = named.map { hash, named in
      let counts = counts[hash] ?? Counts()
      return Host(name: named.name, failed: Int(counts.failed), total: Int(counts.total), message: named.message)
    }
    return Array(hosts.sorted { ($1.failed, $0.name) < ($0.failed, $1.name) }.prefix(count))
  }

  /// The range of the host in a URL as given, with its port; nil if it has none.
  private static func host(in bytes: borrowing Span<UInt8>) -> Range<Int>? {
    var start = 0
    for at in 0..<max(0, min(bytes.count - 2, 8))
    where bytes[at] == UInt8(ascii: ":") && bytes[at + 1] == UInt8(ascii: "/") && bytes[at + 2] == UInt8(ascii: "/") {
      start = at + 3
      break
    }
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
      if byte == UInt8(ascii: "@") { start = end + 1 }
      // A line that is no URL.
      if byte <= UInt8(ascii: " ") { return nil }
      end += 1
    }
    return start < end ? start..<end : nil
  }

  private static func hash(of bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes, range, ignoresCase: true)
    return hasher.finalize()
  }

  private static func name(_ url: String) -> String {
    let bytes = url.utf8Span.span
    let host = self.host(in: bytes).map { String(bytes, $0) } ?? ""
    if S3Account.isAddress(url) { return "s3://" + host }
    do throws(URLFailure) { return try WebURL(url).origin.hostAndPort } catch { return host }
  }
}
