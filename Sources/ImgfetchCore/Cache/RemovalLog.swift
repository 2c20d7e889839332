/// The entries that a cleaning has removed: for the ring, and for a run whose own images were among them. And the first
/// failure to remove one, which keeps no other file from being removed.
///
/// May be called from any thread.
final class RemovalLog: Sendable {
  private struct State {
    var hashes: [UInt64] = []
    var own = CacheUsage()
    var obstacle: SystemError?
  }

  /// The start of the run, or nil if no run needs a report.
  private let begun: WallTime?
  private let state = Guarded(State())

  /// The kernel gives a file the time of its last tick, which is up to this much behind the clock. Otherwise the first
  /// images of a quick run, whose parts are all made in its first milliseconds, would seem to be of an earlier run.
  private static let tick: Int64 = 10_000_000

  init(since begun: WallTime?) { self.begun = begun.map { WallTime(nanoseconds: $0.nanoseconds &- Self.tick) } }

  /// Notes a removed entry.
  ///
  /// - Parameter isExpired: true if it was removed for its age. A run's own image has such an age if the clock was put
  ///   forward meanwhile, and no larger limit would have kept it.
  func note(_ file: ShardScan.File, named name: ArraySlice<UInt8>, in shard: Int, isExpired: Bool = false) {
    let hash = Self.hash(shard, name)
    // A resumed part is older than the run: only its last byte was written by this one.
    let isOwn = !isExpired && begun.map { max(file.used, file.stored) >= $0 } ?? false
    state.withLock { state in
      if let hash { state.hashes.append(hash) }
      if isOwn { state.own += CacheUsage(bytes: file.size, entries: 1) }
    }
  }

  func note(_ obstacle: SystemError, in shard: Int) {
    let obstacle = obstacle.inShard(shard)
    state.withLock { $0.obstacle = $0.obstacle ?? obstacle }
  }

  /// The first failure to remove a file, or nil if all were removed.
  var obstacle: SystemError? { state.withLock { $0.obstacle } }

  /// The entries that were removed for their size although they were stored or used in the run.
  var own: CacheUsage { state.withLock { $0.own } }

  func save(in folder: CacheFolder) {
    EvictionRing.note(
      state.withLock { state in
        defer { state.hashes = [] }
        return state.hashes
      }, in: folder)
  }

  /// The first eight bytes of the hash of a file's URL, from the names of folder and file, or nil for foreign files.
  private static func hash(_ shard: Int, _ name: ArraySlice<UInt8>) -> UInt64? {
    guard name.count >= 14 else { return nil }
    var hash = UInt64(shard & 0xFF)
    for byte in name.prefix(14) {
      guard CacheNames.isOfAnEntry(byte), let digit = Hex.value(byte) else { return nil }
      hash = hash << 4 | UInt64(digit)
    }
    return hash
  }
}
