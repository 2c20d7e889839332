extension DiskCache {
  /// The result of a cleaning, or the expected result in a dry run.
  package struct CleanReport: Hashable, Sendable {
    /// Entries that were removed.
    package var removed = CacheUsage()
    /// The remaining entries.
    package var left = CacheUsage()
    /// Abandoned parts and temporary files that were removed.
    package var temporaries = 0
  }
}

/// Cleans a cache by the ledger: decides when, how much and from which folder on. ``CleaningRound`` does the removing.
struct CacheCleaner: Sendable {
  let location: CacheLocation
  let clock: any Clock

  func clean(
    maximumAge: Double?, maximumSize: Int64?, isDryRun: Bool
  ) throws(CacheFailure) -> DiskCache.CleanReport {
    guard let folder = location.folder else { return DiskCache.CleanReport() }
    var report = DiskCache.CleanReport()
    // Other processes go on storing meanwhile, and leave the cleaning to the holder of the lock. So the
    // ledger is checked once more after the lock is released. A cache that grows faster than it is cleaned is
    // left to the next cleaner.
    for turn in 0..<3 {
      let lock = isDryRun ? nil : try CleanLock(folder)
      if !isDryRun && lock == nil {
        if turn > 0 { return report }
        throw .beingCleaned
      }
      // The current ledger: if it is lost on the way, its successor is not marked as counted.
      let ledger = folder.ledger
      let plan = plan(maximumAge, maximumSize, in: ledger)
      let log = RemovalLog(since: nil)
      let done = try round(in: folder, plan, log, isDryRun: isDryRun).run()
      log.save(in: folder)
      report.removed += done.removed
      report.left = done.left
      report.temporaries += done.temporaries
      guard !isDryRun, let ledger else { return report }
      ledger.isCounted = true
      ledger.lastClean = plan.now
      ledger.cursor = 0
      ledger.isShrinking = false
      withExtendedLifetime(lock) {}
      if plan.excess(of: ledger.total.bytes) == 0 { return report }
    }
    return report
  }

  /// Cleans the cache if it is over its limit or was not cleaned for a day.
  ///
  /// - Parameter begun: the start of the run, or nil if it needs no report.
  /// - Returns: the removed entries that were used since then.
  func cleanIfDue(
    maximumAge: Double?, maximumSize: Int64?, budget: Instant.Span, since begun: WallTime?
  ) -> CacheUsage {
    guard let folder = location.folder, let ledger = folder.ledger else { return CacheUsage() }
    let log = RemovalLog(since: begun)
    let plan = plan(maximumAge, maximumSize, in: ledger)
    var deadline: Instant?
    // A process that finds the lock taken leaves the work to its holder. So the holder checks again after releasing
    // it, for entries that were stored by processes that were turned away. A cache that grows faster than it is
    // cleaned is left to the next.
    for _ in 0..<3 {
      let isDaily = CachedEntry.age(of: ledger.lastClean, now: plan.now).map { $0 > 86_400 } ?? true
      // Most runs end here, after reading the ledger and without a lock.
      guard isDaily || !ledger.isCounted || ledger.isShrinking || plan.excess(of: ledger.total.bytes) > 0,
        let lock = try? CleanLock(folder)
      else { return log.own }
      let end = deadline ?? clock.now() + budget
      deadline = end
      let isDone = cleanFromCursor(of: ledger, in: folder, plan, log, isDaily: isDaily, until: end)
      log.save(in: folder)
      withExtendedLifetime(lock) {}
      if !isDone { break }
    }
    return log.own
  }

  private func round(
    in folder: CacheFolder, _ plan: EvictionPlan, _ log: RemovalLog, isDryRun: Bool
  ) -> CleaningRound {
    CleaningRound(folder: folder, plan: plan, isDryRun: isDryRun, log: log, tell: { [location] in location.tell($0) })
  }

  /// Creates the plan. Without a ledger that knows better, no time counts as too far ahead.
  private func plan(_ maximumAge: Double?, _ maximumSize: Int64?, in ledger: Ledger?) -> EvictionPlan {
    let now = clock.wallTime()
    return EvictionPlan(
      now: now, latest: ledger?.knownTime(now: now) ?? WallTime(nanoseconds: .max), maximumAge: maximumAge,
      maximumSize: maximumSize)
  }

  /// The number of bytes that must be removed because of the limit. They are removed in one round of all folders, each
  /// of which gives its share, until half of the limit is left. Stopping at the limit would take everything from the
  /// first folders, and be due again at once.
  private func excess(of total: Int64, in ledger: Ledger, _ plan: EvictionPlan) -> Int64 {
    if !ledger.isShrinking {
      guard plan.excess(of: total) > 0 else { return 0 }
      if ledger.isCounted, !ledger.total.isPlausible {
        ledger.isCounted = false
        ledger.cursor = 0
      }
      // Nothing is removed because of numbers that mean nothing: they are corrected first.
      guard ledger.isCounted else { return 0 }
      ledger.isShrinking = true
      ledger.cursor = 0
    }
    let excess = plan.shrinkingExcess(of: total)
    if excess == 0 { ledger.isShrinking = false }
    return excess
  }

