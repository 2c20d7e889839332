extension DiskCache {
  /// An entry as `cache list` shows it.
  package struct Listed: Sendable {
    package let metadata: EntryMetadata
    /// Bytes of the image.
    package let bytes: Int64
    package let stored: WallTime
    package let lastUsed: WallTime
    /// The entry's file.
    package let path: String
  }

  /// A damaged entry.
  package struct Damaged: Hashable, Sendable {
    /// The file.
    package let path: String
    /// The URL of its image, or nil if that cannot be read either.
    package let url: String?
    /// The reason why it could not be removed, or nil if it was removed, or was to be left there.
    package let obstacle: Errno?
  }

  /// An entry, or a folder of entries, that cannot be read now, and may be undamaged.
  package struct Unread: Hashable, Sendable {
    /// The file or folder.
    package let path: String
    package let reason: Errno
  }

  package struct VerifyReport: Sendable {
    /// Undamaged entries.
    package var sound = CacheUsage()
    package var damaged: [Damaged] = []
    /// The first entries that cannot be read now. If a disk fails, that may be all of a million.
    package private(set) var unread: [Unread] = []
    /// The number of all of them.
    package private(set) var unreadCount = 0
    /// Entries of a later version's format.
    package var newer = 0

    package static let mostUnread = 10_000

    mutating func add(_ entry: Unread) {
      unreadCount += 1
      if unread.count < Self.mostUnread { unread.append(entry) }
    }
  }
}

// Listing, counting, verifying and removing entries, folder by folder.
extension DiskCache {
  /// The size of the cache, according to the ledger. Without a ledger that can be trusted, the entries are counted.
  package func size() throws(CacheFailure) -> CacheUsage {
    guard let folder = location.folder else { return CacheUsage() }
    if let ledger = folder.ledger, ledger.isCounted, ledger.isPlausible { return ledger.total }
    return try exactSize()
  }

  /// The size of the cache, by counting the entries. The ledger is corrected.
  package func exactSize() throws(CacheFailure) -> CacheUsage { try exactRoom().usage }

  /// The same, with the space that the disk has allocated for the entries.
  package func exactRoom() throws(CacheFailure) -> (usage: CacheUsage, allocated: Int64) {
    guard let folder = location.folder else { return (CacheUsage(), 0) }
    // The present ledger: if it is lost meanwhile, its successor is not marked as counted.
    let ledger = folder.ledger
    let (counts, failure) = ShardWalk.each(of: folder, { [location] in location.tell($0) }) { shard in
      let (usage, allocated) = (shard.usage, shard.allocated)
      shard.correctLedger()
      return (usage, allocated)
    }
    if let failure { throw .system(failure) }
    ledger?.isCounted = true
    return counts.reduce(into: (CacheUsage(), 0)) { total, count in
      total.0 += count.0
      total.1 &+= count.1
    }
  }

  /// Passes each entry to `take` as it is found, until that returns false. Only the ends of the files are read, and
  /// damaged ones are skipped.
  package func list(_ take: (Listed) -> Bool) throws(CacheFailure) {
    try eachReadableEntry { (path, folder) in listed(path, in: folder).map(take) ?? true }
  }

  /// The same for the entries of one URL: those of all users, with the images derived from them.
  package func list(of key: CacheKey, _ take: (Listed) -> Bool) throws(CacheFailure) {
    try eachReadableEntry(in: key.shardIndex..<key.shardIndex + 1) { (path, folder) in
      guard path.utf8.starts(with: key.family.utf8), let found = listed(path, in: folder),
        found.metadata.key.url == key.url
      else { return true }
      return take(found)
    }
  }

  /// Passes the entries at these paths below the namespace's folder to `take`, until that returns false.
  func list(_ paths: [String], _ take: (Listed) -> Bool) {
    guard let folder = location.folder else { return }
    for path in paths {
      if let entry = listed(path, in: folder), !take(entry) { return }
    }
  }

