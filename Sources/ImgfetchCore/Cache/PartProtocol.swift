/// How a process becomes the holder of a part, waits for it, or is served what its holder has published.
///
/// A pure value: it takes what was found and returns what to do next. The lock is the kernel's (`flock` on the part's
/// file), so it ends with its holder, even if that is killed.
///
/// **Why two processes can never hold one part.** A holder has the lock of the inode that *has the part's name*: it
/// compares the two after it got the lock. Only the holder gives the name away (renames the file to the entry, or
/// removes it), and does so before it releases the lock. So while a process holds the inode that has the name, no other
/// can lock that inode. A process that locks an inode that has lost the name notices that by comparing, and starts
/// over. Without the comparison there could be two: one process opens the file, the holder renames it and releases the
/// lock, the first one locks what is an entry by now, and a third makes a new file under the name.
///
/// A process that wants to ask the origin about an entry begins with that entry's file instead of the part, and makes a
/// part if there is something to download. The file counts as the same while it has a name, there is no part, and the
/// holder that was waited for has not given up, which changes it. If it is not the same, the process goes on with the
/// part. Two processes can never hold an entry's lock. One may hold that and another a part, if it began without
/// asking. Then both ask, and the later to publish wins, as with any entry.
package struct PartProtocol: Sendable {
  /// What is to be done.
  package enum Step: Hashable, Sendable {
    /// Open the part's file, and make it if it is missing.
    case open
    /// Try to lock it.
    case lock
    /// Compare the open file with what has the name.
    case compare
    /// Look for an entry that was stored after this process began.
    case lookUp
    /// The part is ours: download into it.
    case hold
    /// Serve that entry, and remove the part if it is ours.
    case serve(removing: Bool)
    /// Another process downloads: try again later.
    case wait
    /// Download into a private part.
    case fetchAlone
    /// Do without the cache, and remove the part if it is ours.
    case giveUp(removing: Bool)
  }

  /// What was found.
  package enum Finding: Hashable, Sendable {
    case opened
    case locked, busy
    /// The file system has no locks.
    case unlockable
    case sameFile, otherFile
    /// Another process holds the entry's part instead of the entry.
    case partInstead
    case noEntry, storedSince
    /// What has the entry's name is not ours to replace.
    case untouchable
    /// The waiting time has passed.
    case resumed
  }

  private var isHolding = false
  private var isWaiting = false
  private var hasWaited = false
  /// Whether it waits for no other process any more.
  private var isAlone = false
  private var turns = 0

  /// Every new turn means that another process made progress. So many in a row mean that something is broken.
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
