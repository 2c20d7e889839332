extension DiskCache {
  /// How much the cache holds, as the ledger has it; counted by walking where there is no ledger that can be believed.
  package func size() throws(CacheFailure) -> CacheUsage {
    guard let folder else { return CacheUsage() }
    if let ledger = folder.ledger, ledger.isCounted, ledger.total.isPlausible { return ledger.total }
    return try exactSize()
  }

  /// How much the cache holds, counted by walking. The ledger is put right on the way.
  package func exactSize() throws(CacheFailure) -> CacheUsage {
    guard let folder else { return CacheUsage() }
    // The one that is there by now: if it is lost on the way, the next is not counted.
    let ledger = folder.ledger
    let counts = try ShardWalk.each(of: folder, { self.tell($0) }) { shard in
      let usage = shard.usage
      shard.correctLedger()
      return usage
    }
    ledger?.isCounted = true
    return counts.reduce(into: CacheUsage()) { $0 += $1 }
  }

  /// Where the namespace's entries are, whether or not there are any yet.
  package var path: String { "\(root)/\(CacheFolder.Names.version)/\(namespace)" }

  /// The file of an entry, in this cache or in a tier below it; nil if there is none that can be believed.
  package func path(of key: CacheKey) -> String? {
    for folder in foldersToRead {
      if case .entry = read(key, at: key.path, in: folder) { return "\(folder.path)/\(key.path)" }
    }
    return nil
  }

  /// The 32 bytes under which salts are made, the same for all processes that use this cache. Made at the first asking.
  package func secret() throws(CacheFailure) -> [UInt8] {
    var folder = try makeFolder()
    for _ in 0..<4 {
      do {
        if let secret = try Secret.read(in: folder) { return secret }
        try Secret.make(in: folder)
      } catch {
        guard error.code == .noSuchFile else { throw .system(error) }
        // The cache was removed underneath.
        forget(folder)
        folder = try makeFolder()
      }
    }
    throw .unavailable(CacheUnavailable("\(root): the cache's secret cannot be read"))
  }
}
