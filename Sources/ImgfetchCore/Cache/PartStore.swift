import Synchronization

/// The files of downloads in progress. ``PartProtocol`` explains why each has one holder.
struct PartStore: Sendable {
  let entries: EntryStore
  var location: CacheLocation { entries.location }

  func claim(_ key: CacheKey, after earlierLookup: EarlierLookup) -> PartClaim {
    do {
      var claiming = try PartClaiming(key, earlierLookup: earlierLookup, in: self)
      return claiming.begin()
    } catch {
      return .unavailable(location.explain(error))
    }
  }

  func claim(_ entry: CachedEntry) -> PartClaim {
    do {
      var claiming = try PartClaiming(entry, in: self)
      return claiming.begin()
    } catch {
      return .unavailable(location.explain(error))
    }
  }

  func openPrivate(_ key: CacheKey) throws(CacheFailure) -> Part {
    try location.checkSalt(of: key)
    var folder = try location.makeFolder()
    while true {
      let path = location.privatePath(key)
      do {
        let file = SharedDescriptor(
          try location.openForWriting(
            path, shard: key.shard, [.readWrite, .create, .exclusive, .noFollow], in: &folder))
        // Locked so that a cleaner leaves it alone. If a cleaner locked it between the two calls, it has removed
        // the file or is about to.
        if (try? file.file.tryLock()) == false { continue }
        return Part(key: key, isPrivate: true, path: path, folder: folder, file: file, length: 0, cache: location)
      } catch {
        // Left by another process that had the same number.
        if error.code != .fileExists { throw error }
      }
    }
  }

  /// Removes a file that may be a part, by the rules for holders of parts: under its lock, and only if it still has its
  /// name. Returns false if it is in use or gone.
  static func remove(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Bool {
    do {
      let file = try folder.open(name, [.readWrite, .noFollow, .nonBlocking])
      guard try file.tryLock(), try folder.status(of: name)?.identity == file.status().identity else { return false }
      return try folder.remove(name)
    } catch {
      // A link is not a part.
      if error.code == .tooManySymbolicLinks { return try folder.remove(name) }
      if error.code == .noSuchFile { return false }
      throw error
    }
  }
}