  private func listed(_ path: String, in folder: CacheFolder) -> Listed? {
    guard case .entry(let entry) = EntryReading.read(path, in: folder, key: nil, withBody: false),
      // A mark for an entry of a read-only cache is no image.
      !entry.isMarkOnly
    else { return nil }
    // The file time of an expired entry has no meaning.
    let isExpired = entry.metadata.gone != nil || entry.isExpired
    let stored = isExpired ? entry.metadata.received ?? entry.metadata.responseTime : entry.stored
    return Listed(
      metadata: entry.metadata, bytes: entry.body.count, stored: stored,
      // A download's file is older than its last byte.
      lastUsed: max(stored, entry.lastUsed), path: "\(folder.path)/\(path)")
  }

  /// Reads every entry completely. With `repairing`, damaged ones are removed. One that cannot be read now is not: the
  /// disk of a network may answer again.
  package func verify(repairing: Bool) -> VerifyReport {
    var report = VerifyReport()
    eachEntry { error, name in
      report.add(Unread(path: "\(path)/\(name)", reason: error.code))
    } _: { path, folder in
      switch EntryReading.read(path, in: folder, key: nil, withBody: false) {
      case .entry(let entry):
        do throws(BodyReadFailure) {
          try entry.body.check()
          report.sound += CacheUsage(bytes: entry.body.count, entries: 1)
        } catch {
          if case .source(let error) = error, !entry.body.isDamaged {
            report.add(Unread(path: "\(folder.path)/\(path)", reason: error.code))
          } else {
            report.damaged.append(damaged(path, entry.stamp.identity, entry.key.url, in: folder, repairing: repairing))
          }
        }
      case .damaged(let status):
        let url = EntryReading.salvagedURL(path, in: folder)
        report.damaged.append(damaged(path, status.identity, url, in: folder, repairing: repairing))
      case .newer: report.newer += 1
      case .nothing: tellIfStray(path, in: folder)
      case .unreadable(let error):
        if !tellIfStray(path, in: folder) {
          report.add(Unread(path: "\(folder.path)/\(path)", reason: error.code))
        }
      }
      return true
    }
    return report
  }

  /// The report on a damaged entry, which is removed if `repairing`.
  private func damaged(
    _ path: String, _ identity: FileStatus.Identity, _ url: String?, in folder: CacheFolder, repairing: Bool
  ) -> Damaged {
    var obstacle: Errno?
    if repairing {
      do throws(SystemError) { try remove(path, identity, in: folder) } catch { obstacle = error.code }
    }
    return Damaged(path: "\(folder.path)/\(path)", url: url, obstacle: obstacle)
  }

  /// Reports anything but a file in an entry's place, and returns whether there is something. It may have been removed
  /// meanwhile.
  @discardableResult
  private func tellIfStray(_ path: String, in folder: CacheFolder) -> Bool {
    guard let kind = (try? folder.namespace.status(of: path))?.kind, kind != .regular else { return false }
    tellOfStray("\(folder.path)/\(path)")
    return true
  }

  /// Passes the path of each entry to `visit`, until that returns false. A folder that cannot be read does not keep the
  /// others from being read.
  private func eachEntry(
    in shards: Range<Int> = 0..<CacheKey.shardCount, unread: (_ error: SystemError, _ shard: String) -> Void,
    _ visit: (_ path: String, _ folder: CacheFolder) -> Bool
  ) {
    guard let folder = location.folder else { return }
    for shard in shards {
      let name = CacheKey.shardName(shard)
      let listing: FolderListing
      do throws(SystemError) {
        guard let opened = try folder.openShard(shard, location.tell) else { continue }
        listing = try FolderListing(of: opened)
      } catch {
        unread(error, name)
        continue
      }
      for place in 0..<listing.count where CacheNames.kind(of: place, in: listing) == .entry {
        if !visit("\(name)/\(listing.name(at: place))", folder) { return }
      }
    }
  }

