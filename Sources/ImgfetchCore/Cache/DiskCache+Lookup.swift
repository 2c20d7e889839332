extension DiskCache {
  /// The entry of this key; nil if there is none that can be believed. What is damaged is removed on the way.
  ///
  /// Of a small entry the body is checked too. It costs four calls: open, fstat, pread, close.
  ///
  /// - Parameters:
  ///   - withBody: whether the body of a small entry is read at once; false where it is probably not needed. It can be read later,
  ///     as that of a large one.
  ///   - damaged: called for each folder whose entry is not what was stored, and does not count.
  package func lookup(_ key: CacheKey, withBody: Bool = true, damaged: () -> Void = {}) -> CachedEntry? {
    if let folder, let entry = entry(of: key, in: folder, withBody, damaged) { return entry }
    for tier in tiers {
      if let entry = entry(of: key, in: tier, withBody, damaged) { return entry }
    }
    return nil
  }

  private func entry(
    of key: CacheKey, in folder: CacheFolder, _ withBody: Bool, _ damaged: () -> Void
  ) -> CachedEntry? {
    switch read(key, at: key.path, in: folder, withBody: withBody) {
    case .entry(let entry): return entry
    case .damaged: damaged()
    case .nothing, .newer: break
    }
    return nil
  }

  /// Reads one folder's entry of that key, and sees to it if it is damaged.
  func read(_ key: CacheKey, at path: String, in folder: CacheFolder, withBody: Bool = true) -> EntryReading {
    let reading = EntryReading.read(path, in: folder, key: key, withBody: withBody)
    switch reading {
    case .entry(let entry): if isDistrusted(entry) { return .nothing }
    case .nothing: break
    case .newer(let version):
      tell("\(folder.path): the cache \(CacheFailure.newer(version: version).message)")
    case .damaged(let status):
      if !folder.trust.isReadOnlyTier, mayRemoveDamaged(key) { remove(path, status.identity, in: folder) }
    }
    return reading
  }

  /// An entry whose body turned out damaged while it was read: it is removed, so that it is fetched anew. One that cannot
  /// be removed (in a tier below, or on a disk that damages whatever it is given) is passed over for the rest of the run.
  package func discard(_ entry: CachedEntry) {
    distrust(entry)
    guard !entry.isReadOnly, let folder, mayRemoveDamaged(entry.key), let status = try? entry.file.file.status() else {
      return
    }
    remove(entry.key.path, status.identity, in: folder)
  }

  /// Removes an entry that must not be served any more: its origin has said something newer, which is not kept.
  package func withdraw(_ entry: CachedEntry) {
    guard !entry.isReadOnly, let folder else { return }
    remove(entry.key.path, entry.stamp.identity, in: folder)
  }

  /// Removes the entry at `path` if it is still that file.
  func remove(_ path: String, _ identity: FileStatus.Identity, in folder: CacheFolder) {
    // Another process may have put a good one in its place; between this look and the removal it still may, and then one
    // image is fetched once more.
    guard let present = try? folder.namespace.status(of: path), present.identity == identity,
      (try? folder.namespace.remove(path)) == true, let shard = Int(path.prefix(2), radix: 16)
    else { return }
    folder.ledger?.add(shard: shard, bytes: -present.size, entries: -1)
  }

  /// Notes that an answer was made of an entry. Nothing is written if that was noted within the hour.
  package func touch(_ entry: CachedEntry) {
    let now = clock.wallTime()
    guard !entry.isReadOnly, Self.needsTouch(lastUsed: entry.lastUsed, now: now) else { return }
    // On the file that was read, whatever has its name by now. A failure costs the entry its place in the order.
    try? entry.file.file.setTimes(accessed: now, modified: nil)
  }

  /// An hour is fine enough to say what was used least recently, and spares a burst of hits the writing.
  ///
  /// A last use that lies ahead stays: where the clock is what is wrong, the entry would count as long unused when it is right again.
  static func needsTouch(lastUsed: WallTime, now: WallTime) -> Bool {
    guard let age = CachedEntry.age(of: lastUsed, now: now) else { return false }
    return age > 3600
  }
}
