/// One round of cleaning: does what an ``EvictionPlan`` says, by names and status alone.
struct Cleaner: Sendable {
  let folder: CacheFolder
  let plan: EvictionPlan
  let isDryRun: Bool
  /// Hears of what is passed over.
  let tell: @Sendable (String) -> Void

  /// The whole cache, on all cores.
  func run() throws(CacheFailure) -> DiskCache.CleanReport {
    var report = DiskCache.CleanReport()
    let rounds = try ShardWalk.each(of: folder, tell) { scan throws(SystemError) in
      var scan = scan
      let report = try removeLitter(&scan)
      return (scan, report)
    }
    for (_, done) in rounds {
      report.removed += done.removed
      report.left += done.left
      report.temporaries += done.temporaries
    }
    let scans = rounds.map(\.0)
    let going = leastRecentlyUsed(of: scans, excess: plan.excess(of: report.left.bytes))
    if going.isEmpty { return report }
    let isDryRun = isDryRun
    for gone in try ShardWalk.each({ shard throws(SystemError) in
      var gone = CacheUsage()
      if going[shard].isEmpty { return gone }
      var orphans = Orphans(in: scans[shard])
      for place in going[shard] {
        let file = scans[shard].files[Int(place)]
        if try isDryRun ? true : scans[shard].remove(file, looksAgain: true) {
          orphans.note(file)
          gone += CacheUsage(bytes: file.size, entries: 1)
        }
      }
      gone += try scans[shard].remove(orphans, isDryRun: isDryRun)
      return gone
    }) {
      report.removed += gone
      report.left = report.left - gone
    }
    return report
  }

  /// Places of the files that go for the limit's sake, folder by folder; empty where none do.
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

  /// Which entry, in sixteen bytes: there may be a million.
  private struct Candidate {
    let used: WallTime
    let scan: UInt32
    let file: UInt32
  }

  /// One folder, with its share of what must go.
  func run(_ shard: Int, excess: Int64, unvisited: Int64) throws(SystemError) {
    var scan = try ShardScan(shard, of: folder, tell)
    let gone = try removeLitter(&scan).removed
    let share = EvictionPlan.share(
      of: scan.usage.bytes, excess: excess - gone.bytes, unvisited: unvisited - gone.bytes)
    var orphans = Orphans(in: scan)
    for place in EvictionPlan.leastRecentlyUsed(of: scan.files, share: share, size: \.size, used: \.used) {
      if try scan.remove(scan.files[place], looksAgain: true) { orphans.note(scan.files[place]) }
    }
    _ = try scan.remove(orphans, isDryRun: false)
  }

  /// Puts the ledger right for a folder, and removes what is expired or abandoned in it.
  private func removeLitter(_ scan: inout ShardScan) throws(SystemError) -> DiskCache.CleanReport {
    var report = DiskCache.CleanReport()
    if !isDryRun { scan.correctLedger() }
    for other in scan.others where hasHadItsTime(other) {
      if !isDryRun { guard try scan.remove(other) else { continue } }
      report.temporaries += 1
    }
    let plan = plan
    report.removed += try scan.removeAll(isDryRun: isDryRun) { plan.isExpired(stored: $0.stored, used: $0.used) }
    report.left = scan.usage
    return report
  }

  private func hasHadItsTime(_ other: ShardScan.Other) -> Bool {
    let changed = max(other.status.modified, other.status.changed)
    switch other.kind {
    case .entry: return false
    case .part(let isResumable): return plan.isAbandoned(changed: changed, isResumable: isResumable)
    case .temporary: return plan.isAbandoned(changed: changed, isResumable: false)
    case .failureNote: return FailureNote.isOver(other.status, plan)
    }
  }
}

/// The right to clean a namespace: the lock on its ledger, or where there is none, on its folder. It is given back when this
/// is let go of, by the kernel where the process ends.
final class CleanLock: Sendable {
  private let file: Descriptor

  /// Fails with nil if somebody else cleans.
  init?(_ folder: CacheFolder) throws(CacheFailure) {
    let name = folder.ledger == nil ? "." : CacheFolder.Names.ledger
    do {
      // An opening of its own: the lock belongs to the opening, and the ledger's is shared by all threads.
      let file = try folder.namespace.open(name, [.read, .noFollow])
      guard try file.tryLock() else { return nil }
      self.file = file
    } catch {
      throw .system(error)
    }
  }

  /// Said, and not left to the closing: a process that another thread is just starting has a copy of every descriptor until it
  /// has become its program, and the lock would be held until then.
  deinit { file.unlock() }
}
