extension DiskCache {
  /// What a clean did, or (as a dry run) would do.
  package struct CleanReport: Hashable, Sendable {
    /// Entries that went.
    package var removed = CacheUsage()
    /// What is there afterwards.
    package var left = CacheUsage()
    /// Parts and temporary files that somebody had left behind.
    package var temporaries = 0
  }

  /// Removes what is expired, then the least recently used while the cache is over the limit; see ``EvictionPlan``.
  ///
  /// No entry is opened and nobody is kept waiting; what somebody downloads into is left alone. One at a time: it fails
  /// with ``CacheFailure/beingCleaned`` while another process cleans.
  package func clean(
    maximumAge: Double?, maximumSize: Int64?, isDryRun: Bool = false
  ) throws(CacheFailure) -> CleanReport {
    guard let folder else { return CleanReport() }
    var report = CleanReport()
    // Others go on storing meanwhile, and leave the cleaning to who has the lock: so the ledger is looked at once more after
    // it was let go of. A cache that grows faster than it is cleaned is left to the next one who cleans.
    for round in 0..<3 {
      let lock = isDryRun ? nil : try CleanLock(folder)
      if !isDryRun && lock == nil {
        if round > 0 { return report }
        throw .beingCleaned
      }
      // The one that is there by now: if it is lost on the way, the next is not counted.
      let ledger = folder.ledger
      let plan = plan(maximumAge, maximumSize, in: ledger)
      let done = try Cleaner(folder: folder, plan: plan, isDryRun: isDryRun, tell: { self.tell($0) }).run()
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

  /// Cleans a part of the cache if it is over its limit or was not cleaned for a day: folder by folder from where the last
  /// one stopped, until `budget` is used up. Only a cache of twice its size is cleaned for as long as it takes.
  ///
  /// For the end of a run. Nothing is said of failures: the next run tries again.
  package func cleanIfDue(maximumAge: Double?, maximumSize: Int64?, budget: Instant.Span = .milliseconds(100)) {
    guard let folder, let ledger = folder.ledger else { return }
    let plan = plan(maximumAge, maximumSize, in: ledger)
    var deadline: Instant?
    // Who finds the lock taken leaves the work to its holder. So the holder looks again when it has let go: what was stored
    // by one who was turned away is seen then. A cache that grows faster than it is cleaned is left to the next.
    for _ in 0..<3 {
      let isDaily = CachedEntry.age(of: ledger.lastClean, now: plan.now).map { $0 > 86_400 } ?? true
      // Most runs end here: with a look at the ledger, and without a lock.
      guard isDaily || !ledger.isCounted || ledger.isShrinking || plan.excess(of: ledger.total.bytes) > 0,
        let lock = try? CleanLock(folder)
      else { return }
      let end = deadline ?? clock.now() + budget
      deadline = end
      let isDone = cleanFromCursor(of: ledger, in: folder, plan, isDaily: isDaily, until: end)
      withExtendedLifetime(lock) {}
      if !isDone { return }
    }
  }

  /// Where there is no ledger that knows better, no time is said to lie too far ahead.
  private func plan(_ maximumAge: Double?, _ maximumSize: Int64?, in ledger: Ledger?) -> EvictionPlan {
    let now = clock.wallTime()
    return EvictionPlan(
      now: now, latest: ledger?.knownTime(now: now) ?? WallTime(nanoseconds: .max), maximumAge: maximumAge,
      maximumSize: maximumSize)
  }

  /// How much must go for the limit's sake. What goes goes in one round of all folders, each of which gives its share, until half of
  /// the limit is left: to stop at the limit would take everything from those that come first, and be due again at once.
  private func excess(of total: Int64, in ledger: Ledger, _ plan: EvictionPlan) -> Int64 {
    if !ledger.isShrinking {
      guard plan.excess(of: total) > 0 else { return 0 }
      if ledger.isCounted, !ledger.total.isPlausible {
        ledger.isCounted = false
        ledger.cursor = 0
      }
      // Nothing goes on the word of numbers that mean nothing: they are put right first.
      guard ledger.isCounted else { return 0 }
      ledger.isShrinking = true
      ledger.cursor = 0
    }
    let excess = plan.shrinkingExcess(of: total)
    if excess == 0 { ledger.isShrinking = false }
    return excess
  }

  /// Cleans until nothing is due; false if it was not done by then, or failed.
  private func cleanFromCursor(
    of ledger: Ledger, in folder: CacheFolder, _ plan: EvictionPlan, isDaily: Bool, until deadline: Instant
  ) -> Bool {
    let cleaner = Cleaner(folder: folder, plan: plan, isDryRun: false, tell: { self.tell($0) })
    var isDaily = isDaily
    // The rest of a round that somebody began, one that only counts, and one that makes room.
    for _ in 0..<3 * CacheKey.shardCount {
      let total = ledger.total.bytes
      let excess = excess(of: total, in: ledger, plan)
      guard isDaily || excess > 0 || !ledger.isCounted else { return true }
      let isHuge = plan.maximumSize.map { total / 2 > $0 } ?? false
      guard isHuge || clock.now() < deadline else { return false }
      let shard = ledger.cursor
      let unvisited =
        excess == 0 ? 0 : (shard..<CacheKey.shardCount).reduce(0 as Int64) { $0 &+ ledger.usage(of: $1).bytes }
      guard (try? cleaner.run(shard, excess: excess, unvisited: unvisited)) != nil else { return false }
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
