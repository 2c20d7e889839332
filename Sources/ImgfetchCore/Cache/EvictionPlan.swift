/// What goes when a cache is cleaned.
///
/// A pure value: told of files, it says which of them go. First what is older than the greatest age *and* was not used
/// for as long; then, if what is left is over the limit, what was used least recently, until it is at half of it. Half,
/// so that a cache that is always full is not cleaned at every run.
package struct EvictionPlan: Sendable {
  package let now: WallTime
  /// The latest time that the cache is known to have been used at: the clock's, or a later one, if the clock was set back.
  package let latest: WallTime
  /// In seconds; nil: nothing is too old.
  package let maximumAge: Double?
  /// In bytes; nil: nothing is too much.
  package let maximumSize: Int64?

  /// - Parameter latest: nil: the clock's.
  package init(now: WallTime, latest: WallTime? = nil, maximumAge: Double?, maximumSize: Int64?) {
    self.now = now
    self.latest = max(now, latest ?? now)
    self.maximumAge = maximumAge
    self.maximumSize = maximumSize
  }

  /// Whether an entry has had its time. A time that lies far ahead of all that is known of the time says nothing, and counts as long
  /// ago. One that lies ahead of the clock alone does not: the clock jumped, and nothing goes on its word.
  package func isExpired(stored: WallTime, used: WallTime) -> Bool {
    guard let maximumAge else { return false }
    return age(of: stored) > maximumAge && age(of: used) > maximumAge
  }

  /// In seconds, without end for a time that says nothing.
  func age(of time: WallTime) -> Double {
    CachedEntry.age(of: time, now: now) ?? (CachedEntry.age(of: time, now: latest) == nil ? .infinity : 0)
  }

  /// How much must go of `total` bytes for the least recently used; 0 while it is within the limit.
  package func excess(of total: Int64) -> Int64 {
    guard let maximumSize, total > maximumSize else { return 0 }
    return shrinkingExcess(of: total)
  }

  /// How much must still go of `total` bytes once the removing has begun.
  package func shrinkingExcess(of total: Int64) -> Int64 {
    guard let maximumSize else { return 0 }
    return max(0, total - maximumSize / 2)
  }

  /// Whether a part or a temporary file is litter: nobody resumes after a day, and what nobody holds for an hour although
  /// only its maker could use it was left by one who was killed.
  package func isAbandoned(changed: WallTime, isResumable: Bool) -> Bool {
    age(of: changed) > (isResumable ? 86_400 : 3600)
  }

  /// Which of some files go so that at least `excess` bytes do: those used least recently, and no more of them than it
  /// takes.
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

  /// How much goes from one folder of a cache that is cleaned folder by folder: its share of what must go from all that
  /// were not looked at yet. What one folder gave too much or too little, the next make up for.
  package static func share(of folder: Int64, excess: Int64, unvisited: Int64) -> Int64 {
    guard excess > 0, unvisited > 0, folder > 0 else { return 0 }
    return Int64(Double(folder) * min(1, Double(excess) / Double(unvisited)))
  }

  /// The same choice for a share: an entry that is larger than what is left of it goes only if at least half of it is
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