  /// Cleans until nothing is due. Returns false if time ran out, or if it failed.
  private func cleanFromCursor(
    of ledger: Ledger, in folder: CacheFolder, _ plan: EvictionPlan, _ log: RemovalLog, isDaily: Bool,
    until deadline: Instant
  ) -> Bool {
    let round = round(in: folder, plan, log, isDryRun: false)
    var isDaily = isDaily
    // At most the rest of a round that was begun earlier, one that only counts, and one that makes room.
    for _ in 0..<3 * CacheKey.shardCount {
      let total = ledger.total.bytes
      let excess = excess(of: total, in: ledger, plan)
      guard isDaily || excess > 0 || !ledger.isCounted else { return true }
      let isHuge = plan.maximumSize.map { total / 2 > $0 } ?? false
      guard isHuge || clock.now() < deadline else { return false }
      let shard = ledger.cursor
      let unvisited =
        excess == 0 ? 0 : (shard..<CacheKey.shardCount).reduce(0 as Int64) { $0 &+ ledger.usage(of: $1).bytes }
      guard (try? round.run(shard, excess: excess, unvisited: unvisited)) != nil else { return false }
      ledger.cursor = shard + 1
      if ledger.cursor == 0 {
        ledger.isShrinking = false
        ledger.isCounted = true
        ledger.lastClean = plan.now
        isDaily = false
      }
    }
    return true
  }
}

/// The right to clean a namespace: the lock on its ledger or, without a ledger, on its folder. It ends with this
/// object, or with the process.
final class CleanLock: Sendable {
  private let file: Descriptor

  /// Nil if another process is cleaning.
  init?(_ folder: CacheFolder) throws(CacheFailure) {
    let name = folder.ledger == nil ? "." : CacheFolder.Names.ledger
    do {
      // Opened separately: the lock belongs to the open file description, and all threads share the ledger's.
      let file = try folder.namespace.open(name, [.read, .noFollow])
      guard try file.tryLock() else { return nil }
      self.file = file
    } catch {
      throw .system(error)
    }
  }

  /// Unlocked explicitly: a child process that another thread is starting has a copy of every descriptor until its
  /// exec, and would hold the lock until then.
  deinit { file.unlock() }
}

/// Decides which entries are removed when a cache is cleaned.
///
/// A pure value. Entries go first that are older than the maximum age *and* were not used for as long. If the rest is
/// over the limit, the least recently used goes until the cache is at half of it. Half, so that a cache that is always
/// full is not cleaned at every run.
package struct EvictionPlan: Sendable {
  package let now: WallTime
  /// The latest time at which the cache is known to have been used: the clock's, or a later one if the clock was set
  /// back.
  package let latest: WallTime
  /// The age limit in seconds, or nil for none.
  package let maximumAge: Double?
  /// The size limit in bytes, or nil for none.
  package let maximumSize: Int64?

  /// - Parameter latest: nil: the clock's time.
  package init(now: WallTime, latest: WallTime? = nil, maximumAge: Double?, maximumSize: Int64?) {
    self.now = now
    self.latest = max(now, latest ?? now)
    self.maximumAge = maximumAge
    self.maximumSize = maximumSize
  }

  /// True if an entry is expired. A time far ahead of all known times means nothing and counts as long ago. One that is
  /// only ahead of the clock does not: the clock jumped, and nothing is removed because of that.
  package func isExpired(stored: WallTime, used: WallTime) -> Bool {
    guard let maximumAge else { return false }
    return age(of: stored) > maximumAge && age(of: used) > maximumAge
  }

  /// The age in seconds, or infinity for a time that means nothing.
  func age(of time: WallTime) -> Double {
    CachedEntry.age(of: time, now: now) ?? (CachedEntry.age(of: time, now: latest) == nil ? .infinity : 0)
  }

  /// The number of `total` bytes that must be removed because of the limit, or 0 while the cache is within it.
  package func excess(of total: Int64) -> Int64 {
    guard let maximumSize, total > maximumSize else { return 0 }
    return shrinkingExcess(of: total)
  }

  /// The number of `total` bytes that must still be removed once removing has begun.
  package func shrinkingExcess(of total: Int64) -> Int64 {
    guard let maximumSize else { return 0 }
    return max(0, total - maximumSize / 2)
  }

  /// True if a part or a temporary file is abandoned: downloads are not resumed after a day, and a file that only its
  /// maker could use and that was not locked for an hour was left by a killed process.
  package func isAbandoned(changed: WallTime, isResumable: Bool) -> Bool {
    age(of: changed) > (isResumable ? 86_400 : 3600)
  }

  /// The least recently used of some files: as few as have `excess` bytes.
  package static func leastRecentlyUsed<Files: RandomAccessCollection>(
    of files: Files, excess: Int64, size: (Files.Element) -> Int64, used: (Files.Element) -> WallTime
  ) -> [Files.Index] {
    guard excess > 0 else { return [] }
    let order = files.indices.sorted { used(files[$0]) < used(files[$1]) }
    var going: Int64 = 0
    var count = 0
    while count < order.count, going < excess {
      going &+= size(files[order[count]])
      count += 1
    }
    return Array(order.prefix(count))
  }

  /// The bytes to remove from one folder in a cleaning by folders: its share of those that must be removed from all
  /// folders not visited yet. If one folder gives too much or too little, the next ones make up for it.
  package static func share(of folder: Int64, excess: Int64, unvisited: Int64) -> Int64 {
    guard excess > 0, unvisited > 0, folder > 0 else { return 0 }
    return Int64(Double(folder) * min(1, Double(excess) / Double(unvisited)))
  }

  /// The same choice for a share: an entry larger than the rest of the share is removed only if at least half of it is
  /// asked for. So a folder with one large entry is neither always spared nor always emptied.
  package static func leastRecentlyUsed<Files: RandomAccessCollection>(
    of files: Files, share: Int64, size: (Files.Element) -> Int64, used: (Files.Element) -> WallTime
  ) -> [Files.Index] {
    var going = leastRecentlyUsed(of: files, excess: share, size: size, used: used)
    guard let last = going.last else { return [] }
    let before = going.dropLast().reduce(0 as Int64) { $0 &+ size(files[$1]) }
    if size(files[last]) > 2 * (share - before) { going.removeLast() }
    return going
  }
}
