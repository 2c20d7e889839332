/// Decides which entries are removed when a cache is cleaned.
///
/// A pure value. First, entries are removed that are older than the maximum age *and* were not used for as long. If the
/// rest is over the limit, the least recently used are removed until the cache is at half of it. With half, a cache
/// that is always full is not cleaned at every run.
package struct EvictionPlan: Sendable {
  package let now: WallTime
  /// The latest time at which the cache is known to have been used: the clock's, or a later one if the clock was set
  /// back.
  package let latest: WallTime
  /// The age limit in seconds, or nil for none.
  package let maximumAge: Double?
  /// The size limit in bytes, or nil for none.
  package let maximumSize: Int64?

  /// - Parameter latest: with nil, the clock's time.
  package init(now: WallTime, latest: WallTime? = nil, maximumAge: Double?, maximumSize: Int64?) {
    self.now = now
    self.latest = max(now, latest ?? now)
    self.maximumAge = maximumAge
    self.maximumSize = maximumSize
  }

  /// True if an entry is expired. A time far ahead of all known times has no meaning, and counts as long ago. A time
  /// that is only ahead of the clock is different: the clock jumped, and nothing is removed because of that.
  package func isExpired(stored: WallTime, used: WallTime) -> Bool {
    guard let maximumAge else { return false }
    return age(of: stored) > maximumAge && age(of: used) > maximumAge
  }

  /// The age in seconds, or infinity for a time without meaning.
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
