extension DiskCache {
  /// Removes an image with all that belongs to its URL: what was salted, variants, derivatives, and parts that nobody
  /// holds. The answer is how much that was.
  @discardableResult
  package func remove(_ key: CacheKey) throws(CacheFailure) -> CacheUsage {
    guard let folder else { return CacheUsage() }
    let stem = key.stem
    return try removeAll(in: key.shardIndex, of: folder) { name in
      // Whatever follows in a longer name follows after one of these.
      name.hasPrefix(stem) && (name.utf8.count == stem.utf8.count || "-.".contains(name[stem.endIndex]))
    }
  }

  /// Removes everything of this namespace but what somebody is downloading into.
  @discardableResult
  package func clear() throws(CacheFailure) -> CacheUsage {
    guard let folder else { return CacheUsage() }
    var removed = CacheUsage()
    for shard in 0..<CacheKey.shardCount {
      removed += try removeAll(in: shard, of: folder) { _ in true }
      _ = try? folder.namespace.remove(CacheKey.shardName(shard), isFolder: true)
    }
    return removed
  }

  /// Names are listed first and removed then: what is removed while one reads may hide others.
  private func removeAll(
    in shard: Int, of folder: CacheFolder, where isMeant: (String) -> Bool
  ) throws(CacheFailure) -> CacheUsage {
    do throws(SystemError) {
      guard let place = try folder.openShard(shard, tell) else { return CacheUsage() }
      var removed = CacheUsage()
      for name in try place.names() where isMeant(name) {
        switch CacheNames.kind(of: name.utf8) {
        case .part, .temporary:
          _ = try PartRemoval.remove(name, in: place)
          continue
        case .failureNote:
          try place.remove(name)
          continue
        case .entry: break
        }
        if let status = try place.status(of: name), try place.remove(name, isFolder: status.kind == .directory) {
          guard status.kind == .regular else { continue }
          folder.ledger?.add(shard: shard, bytes: -status.size, entries: -1)
          removed += CacheUsage(bytes: status.size, entries: 1)
        }
      }
      return removed
    } catch {
      if error.code == .noSuchFile { return CacheUsage() }
      throw .system(error)
    }
  }
}

/// Removes what may be somebody's part, by the rules of those who hold parts: with its lock, and if it still has its name.
enum PartRemoval {
  /// False: somebody holds it, or it is gone.
  static func remove(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Bool {
    do {
      let file = try folder.open(name, [.readWrite, .noFollow, .nonBlocking])
      guard try file.tryLock(), try folder.status(of: name)?.identity == file.status().identity else { return false }
      return try folder.remove(name)
    } catch {
      // A link, or what is not ours to open, is nobody's part.
      if error.code == .tooManySymbolicLinks { return try folder.remove(name) }
      if error.code == .noSuchFile { return false }
      throw error
    }
  }
}
