// The files of downloads in progress. ``PartProtocol`` explains why each has one holder.
extension DiskCache {
  /// Claims the part of a key: to download into it, or to learn that another process is downloading or has stored it.
  package func claimPart(_ key: CacheKey, after earlierLookup: EarlierLookup = .missed) -> PartClaim {
    claim { () throws(CacheFailure) in try PartClaiming(key, earlierLookup: earlierLookup, in: self) }
  }

  /// Claims the right to ask the origin about an entry, or learns that another process is asking or has asked.
  package func claimEntry(_ entry: CachedEntry) -> PartClaim {
    claim { () throws(CacheFailure) in try PartClaiming(entry, in: self) }
  }

  private func claim(_ make: () throws(CacheFailure) -> PartClaiming) -> PartClaim {
    do {
      var claiming = try make()
      return claiming.begin()
    } catch {
      return .unavailable(location.explain(error))
    }
  }

  /// Claims the part of a key that is probably not stored: the part is claimed first, and its holder looks for the
  /// entry once. Returns nil, with nothing left behind, if there is an entry, if another process downloads it, or if
  /// that is not known. The usual order then finds out which.
  package func claimUnseen(_ key: CacheKey) -> Part? {
    guard readOnlyCaches.isEmpty, case .claimed(let part) = claimPart(key) else { return nil }
    return part
  }

  /// A part for this process alone, which is neither waited for nor resumed: for a download that has waited once in
  /// vain.
  package func claimPrivatePart(_ key: CacheKey) -> PartClaim {
    do { return .claimed(try openPrivate(key)) } catch { return .unavailable(location.explain(error)) }
  }

  func openPrivate(_ key: CacheKey) throws(CacheFailure) -> Part {
    try location.checkSalt(of: key)
    var folder = try location.makeFolder()
    for _ in 0..<Self.privateTurns {
      let path = location.privatePath(key)
      do {
        let file = SharedDescriptor(
          try location.openForWriting(
            path, shard: key.shard, [.readWrite, .create, .exclusive, .noFollow], in: &folder))
        // Locked so that a cleaner leaves it alone. If a cleaner locked it between the two calls, it has removed
        // the file or is about to.
        if (try? file.file.tryLock()) == false {
          _ = try? folder.namespace.remove(path)
          continue
        }
        return Part(
          key: key, isPrivate: true, path: path, folder: folder, file: file, length: 0, cache: location,
          clock: clock)
      } catch {
        // Left by another process that had the same number.
        if error.code != .fileExists { throw error }
      }
    }
    throw .unavailable(CacheUnavailable("\(location.root): not used as a cache: each new file in it is locked"))
  }

  /// More than cleaners can be in the way. Some network file systems say of every file that it is locked, such as 9p
  /// while its server starts.
  private static let privateTurns = 16
}

extension Part {
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
      // NFS lets no file be removed twice that is still open.
      if error.code == .noSuchFile || error.code == .busy { return false }
      throw error
    }
  }
}
