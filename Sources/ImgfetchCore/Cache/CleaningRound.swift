/// One round of cleaning: carries out an ``EvictionPlan``, by names and status alone. A file that cannot be removed
/// stays and is noted in the log.
struct CleaningRound: Sendable {
  let folder: CacheFolder
  let plan: EvictionPlan
  /// The notes of a dry run, or nil if files are removed.
  let trial: CleaningTrial?
  let log: RemovalLog
  /// Called for each skipped file.
  let tell: @Sendable (String) -> Void

  func run() -> DiskCache.CleanReport {
    var report = DiskCache.CleanReport()
    let rounds = ShardWalk.each(of: folder, tell) { scan throws(SystemError) in
      var scan = scan
      let report = removeExpired(&scan)
      return (scan, report)
    }
    report.failure = rounds.failure
    for (_, done) in rounds.values {
      report.removed += done.removed
      report.left += done.left
      report.temporaries += done.temporaries
    }
    let scans = rounds.values.map(\.0)
    let going = leastRecentlyUsed(of: scans, excess: plan.excess(of: report.left.bytes))
    if going.isEmpty { return report }
    let (trial, log) = (self.trial, self.log)
    let removals = ShardWalk.each(count: scans.count) { number throws(SystemError) in
      Self.remove(going[number], of: scans[number], trial, log)
    }
    for gone in removals.values {
      report.removed += gone
      report.left = report.left - gone
    }
    return report
  }

  /// Removes the files of a folder at these indices, with what was derived from them. Returns how much that was.
  private static func remove(
    _ places: [UInt32], of scan: ShardScan, _ trial: CleaningTrial?, _ log: RemovalLog
  ) -> CacheUsage {
    var gone = CacheUsage()
    if places.isEmpty { return gone }
    var orphans = Orphans(in: scan)
    for place in places {
      let file = scan.files[Int(place)]
      if trial != nil || scan.remove(file, looksAgain: true, log) == .removed {
        orphans.note(file)
        if let trial {
          trial.note(file, in: scan)
        } else {
          log.note(file, named: scan.name(of: file), in: scan.shard)
        }
        gone += CacheUsage(bytes: file.size, entries: 1)
      }
    }
    gone += scan.remove(orphans, trial: trial, log)
    return gone
  }

  /// The indices of the files that are removed because of the limit, folder by folder; empty if there are none.
  private func leastRecentlyUsed(of scans: [ShardScan], excess: Int64) -> [[UInt32]] {
    guard excess > 0 else { return [] }
    var all: [Candidate] = []
    all.reserveCapacity(scans.reduce(0) { $0 + $1.files.count })
    for (at, scan) in scans.enumerated() {
      for place in scan.files.indices {
        all.append(Candidate(used: scan.files[place].used, scan: UInt32(at), file: UInt32(place)))
      }
    }
    var going: [[UInt32]] = Array(repeating: [], count: scans.count)
    for place in EvictionPlan.leastRecentlyUsed(
      of: all, excess: excess, size: { scans[Int($0.scan)].files[Int($0.file)].size }, used: \.used)
    {
      going[Int(all[place].scan)].append(all[place].file)
    }
    return going
  }

  /// An entry in sixteen bytes: there may be a million.
  private struct Candidate {
    let used: WallTime
    let scan: UInt32
    let file: UInt32
  }

  /// Cleans one folder, which gives its share of what must be removed.
  func run(_ shard: Int, excess: Int64, unvisited: Int64) throws(SystemError) {
    var scan = try ShardScan(shard, of: folder, tell)
    let gone = removeExpired(&scan).removed
    let share = EvictionPlan.share(
      of: scan.usage.bytes, excess: excess - gone.bytes, unvisited: unvisited - gone.bytes)
    var orphans = Orphans(in: scan)
    for place in EvictionPlan.leastRecentlyUsed(of: scan.files, share: share, size: \.size, used: \.used) {
      let file = scan.files[place]
      guard scan.remove(file, looksAgain: true, log) == .removed else { continue }
      orphans.note(file)
      log.note(file, named: scan.name(of: file), in: shard)
    }
    _ = scan.remove(orphans, trial: nil, log)
  }

  /// Corrects the ledger for a folder, and removes its expired and abandoned files.
  private func removeExpired(_ scan: inout ShardScan) -> DiskCache.CleanReport {
    var report = DiskCache.CleanReport()
    if trial == nil { scan.correctLedger() }
    for other in scan.others where isOver(other) {
      if trial == nil { guard scan.remove(other, log) else { continue } }
      report.temporaries += 1
    }
    let plan = plan
    report.removed += scan.removeExpired(trial: trial, log) { plan.isExpired(stored: $0.stored, used: $0.used) }
    report.left = scan.usage
    return report
  }

  private func isOver(_ other: ShardScan.Other) -> Bool {
    let changed = max(other.status.modified, other.status.changed)
    switch other.kind {
    case .entry: return false
    case .part(let isResumable): return plan.isAbandoned(changed: changed, isResumable: isResumable)
    case .temporary: return plan.isAbandoned(changed: changed, isResumable: false)
    case .failureNote: return FailureNote.isOver(other.status, plan)
    }
  }
}
