extension DiskCache {
  /// The result of a cleaning, or the expected result in a dry run.
  package struct CleanReport: Hashable, Sendable {
    /// Entries that were removed.
    package var removed = CacheUsage()
    /// The remaining entries.
    package var left = CacheUsage()
    /// Abandoned parts and temporary files that were removed.
    package var temporaries = 0
    /// The first failure to read a folder, which then does not count, or to remove a file, which stays. Nil if there
    /// was none. All others were cleaned nevertheless.
    package var failure: SystemError?
  }
}

// Cleaning by the ledger: when, how much and from which folder on. ``CleaningRound`` does the removing.
extension DiskCache {
  /// Removes expired entries, then the least recently used while the cache is over its limit; see ``EvictionPlan``. No
  /// entry is opened, no other process has to wait, and downloads in progress are left alone. It fails with
  /// ``CacheFailure/beingCleaned`` while another process cleans.
  package func clean(
    maximumAge: Double?, maximumSize: Int64?, isDryRun: Bool = false
  ) throws(CacheFailure) -> CleanReport {
    try clean(maximumAge: maximumAge, maximumSize: maximumSize, trial: isDryRun ? CleaningTrial() : nil)
  }

  /// Removes nothing, and passes each entry that ``clean(maximumAge:maximumSize:isDryRun:)`` would remove to `take`,
  /// until that returns false. Damaged ones are skipped.
  package func listCleaning(
    maximumAge: Double?, maximumSize: Int64?, _ take: (Listed) -> Bool
  ) throws(CacheFailure) -> CleanReport {
    let trial = CleaningTrial()
    let report = try clean(maximumAge: maximumAge, maximumSize: maximumSize, trial: trial)
    list(trial.paths, take)
    return report
  }

  /// Cleans the cache.
  ///
  /// - Parameter trial: if this is given, nothing is removed, and the entries are noted there.
  private func clean(
    maximumAge: Double?, maximumSize: Int64?, trial: CleaningTrial?
  ) throws(CacheFailure) -> CleanReport {
    let isDryRun = trial != nil
    guard let folder = location.folder else { return CleanReport() }
    var report = CleanReport()
    // Other processes go on storing meanwhile, and leave the cleaning to the holder of the lock. So the
    // ledger is checked once more after the lock is released. A cache that grows faster than it is cleaned is
    // left to the next cleaner.
    for turn in 0..<3 {
      let lock = isDryRun ? nil : try CleanLock(folder)
      if !isDryRun && lock == nil {
        if turn > 0 { return report }
        throw .beingCleaned
      }
      // The present ledger: if it is lost meanwhile, its successor is not marked as counted.
      let ledger = folder.ledger
      let plan = plan(maximumAge, maximumSize, in: ledger)
      let log = RemovalLog(since: nil)
      let done = round(in: folder, plan, log, trial: trial).run()
      log.save(in: folder)
      report.removed += done.removed
      report.left = done.left
      report.temporaries += done.temporaries
      report.failure = done.failure ?? log.obstacle
      guard !isDryRun, done.failure == nil, let ledger else { return report }
      ledger.isCounted = true
      ledger.lastClean = plan.now
      ledger.cursor = 0
      ledger.isShrinking = false
      withExtendedLifetime(lock) {}
      if plan.excess(of: ledger.total.bytes) == 0 || report.failure != nil { return report }
    }
    return report
  }

  /// Cleans part of the cache if it is over its limit or was not cleaned for a day: folder by folder from where the
  /// last cleaning stopped, for as long as `budget` lasts. Only a cache of twice its limit is cleaned without regard to
  /// time. For the end of a run. Failures are not reported: the next run tries again.
  ///
  /// - Parameter begun: the start of the run, or nil if it needs no report.
  /// - Returns: the removed entries that were used since then.
  @discardableResult
  package func cleanIfDue(
    maximumAge: Double?, maximumSize: Int64?, budget: Instant.Span = .milliseconds(100), since begun: WallTime? = nil
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
    in folder: CacheFolder, _ plan: EvictionPlan, _ log: RemovalLog, trial: CleaningTrial?
  ) -> CleaningRound {
    CleaningRound(folder: folder, plan: plan, trial: trial, log: log, tell: { [location] in location.tell($0) })
  }

  /// Creates the plan. Without a ledger that knows a later time, the clock's time is the latest.
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
      if ledger.isCounted, !ledger.isPlausible {
        ledger.isCounted = false
        ledger.cursor = 0
      }
      // Nothing is removed because of meaningless numbers: they are corrected first.
      guard ledger.isCounted else { return 0 }
      ledger.isShrinking = true
      ledger.cursor = 0
    }
    let excess = plan.shrinkingExcess(of: total)
    if excess == 0 { ledger.isShrinking = false }
    return excess
  }

  /// Cleans until nothing is due. Returns false if time ran out, or this process lacks something.
  private func cleanFromCursor(
    of ledger: Ledger, in folder: CacheFolder, _ plan: EvictionPlan, _ log: RemovalLog, isDaily: Bool,
    until deadline: Instant
  ) -> Bool {
    let round = round(in: folder, plan, log, trial: nil)
    var isDaily = isDaily
    var hasFailed = false
    // At most the rest of a round that was begun earlier, one that only counts, and one that makes room.
    for _ in 0..<3 * CacheKey.shardCount {
      let total = ledger.total.bytes
      let excess = excess(of: total, in: ledger, plan)
      guard isDaily || excess > 0 || !ledger.isCounted else { return true }
      let isHuge = plan.maximumSize.map { total / 2 > $0 } ?? false
      // Where removing fails, a huge cache stays one, and each run would go through all of it.
      guard (isHuge && !hasFailed && log.obstacle == nil) || clock.now() < deadline else { return false }
      let shard = ledger.cursor
      let unvisited = excess == 0 ? 0 : ledger.usage(of: shard..<CacheKey.shardCount).bytes
      do { try round.run(shard, excess: excess, unvisited: unvisited) } catch {
        // What this process lacks, it lacks for all folders. But one that cannot be read or written must not keep the
        // others from being cleaned for ever. It stays counted as it was.
        if error.code.isLackOfResources { return false }
        hasFailed = true
      }
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
