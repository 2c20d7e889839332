/// Collects the entries that a cleaning would remove, in a dry run. May be used from any thread.
final class CleaningTrial: Sendable {
  private let noted = Guarded<[String]>([])

  func note(_ file: ShardScan.File, in scan: ShardScan) {
    let name = String(decoding: scan.name(of: file), as: UTF8.self)
    noted.withLock { $0.append("\(CacheKey.shardName(scan.shard))/\(name)") }
  }

  /// The paths of the entries below the namespace's folder, in order.
  var paths: [String] { noted.withLock { $0 }.sorted() }
}
