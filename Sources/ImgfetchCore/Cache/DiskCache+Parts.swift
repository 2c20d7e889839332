// Where downloads go. `PartProtocol` says why each of these has one holder.
extension DiskCache {
  /// Asks for the part of a key: to download into it, or to hear that somebody else does or has done so.
  package func claimPart(_ key: CacheKey, after firstLook: FirstLook = .missed) -> PartClaim {
    do {
      var claiming = try PartClaiming(key, firstLook: firstLook, in: self)
      return claiming.begin()
    } catch {
      return .unavailable(explain(error))
    }
  }

  /// Asks to be the one who asks the origin about an entry, or to hear that somebody else does or has done so.
  package func claimEntry(_ entry: CachedEntry) -> PartClaim {
    do {
      var claiming = try PartClaiming(entry, in: self)
      return claiming.begin()
    } catch {
      return .unavailable(explain(error))
    }
  }

  /// The part of a key of which probably nothing is stored: claimed first, and the entry looked for once, by its holder. Nil, and
  /// nothing left behind: there is an entry, or somebody else downloads it, or it cannot be told; the usual order of things says
  /// which.
  package func claimUnseen(_ key: CacheKey) -> Part? {
    guard tiers.isEmpty, case .claimed(let part) = claimPart(key) else { return nil }
    return part
  }

  /// A part of this process's own, that nobody waits for and nobody goes on with: for who has waited once in vain.
  package func claimPrivatePart(_ key: CacheKey) -> PartClaim {
    do { return .claimed(try openPrivatePart(key)) } catch { return .unavailable(explain(error)) }
  }

  func openPrivatePart(_ key: CacheKey) throws(CacheFailure) -> Part {
    var folder = try makeFolder()
    while true {
      let path = privatePath(key)
      do {
        let file = SharedDescriptor(
          try openForWriting(path, shard: key.shard, [.readWrite, .create, .exclusive, .noFollow], in: &folder))
        // So that a cleaner leaves it alone. One that had it between the two calls has removed it, or is about to.
        if (try? file.file.tryLock()) == false { continue }
        return Part(key: key, isPrivate: true, path: path, folder: folder, file: file, length: 0, cache: self)
      } catch {
        // Left by another process that had this one's number.
        if error.code != .fileExists { throw error }
      }
    }
  }

  /// A name that no other process uses.
  func privatePath(_ key: CacheKey) -> String {
    "\(key.shard)/\(key.fileName).\(Processes.identifier).\(nextPrivatePart())\(CacheKey.partSuffix)"
  }

  /// Opens a file in a shard's folder, and makes the folder (or the whole cache) first if it is missing. Making all of
  /// them beforehand would cost 5 ms.
  func openForWriting(
    _ path: String, shard: @autoclosure () -> String, _ flags: OpenFlags, in folder: inout CacheFolder
  ) throws(CacheFailure) -> Descriptor {
    // Each turn but the first follows a removal by somebody else, or a making by us.
    for _ in 0..<16 {
      do {
        return try folder.namespace.openBeneath(path, flags)
      } catch {
        if error.code != .noSuchFile { throw .system(error) }
      }
      do {
        try folder.namespace.makeFolder(shard())
      } catch {
        guard error.code == .noSuchFile else { throw .system(error) }
        forget(folder)
        folder = try makeFolder()
      }
    }
    throw .unavailable(CacheUnavailable("\(root): the cache is removed faster than it can be made"))
  }

  /// A failure as a sentence for the user.
  func explain(_ failure: CacheFailure) -> String {
    switch failure {
    case .unavailable(let reason): reason.message
    case .system(let error): "\(root): the cache cannot be written: \(error.code)"
    default: "\(root): \(failure)"
    }
  }
}
