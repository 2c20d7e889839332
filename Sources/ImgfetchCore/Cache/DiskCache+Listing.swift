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

  /// Hands over what is in the cache, entry by entry as they are found, until `take` says that it is enough (false).
  /// Nothing but their ends is read; what is damaged there is passed over.
  package func list(_ take: (Listed) -> Bool) throws(CacheFailure) {
    try eachEntry { (path, folder) in
      guard case .entry(let entry) = EntryReading.read(path, in: folder, key: nil, withBody: false) else { return true }
      return take(
        Listed(
          metadata: entry.metadata, bytes: entry.body.count, stored: entry.stored, lastUsed: entry.lastUsed,
          path: "\(folder.path)/\(path)"))
    }
  }

  /// An entry that is not what was stored.
  package struct Damaged: Hashable, Sendable {
    /// The file.
    package let path: String
    /// Whose image it was; nil if that cannot be read either.
    package let url: String?
  }

  /// What a verification found.
  package struct VerifyReport: Sendable {
    /// Entries that are right.
    package var sound = CacheUsage()
    package var damaged: [Damaged] = []
    /// Entries of a later version's format.
    package var newer = 0
  }

  /// Reads every entry to its end. With `repairing`, what is damaged is removed.
  package func verify(repairing: Bool) throws(CacheFailure) -> VerifyReport {
    var report = VerifyReport()
    try eachEntry { (path, folder) in
      switch EntryReading.read(path, in: folder, key: nil, withBody: false) {
      case .entry(let entry):
        if entry.body.isSound {
          report.sound += CacheUsage(bytes: entry.body.count, entries: 1)
        } else {
          report.damaged.append(Damaged(path: "\(folder.path)/\(path)", url: entry.key.url))
          if repairing { self.remove(path, entry.stamp.identity, in: folder) }
        }
      case .damaged(let status):
        report.damaged.append(Damaged(path: "\(folder.path)/\(path)", url: EntrySalvage.url(path, in: folder)))
        if repairing { self.remove(path, status.identity, in: folder) }
      case .newer: report.newer += 1
      case .nothing: break
      }
      return true
    }
    return report
  }

  /// Goes through all entries by name, until `visit` says that it is enough (false).
  private func eachEntry(_ visit: (_ path: String, _ folder: CacheFolder) -> Bool) throws(CacheFailure) {
    guard let folder else { return }
    for shard in 0..<CacheKey.shardCount {
      let name = CacheKey.shardName(shard)
      let listing: FolderListing
      do throws(SystemError) {
        guard let opened = try folder.openShard(shard, tell) else { continue }
        listing = try FolderListing(of: opened)
      } catch { throw .system(error) }
      for place in 0..<listing.count where CacheNames.kind(of: place, in: listing) == .entry {
        if !visit("\(name)/\(listing.name(at: place))", folder) { return }
      }
    }
  }
}
