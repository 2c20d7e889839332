/// The entries of a cache and of the read-only caches behind it.
final class EntryStore: Sendable {
  let location: CacheLocation
  let clock: any Clock
  let tiers: [ReadOnlyCache]
  let removed = RemovedKeys()
  private let state = Guarded(State())

  private struct State {
    /// Keys whose damaged entries this run has removed. Each is removed once: with a faulty disk, the same image would
    /// otherwise be fetched over and over.
    var removed: Set<ContentHash> = []
    /// Entries whose bodies were found damaged. None of them is returned again.
    var distrusted: Set<EntryStamp> = []
  }

  init(_ location: CacheLocation, tiers: [ReadOnlyCache], clock: any Clock) {
    self.location = location
    self.tiers = tiers
    self.clock = clock
  }

  func lookup(_ key: CacheKey, withBody: Bool = true, damaged: () -> Void = {}) -> CachedEntry? {
    var mark: GoneMark?
    if let folder = location.folder {
      switch read(key, at: key.path, in: folder, withBody: withBody) {
      case .entry(let entry):
        guard entry.isMarkOnly else { return entry }
        mark = entry.metadata.gone
      case .damaged: damaged()
      case .nothing, .newer: break
      }
    }
    if tiers.isEmpty || removed.contains(key) { return nil }
    for tier in tiers {
      if let entry = tier.lookup(key, withBody: withBody, damaged: damaged) { return entry.marked(mark) }
    }
    return nil
  }

  func path(of key: CacheKey) -> String? {
    if let folder = location.folder, case .entry(let entry) = read(key, at: key.path, in: folder), !entry.isMarkOnly {
      return "\(folder.path)/\(key.path)"
    }
    if removed.contains(key) { return nil }
    let tier = tiers.first { $0.lookup(key, withBody: true, damaged: {}) != nil }
    return tier.map { "\($0.folder.path)/\(key.path)" }
  }

  /// Reads the file at `path` as an entry of that key. A damaged one is removed.
  func read(_ key: CacheKey, at path: String, in folder: CacheFolder, withBody: Bool = true) -> EntryReading {
    let reading = EntryReading.read(path, in: folder, key: key, withBody: withBody)
    switch reading {
    case .entry(let entry):
      if state.withLock({ !$0.distrusted.isEmpty && $0.distrusted.contains(entry.stamp) }) { return .nothing }
    case .nothing: break
    case .newer(let version): location.tell("\(folder.path): the cache \(CacheFailure.newer(version: version).message)")
    case .damaged(let status): if mayRemoveDamaged(key) { try? remove(path, status.identity, in: folder) }
    }
    return reading
  }

  private func mayRemoveDamaged(_ key: CacheKey) -> Bool { state.withLock { $0.removed.insert(key.hash).inserted } }

  /// Removes an entry whose body was found damaged. If it cannot be removed (a disk may damage whatever is written to
  /// it), it is ignored for the rest of the run.
  func discard(_ entry: CachedEntry) {
    if entry.isReadOnly { return tiers.forEach { $0.forget(entry, because: .damaged) } }
    state.withLock { _ = $0.distrusted.insert(entry.stamp) }
    guard let folder = location.folder, mayRemoveDamaged(entry.key), let status = try? entry.file?.file.status()
    else { return }
    try? remove(entry.key.path, status.identity, in: folder)
  }

  func withdraw(_ entry: CachedEntry) {
    guard !entry.isReadOnly, let folder = location.folder else { return }
    try? remove(entry.key.path, entry.stamp.identity, in: folder)
  }

  /// Makes sure that the origin is asked about an entry before it is served again, since what the origin has answered
  /// could not be written. A full disk allows that. If it is not possible, the entry stays as it was.
  func expire(_ entry: CachedEntry) {
    guard !entry.isReadOnly, !location.isTrial else { return }
    let used = max(EntryStamp.expired, entry.lastUsed)
    try? entry.file?.file.setTimes(accessed: used, modified: EntryStamp.expired)
  }

