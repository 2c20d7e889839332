/// The way in which a process becomes the holder of a part, waits for it, or is served what its holder has published.
///
/// A pure value: it takes a finding and returns the next step. The lock is the kernel's (`flock` on the part's file),
/// so it ends with its holder, even if that is killed.
///
/// **Why two processes can never hold one part.** A holder has the lock of the inode that *has the part's name*: it
/// compares the two after it got the lock. Only the holder gives the name away (renames the file to the entry, or
/// removes it), and does so before it releases the lock. So while a process holds the inode that has the name, no other
/// can lock that inode. A process that locks an inode that has lost the name notices that by comparing, and starts
/// over. Without the comparison there could be two: one process opens the file, the holder renames it and releases the
/// lock, the first one locks a file that is an entry by now, and a third makes a new file under the name.
///
/// A process that wants to ask the origin about an entry begins with that entry's file instead of the part, and makes a
/// part if there is something to download. The file counts as the same while it has a name, there is no part, and the
/// holder that was waited for has not given up, which changes it. If it is not the same, the process goes on with the
/// part. Two processes can never hold an entry's lock. One may hold that and another a part, if it began without
/// asking. Then both ask, and the later to publish wins, unless the other had asked when its own answer had come.
package struct PartProtocol: Sendable {
  /// The next thing to do.
  package enum Step: Hashable, Sendable {
    /// Open the part's file, and make it if it is missing.
    case open
    /// Try to lock it.
    case lock
    /// Compare the open file with the one that has the name.
    case compare
    /// Look for an entry that was stored after this process began.
    case lookUp
    /// The part is this process's: download into it.
    case hold
    /// Serve that entry, and remove the part if it is this process's.
    case serve(removing: Bool)
    /// Another process downloads: try again later.
    case wait
    /// Download into a private part.
    case fetchAlone
    /// Do without the cache, and remove the part if it is this process's.
    case giveUp(removing: Bool)
  }

  /// The result of a step.
  package enum Finding: Hashable, Sendable {
    case opened
    case locked, busy
    /// The file system has no locks.
    case unlockable
    case sameFile, otherFile
    /// Another process holds the entry's part instead of the entry.
    case partInstead
    case noEntry, storedSince
    /// The entry's name is taken by something that must not be replaced.
    case untouchable
    /// The waiting time has passed.
    case resumed
  }

  private var isHolding = false
  private var isWaiting = false
  private var hasWaited = false
  /// True once other processes are no longer waited for.
  private var isAlone = false
  private var turns = 0

  /// Every new turn means that another process made progress. This many in a row mean that something is broken.
  private static let turnLimit = 64

  package init() {}

  package mutating func begin() -> Step { .open }

  package mutating func next(after finding: Finding) -> Step {
    switch finding {
    case .opened: return .lock
    case .locked:
      isHolding = true
      return .compare
    case .unlockable: return .fetchAlone
    case .busy:
      // A process that has waited for one holder and finds another does not wait again: holders that always fail would
      // be waited for one after another. But the other may also have waited, been faster to make the part again, and be
      // about to find what the first one stored.
      isAlone = hasWaited && !isWaiting
      return isAlone ? .lookUp : startWaiting()
    case .sameFile: return isHolding ? .lookUp : .lock
    case .otherFile, .partInstead:
      isHolding = false
      // The process that has most likely made the part is still waited for.
      if finding == .otherFile { isWaiting = false }
      turns += 1
      return turns < Self.turnLimit ? .open : .fetchAlone
    case .noEntry: return isHolding ? .hold : isAlone ? .fetchAlone : .compare
    case .storedSince: return .serve(removing: isHolding)
    case .untouchable: return .giveUp(removing: isHolding)
    case .resumed: return .lookUp
    }
  }

  private mutating func startWaiting() -> Step {
    isWaiting = true
    hasWaited = true
    return .wait
  }
}

/// One claim of a part, or of the lock on an entry: carries out the steps of ``PartProtocol`` and
/// reports the findings to it.
struct PartClaiming: Sendable {
  private let cache: DiskCache
  private let key: CacheKey
  private let path: String
  private let earlierLookup: EarlierLookup
  private var decisions = PartProtocol()
  private var folder: CacheFolder
  private var file: SharedDescriptor?
  /// The entry that is claimed instead of a part, as long as it has the name and there is no part.
  private var entry: CachedEntry?
  /// The lock on that entry, once it is ours.
  private var entryLock: EntryLock?
  /// True if that entry has not changed, according to the holder of its lock.
  private var isUnchanged = false
  /// The entry's last use when it was first found locked. A holder that ends without an answer changes it.
  private var accessed: WallTime?
  private var length: Int64 = 0
  private var answer: CachedEntry?

  init(_ key: CacheKey, earlierLookup: EarlierLookup, in cache: DiskCache) throws(CacheFailure) {
    self.cache = cache
    self.key = key
    path = key.partPath
    self.earlierLookup = earlierLookup
    try cache.location.checkSalt(of: key)
    folder = try cache.location.makeFolder()
  }

  init(_ entry: CachedEntry, in cache: DiskCache) throws(CacheFailure) {
    try self.init(entry.key, earlierLookup: .saw(entry.stamp), in: cache)
    // On a network file system (where there is no ledger) only a file that is open for writing can be locked.
    if !entry.isReadOnly, entry.file != nil, folder.ledger != nil { self.entry = entry }
  }

