/// What became of a shard's lines: what is reported of it, and whether it may be made at all. A pure value.
package struct ShardTally: Sendable {
  /// Failures of one kind and status.
  package struct Failures: Sendable {
    package let kind: FetchError.Kind
    package let status: Int?
    package var count: Int
    /// The first one's message.
    package let message: String
  }

  /// Why a shard is not made.
  package enum Objection: Hashable, Sendable {
    /// Lines were broken off.
    case cancelled
    /// Lines failed since a file could not be read or written here.
    case file(String)
    /// Too many lines failed for a passing reason.
    case transient(count: Int, lines: Int)
    /// No name could be looked up, or no proxy reached, while it was made.
    case unreachable(String)
  }

  package private(set) var images = 0
  package private(set) var failed = 0
  /// Bytes of the images.
  package private(set) var bytes: Int64 = 0
  package private(set) var downloaded: Int64 = 0
  package private(set) var attempts = 0
  package private(set) var none = 0
  package private(set) var memory = 0
  package private(set) var disk = 0
  package private(set) var remote = 0
  package private(set) var failures: [Failures] = []
  private var transient = 0
  private var cancelled = 0
  /// The first failure of a file.
  private var fileFailure: String?
  /// Whether anything was heard over the network.
  private var hasAnswer = false
  /// The first failure to reach a name server or a proxy.
  private var unreachable: String?

  package init() {}

  package var lines: Int { images + failed }

  package mutating func add(_ result: FetchResult) {
    downloaded &+= result.downloaded
    attempts &+= result.attempts
    if result.attempts > 0, result.status != nil { hasAnswer = true }
    guard let error = result.error else {
      images += 1
      bytes &+= result.bytes ?? 0
      switch result.answerer {
      case .some(.none): none += 1
      case .memory: memory += 1
      case .disk: disk += 1
      case .remote: remote += 1
      case nil: break
      }
      return
    }
    add(error, status: result.status ?? error.status)
  }

  private mutating func add(_ error: FetchError, status: Int?) {
    failed += 1
    switch error.kind {
    case .cancelled: cancelled += 1
    case .file: fileFailure = fileFailure ?? error.message
    default: if error.isTransient { transient += 1 }
    }
    let isOutage = error.isTransient && (error.kind == .name || error.remedy == .changeProxy)
    if isOutage { unreachable = unreachable ?? error.message }
    if let at = failures.firstIndex(where: { $0.kind == error.kind && $0.status == status }) {
      failures[at].count += 1
    } else {
      failures.append(Failures(kind: error.kind, status: status, count: 1, message: error.message))
    }
  }

  /// Why the shard may not be made; nil: it may.
  ///
  /// - Parameter mostTransient: the part of the lines that may have failed for a passing reason, from 0 to 1.
  package func objection(mostTransient: Double) -> Objection? {
    if cancelled > 0 { return .cancelled }
    if let fileFailure { return .file(fileFailure) }
    if let unreachable, !hasAnswer { return .unreachable(unreachable) }
    if Double(transient) > mostTransient * Double(lines) { return .transient(count: transient, lines: lines) }
    return nil
  }
}