  /// Removes the entry at `path` if it is still that file.
  func remove(_ path: String, _ identity: FileStatus.Identity, in folder: CacheFolder) throws(SystemError) {
    if location.isTrial { return }
    // Another process may have replaced it by a good one. Between this check and the removal it still may, and then one
    // image is fetched once more.
    guard let present = try folder.namespace.status(of: path), present.identity == identity,
      try folder.namespace.remove(path), let shard = Int(path.prefix(2), radix: 16)
    else { return }
    folder.ledger?.add(shard: shard, bytes: -present.size, entries: -1)
  }

  /// Notes the use of an entry, unless one was noted within the last hour.
  func touch(_ entry: CachedEntry) {
    let now = clock.wallTime()
    guard !entry.isReadOnly, !location.isTrial, Self.needsTouch(lastUsed: entry.lastUsed, now: now) else { return }
    // On the file that was read, even if another one has its name by now. If this fails, the entry only loses its place
    // in the order.
    try? entry.file?.file.setTimes(accessed: now, modified: nil)
  }

  /// True if the last use has to be noted. An hour is precise enough for the order of use, and avoids writes in a burst
  /// of hits. A last use in the future is kept: if the clock is wrong, the entry would seem long unused when the clock
  /// is right again.
  private static func needsTouch(lastUsed: WallTime, now: WallTime) -> Bool {
    guard let age = CachedEntry.age(of: lastUsed, now: now) else { return false }
    return age > 3600
  }
}

/// Gives a finished file its entry's name, and returns exactly the amount that it replaced.
enum EntryPlacing {
  /// Renames `part` to `entry`. If there is an entry already, the two names are exchanged: so its size is known
  /// exactly, even if other processes replace it at the same time. The part gets a private name first. Under its usual
  /// name, the old entry would be visible for a moment where others look for a part to lock, and one of them could
  /// become its holder.
  static func place(
    _ part: String, as entry: String, in folder: CacheFolder, privateName: @autoclosure () -> String
  ) throws(SystemError) -> CacheUsage {
    do {
      try folder.namespace.rename(part, to: entry, in: folder.namespace, .exclusive)
      return CacheUsage()
    } catch {
      switch error.code {
      case .fileExists: break
      case .notSupported: return try overwrite(part, as: entry, in: folder)
      default: throw error
      }
    }
    let name = privateName()
    try folder.namespace.rename(part, to: name, in: folder.namespace)
    do {
      return try exchange(name, with: entry, in: folder)
    } catch {
      _ = try? folder.namespace.remove(name)
      throw error
    }
  }

  private static func exchange(
    _ name: String, with entry: String, in folder: CacheFolder
  ) throws(SystemError) -> CacheUsage {
    for _ in 0..<8 {
      do {
        try folder.namespace.rename(name, to: entry, in: folder.namespace, .exchanging)
        return remove(name, in: folder)
      } catch {
        switch error.code {
        case .noSuchFile: break  // removed meanwhile: then there is nothing to replace
        case .notSupported: return try overwrite(name, as: entry, in: folder)
        default: throw error
        }
      }
      do {
        try folder.namespace.rename(name, to: entry, in: folder.namespace, .exclusive)
        return CacheUsage()
      } catch {
        if error.code != .fileExists { throw error }
      }
    }
    return try overwrite(name, as: entry, in: folder)
  }

  /// Removes the replaced file, whose name no other process knows. Returns its size.
  private static func remove(_ name: String, in folder: CacheFolder) -> CacheUsage {
    guard let old = try? folder.namespace.status(of: name) else {
      // Better uncounted than left behind: a cleaning counts again, but no one looks for this name.
      _ = try? folder.namespace.remove(name)
      return CacheUsage()
    }
    _ = try? folder.namespace.remove(name, isFolder: old.kind == .directory)
    return old.kind == .regular ? CacheUsage(bytes: old.size, entries: 1) : CacheUsage()
  }

  /// Replaces an entry on kernels and file systems without these flags: nearly exact, and a cleaning counts again. A
  /// link, which gives other files their names there, will not do. The part would be a second name of the entry for a
  /// moment. If the process was killed then, the next holder of the part would empty both.
  private static func overwrite(
    _ name: String, as entry: String, in folder: CacheFolder
  ) throws(SystemError) -> CacheUsage {
    let old = try folder.namespace.status(of: entry)
    try folder.namespace.rename(name, to: entry, in: folder.namespace)
    guard let old, old.kind == .regular else { return CacheUsage() }
    return CacheUsage(bytes: old.size, entries: 1)
  }
}
