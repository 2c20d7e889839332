import Synchronization

/// Visits the 256 folders of a namespace on as many threads as there are cores. The work is the kernel's: names,
/// status, removals, with one lock for each folder. So two cores are twice as fast.
enum ShardWalk {
  /// The most threads. More would only wait for the same disk.
  private static let threadLimit = 8

  /// The results of `work` for each folder, in order. The first failure ends the walk.
  ///
  /// - Parameter tell: called for each skipped file.
  static func each<Value: Sendable>(
    of folder: CacheFolder, _ tell: @escaping @Sendable (String) -> Void,
    _ work: @escaping @Sendable (ShardScan) throws(SystemError) -> Value
  ) throws(CacheFailure) -> [Value] {
    try each { shard throws(SystemError) in try work(ShardScan(shard, of: folder, tell)) }
  }

  /// The same, but `work` opens the folders itself if it needs to.
  static func each<Value: Sendable>(
    _ work: @escaping @Sendable (_ shard: Int) throws(SystemError) -> Value
  ) throws(CacheFailure) -> [Value] {
    let walk = Walk<Value>()
    var helpers: [Threads.Handle] = []
    for number in 1..<max(1, min(Threads.cores, threadLimit)) {
      // Without other threads, this one does all the work.
      guard let handle = try? Threads.start(name: "imgfetch-walk-\(number)", { walk.run(work) }) else { break }
      helpers.append(handle)
    }
    walk.run(work)
    for helper in helpers { helper.join() }
    return try walk.finish()
  }

  private final class Walk<Value: Sendable>: Sendable {
    private let next = Atomic<Int>(0)
    private let results = Guarded<(values: [Value?], failure: SystemError?)>(
      (Array(repeating: nil, count: CacheKey.shardCount), nil))

    func run(_ work: (Int) throws(SystemError) -> Value) {
      while true {
        let shard = next.add(1, ordering: .relaxed).oldValue
        guard shard < CacheKey.shardCount else { return }
        do {
          let value = try work(shard)
          results.withLock { $0.values[shard] = value }
        } catch {
          let error = error.inShard(shard)
          results.withLock { $0.failure = $0.failure ?? error }
          next.store(CacheKey.shardCount, ordering: .relaxed)
          return
        }
      }
    }

    func finish() throws(CacheFailure) -> [Value] {
      let (values, failure) = results.withLock { $0 }
      if let failure { throw .system(failure) }
      return values.compactMap { $0 }
    }
  }
}

extension SystemError {
  /// The same failure with the shard before the name of a file in it, so that a user can find it.
  func inShard(_ shard: Int) -> SystemError {
    guard let path, path.utf8.count > 2, !path.utf8.contains(UInt8(ascii: "/")) else { return self }
    return of("\(CacheKey.shardName(shard))/\(path)")
  }
}
