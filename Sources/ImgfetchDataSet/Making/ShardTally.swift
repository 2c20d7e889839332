import ImgfetchCore

/// Counts the outcomes of a shard's lines, for its report, and to decide whether it may be made at all. A pure value.
package struct ShardTally: Sendable {
  /// Failures of one kind and status.
  package struct Failures: Sendable {
    package let kind: FetchError.Kind
    package let status: Int?
    package var count: Int
    /// The first one's message.
    package let message: String

    package init(_ kind: FetchError.Kind, status: Int?, message: String, count: Int = 1) {
      self.kind = kind
      self.status = status
      self.count = count
      self.message = message
    }
  }

  /// The reason why a shard is not made.
  package enum Objection: Hashable, Sendable {
    /// Lines were broken off.
    case cancelled
    /// Lines failed since a file could not be read or written here, or since this machine lacks
    /// something that they need.
    case file(String)
    /// Too many lines failed for a passing reason.
    case transient(count: Int, lines: Int)
    /// No name could be looked up, or no proxy reached, while it was made.
    case unreachable(String)
  }

  package private(set) var images = 0
  package private(set) var failed = 0
  package private(set) var bytes: Int64 = 0
  package private(set) var downloaded: Int64 = 0
  package private(set) var attempts = 0
  package private(set) var caches = CacheCounts()
  package private(set) var failures: [Failures] = []
  /// Failures of names that may pass. They count whatever the host.
  private var transientNames = 0
  private var hosts: [String: Host] = [:]
  private var cancelled = 0
  private var fileFailure: String?
  /// True if any answer came over the network.
  private var hasAnswer = false
  /// The first failure to reach a name server or a proxy.
  private var unreachable: String?

  /// The fate of a host's lines.
  fileprivate struct Host {
    var hasAnswered = false
    var transient = 0
    /// True if an image of it came, from a cache or not, or another answer.
    var isKnown = false
    /// The same over TLS.
    var isTrusted = false
    /// Lines that failed since its name does not exist.
    var absent = 0
    /// Lines that failed since there was no secure connection.
    var untrusted = 0
  }

  package init() {}

  package var lines: Int { images + failed }

  package mutating func add(_ result: FetchResult) {
    downloaded &+= result.downloaded
    attempts &+= result.attempts
    let isAnswered = result.attempts > 0 && result.status != nil
    if isAnswered { hasAnswer = true }
    if let host = Self.host(of: result.url) { hosts[host, default: Host()].note(result, isAnswered) }
    guard let error = result.error else {
      images += 1
      bytes &+= result.bytes ?? 0
      caches.add(result.answerer)
      return
    }
    add(error, status: result.status ?? error.status)
  }

  private mutating func add(_ error: FetchError, status: Int?) {
    failed += 1
    switch error.kind {
    case .cancelled: cancelled += 1
    case .file: fileFailure = fileFailure ?? error.message
    case _ where error.isOfThisMachine: fileFailure = fileFailure ?? error.message
    default: if error.isTransient, error.kind == .name { transientNames += 1 }
    }
    let isOutage = error.isTransient && (error.kind == .name || error.remedy == .changeProxy)
    if isOutage { unreachable = unreachable ?? error.message }
    if let at = failures.firstIndex(where: { $0.kind == error.kind && $0.status == status }) {
      failures[at].count += 1
    } else {
      failures.append(Failures(error.kind, status: status, message: error.message))
    }
  }

  /// The reason why the shard may not be made, or nil if it may.
  ///
  /// - Parameter mostTransient: the part of the lines that may have failed for a passing reason, from 0 to 1.
  package func objection(mostTransient: Double) -> Objection? {
    if cancelled > 0 { return .cancelled }
    if let fileFailure { return .file(fileFailure) }
    if let unreachable, !hasAnswer { return .unreachable(unreachable) }
    let count = transient
    // A small list is not lost by one line; who allows none has said so.
    let least = mostTransient > 0 ? 1 : 0
    if count > least, Double(count) > mostTransient * Double(lines) { return .transient(count: count, lines: lines) }
    return nil
  }

  /// The number of lines that failed for a passing reason. A few hosts that never answered while others did are dead,
  /// which is no outage: each list has dead hosts, and they are grouped if its shards are by host.
  private var transient: Int {
    let (dead, others) = hosts.values.reduce(into: (hosts: (count: 0, lines: 0), others: 0)) { sum, host in
      if host.hasAnswered || host.transient == 0 {
        sum.others += host.transient
      } else {
        sum.hosts.count += 1
        sum.hosts.lines += host.transient
      }
    }
    let areFew = hosts.values.contains(where: \.hasAnswered) && dead.count * Self.fewOfHosts <= hosts.count
    return transientNames + others + (areFew ? 0 : dead.lines) + ofAllHosts
  }

  /// The number of lines that failed for a reason that is each host's own, unless all hosts have it: where no name
  /// exists, or no certificate is trusted, this machine's names, clock or authorities are wrong.
  private var ofAllHosts: Int {
    let absent = hosts.values.contains(where: \.isKnown) ? [] : hosts.values.map(\.absent).filter { $0 > 0 }
    let untrusted = hosts.values.contains(where: \.isTrusted) ? [] : hosts.values.map(\.untrusted).filter { $0 > 0 }
    return [absent, untrusted].filter { $0.count >= Self.manyHosts }.joined().reduce(0, +)
  }

  /// Fewer hosts may well be gone, or have expired certificates, by themselves.
  private static let manyHosts = 3

  /// Dead hosts may be a fifth of them.
  private static let fewOfHosts = 5

  /// The host, with its port, of a URL as it is shown, or nil for an invalid line.
  private static func host(of url: String) -> String? {
    let bytes = url.utf8
    guard let mark = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[mark...].starts(with: "://".utf8) else {
      return nil
    }
    let rest = bytes[mark...].dropFirst(3).prefix { !"/?#".utf8.contains($0) }
    return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
  }
}

extension ShardTally.Host {
  fileprivate mutating func note(_ result: FetchResult, _ isAnswered: Bool) {
    if isAnswered { hasAnswered = true }
    if isAnswered || result.error == nil {
      isKnown = true
      if result.url.utf8.starts(with: "https:".utf8) { isTrusted = true }
    }
    guard let error = result.error else { return }
    if !error.isTransient, error.kind == .name { absent += 1 }
    if !error.isTransient, error.kind == .tls { untrusted += 1 }
    guard error.kind != .name, error.kind != .file, error.kind != .cancelled else { return }
    // Another machine has it, or a run that asks the network.
    if error.isTransient || error.isOfTime || error.kind == .offline { transient += 1 }
  }
}
