import Synchronization

/// Visits the 256 folders of a namespace on as many threads as there are cores. The work is the kernel's: names,
/// status, removals, with one lock for each folder. So two cores are twice as fast.
enum ShardWalk {
  /// The most threads. More would only wait for the same disk.
  private static let threadLimit = 8

  /// The results of `work` for each folder, in order, and the first failure. A folder that fails has no result. It does
  /// not keep the others from having theirs: a disk may have one bad block for years.
  typealias Outcome<Value> = (values: [Value], failure: SystemError?)

  /// The outcome for each folder.
  ///
  /// - Parameter tell: called for each skipped file.
  static func each<Value: Sendable>(
    of folder: CacheFolder, _ tell: @escaping @Sendable (String) -> Void,
    _ work: @escaping @Sendable (ShardScan) throws(SystemError) -> Value
  ) -> Outcome<Value> {
    each { shard throws(SystemError) in
      do throws(SystemError) {
        return try work(ShardScan(shard, of: folder, tell))
      } catch { throw error.inShard(shard) }
    }
  }

  /// The outcome for each of so many numbers.
  static func each<Value: Sendable>(
    count: Int = CacheKey.shardCount, _ work: @escaping @Sendable (_ number: Int) throws(SystemError) -> Value
  ) -> Outcome<Value> {
    let walk = Walk<Value>(count)
    var helpers: [Threads.Handle] = []
    for number in 1..<max(1, min(Threads.cores, threadLimit)) {
      // Without other threads, this one does all the work.
      guard let handle = try? Threads.start(name: "imgfetch-walk-\(number)", { walk.run(work) }) else { break }
      helpers.append(handle)
    }
    walk.run(work)
    for helper in helpers { helper.join() }
    return walk.outcome
  }

  private final class Walk<Value: Sendable>: Sendable {
    private let count: Int
    private let next = Atomic<Int>(0)
    private let results: Guarded<(values: [Value?], failure: SystemError?)>

    init(_ count: Int) {
      self.count = count
      results = Guarded((Array(repeating: nil, count: count), nil))
    }

    func run(_ work: (Int) throws(SystemError) -> Value) {
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < count else { return }
        do {
          let value = try work(number)
          results.withLock { $0.values[number] = value }
        } catch {
          results.withLock { $0.failure = $0.failure ?? error }
        }
      }
    }

    var outcome: Outcome<Value> { results.withLock { ($0.values.compactMap { $0 }, $0.failure) } }
  }
}

extension SystemError {
  /// The same failure with the shard before the name of a file in it, so that a user can find it.
  func inShard(_ shard: Int) -> SystemError {
    guard let path, path.utf8.count > 2, !path.utf8.contains(UInt8(ascii: "/")) else { return self }
    return of("\(CacheKey.shardName(shard))/\(path)")
  }
}