  mutating func begin() -> PartClaim {
    guard let entry else { return run(from: decisions.begin()) }
    file = entry.file
    return run(from: decisions.next(after: .opened))
  }

  mutating func resume() -> PartClaim { run(from: decisions.next(after: .resumed)) }

  private mutating func run(from first: PartProtocol.Step) -> PartClaim {
    var step = first
    do throws(CacheFailure) {
      while true {
        let finding: PartProtocol.Finding
        switch step {
        case .open: finding = try open()
        case .lock: finding = lock()
        case .compare: finding = try compare()
        case .lookUp: finding = lookUp()
        case .hold: return hold()
        case .serve(let isOurs):
          if isOurs { removePart() }
          entryLock?.release()
          if let answer { return .published(answer) }
          return .unavailable(CacheWarning("the cache's entry is gone again"))
        case .wait: return .busy(BusyPart(self, length: (try? file?.file.status().size) ?? 0))
        case .fetchAlone:
          file = nil
          entryLock?.release()
          return try .claimed(cache.openPrivate(key))
        case .giveUp(let isOurs):
          if isOurs { removePart() }
          return .unavailable(
            CacheWarning("\(folder.path): an entry of a newer format is left alone, and the image is not stored"))
        }
        step = decisions.next(after: finding)
      }
    } catch {
      return .unavailable(cache.location.explain(error))
    }
  }

  private mutating func open() throws(CacheFailure) -> PartProtocol.Finding {
    entryLock?.release()
    (file, entry, entryLock) = (nil, nil, nil)
    do {
      file = SharedDescriptor(
        try cache.location.openForWriting(path, shard: key.shard, [.readWrite, .create, .noFollow], in: &folder))
    } catch {
      // A link, a folder, a socket, or a file that only another user may open.
      guard removeForeign() else { throw error }
      return .otherFile
    }
    return .opened
  }

  private mutating func lock() -> PartProtocol.Finding {
    guard let file else { return .otherFile }
    do {
      guard try file.file.tryLock() else {
        if entry != nil, accessed == nil { accessed = try file.file.status().accessed }
        return .busy
      }
      if entry != nil { entryLock = EntryLock(file) }
      return .locked
    } catch {
      // Locking an entry may fail where locking a part, which is open for writing, does not.
      if entry != nil { return .otherFile }
      // Without locks, no process can hold it, and the file would never be used.
      removePart()
      return .unlockable
    }
  }

  private mutating func compare() throws(CacheFailure) -> PartProtocol.Finding {
    guard let file else { return .otherFile }
    do throws(SystemError) {
      let opened = try file.file.status()
      if let entry {
        guard opened.links == 1, accessed == nil || accessed == opened.accessed else { return .otherFile }
        // The process that asks the origin may have made a part by now, because an image is coming. Or the part belongs
        // to a process that downloads without having asked, or was left by one.
        if try folder.namespace.status(of: path) != nil { return .partInstead }
        isUnchanged = opened.modified == entry.stamp.stored
        return .sameFile
      }
      guard folder.trust.trusts(opened) else {
        guard removeForeign() else { throw SystemError(.openat, .fileExists, path: path) }
        return .otherFile
      }
      length = opened.size
      // An empty file that has a name still has this one: only its holder takes the name away, by removing it or by
      // giving it to an entry, which is never empty. Not on a network file system (where there is no ledger): a removed
      // file that is open elsewhere keeps a name there. This saves a call for everything that is not resumed.
      if opened.size == 0, opened.links == 1, folder.ledger != nil { return .sameFile }
      return try folder.namespace.status(of: path)?.identity == opened.identity ? .sameFile : .otherFile
    } catch {
      throw .system(error)
    }
  }

  private mutating func lookUp() -> PartProtocol.Finding {
    if entryLock != nil, isUnchanged { return .noEntry }
    // An entry that was seen before and has not changed need not be read again.
    if case .saw(let stamp) = earlierLookup, let status = try? folder.namespace.status(of: key.path),
      status.identity == stamp.identity, status.modified == stamp.stored
    {
      return .noEntry
    }
    switch cache.read(key, at: key.path, in: folder) {
    case .entry(let entry):
      guard earlierLookup.isAnswered(by: entry) else { return .noEntry }
      answer = entry
      return .storedSince
    case .newer: return .untouchable
    case .nothing, .damaged, .unreadable: return .noEntry
    }
  }

  private func hold() -> PartClaim {
    if let entryLock { return .lockedEntry(entryLock) }
    guard let file else { return .unavailable(CacheWarning("the part of an image was lost")) }
    return .claimed(
      Part(
        key: key, isPrivate: false, path: path, folder: folder, file: file, length: length, cache: cache.location,
        clock: cache.clock))
  }

  /// Removes what has the part's name and is no file of this user, so that it does not keep the image from being stored
  /// for ever. Root could write to another user's file, but no one would believe the entry that it becomes.
  private func removeForeign() -> Bool {
    let name = "\(key.fileName)\(CacheKey.partSuffix)"
    // Through the shard's own folder, and not through a link in its place.
    guard let shard = try? folder.namespace.open(key.shard, [.read, .directory, .noFollow]),
      let status = try? shard.status(of: name), !folder.trust.trusts(status)
    else { return false }
    return (try? shard.remove(name, isFolder: status.kind == .directory)) == true
  }

  private func removePart() {
    guard entry == nil else { return }
    _ = try? folder.namespace.remove(path)
  }
}