  /// The same, but fails in the end if a folder could not be read.
  private func eachReadableEntry(
    in shards: Range<Int> = 0..<CacheKey.shardCount, _ visit: (_ path: String, _ folder: CacheFolder) -> Bool
  ) throws(CacheFailure) {
    var failure: CacheFailure?
    eachEntry(in: shards) {
      failure = failure ?? .system($0.of($1))
    } _: {
      visit($0, $1)
    }
    if let failure { throw failure }
  }

  /// Removes an image with all that belongs to its URL: salted entries, variants, derived images, and parts that are
  /// not in use. Returns how much that was.
  @discardableResult
  package func remove(_ key: CacheKey) throws(CacheFailure) -> CacheUsage {
    guard let folder = location.folder else { return CacheUsage() }
    let stem = key.stem
    let (removed, failure) = removeAll(in: key.shardIndex, of: folder) { name in
      // In a longer name, one of these characters follows the stem.
      name.hasPrefix(stem) && (name.utf8.count == stem.utf8.count || "-.".contains(name[stem.endIndex]))
    }
    if let failure { throw .notRemoved(failure) }
    return removed
  }

  package func removeAll(of key: CacheKey) { _ = try? remove(key) }

  package func removeEverything() { _ = try? clear() }

  /// Removes everything in this namespace except downloads in progress. Returns how much that was. If something cannot
  /// be removed, this fails after it has removed the rest.
  @discardableResult
  package func clear() throws(CacheFailure) -> CacheUsage {
    guard let folder = location.folder else { return CacheUsage() }
    var removed = CacheUsage()
    var failure: CacheFailure?
    for shard in 0..<CacheKey.shardCount {
      let done = removeAll(in: shard, of: folder) { _ in true }
      removed += done.removed
      failure = failure ?? done.failure.map(CacheFailure.notRemoved)
      _ = try? folder.namespace.remove(CacheKey.shardName(shard), isFolder: true)
    }
    // The record of evicted entries goes as well.
    _ = try? folder.namespace.remove(CacheFolder.Names.evicted)
    PageStore.clear(location)
    // The length of a damaged entry may differ from the one that the ledger counted.
    do { _ = try exactSize() } catch { failure = failure ?? error }
    if let failure { throw failure }
    return removed
  }

  /// Removes what is meant of a folder, and returns how much that was, and the first failure. Names are listed before
  /// any is removed: removing while reading may hide others.
  private func removeAll(
    in shard: Int, of folder: CacheFolder, where isMeant: (String) -> Bool
  ) -> (removed: CacheUsage, failure: SystemError?) {
    var removed = CacheUsage()
    var failure: SystemError?
    do throws(SystemError) {
      guard let place = try folder.openShard(shard, location.tell) else { return (removed, nil) }
      for name in try place.names() where isMeant(name) {
        do throws(SystemError) {
          guard let bytes = try remove(name, in: place) else { continue }
          folder.ledger?.add(shard: shard, bytes: -bytes, entries: -1)
          removed += CacheUsage(bytes: bytes, entries: 1)
        } catch {
          switch error.code {
          case .noSuchFile: break
          // A folder that is not empty does not belong to the cache.
          case .directoryNotEmpty, .fileExists:
            tellOfStray("\(folder.path)/\(CacheKey.shardName(shard))/\(name)")
          default: failure = failure ?? error
          }
        }
      }
    } catch {
      if error.code != .noSuchFile { failure = error }
    }
    return (removed, failure?.inShard(shard))
  }

  private func tellOfStray(_ path: String) {
    location.tell("\(path): passed over: it is no file of the cache; remove it")
  }

  /// Removes the file or folder with a name. Returns the size of the removed entry, or nil if it was not an entry.
  private func remove(_ name: String, in place: borrowing Descriptor) throws(SystemError) -> Int64? {
    guard let status = try place.status(of: name) else { return nil }
    guard status.kind == .regular else {
      try place.remove(name, isFolder: status.kind == .directory)
      return nil
    }
    switch CacheNames.kind(of: name.utf8) {
    case .part, .temporary: _ = try Part.remove(name, in: place)
    case .failureNote: try place.remove(name)
    case .entry: if try place.remove(name) { return status.size }
    }
    return nil
  }
}
