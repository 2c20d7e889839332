/// How one process comes to hold a part, waits for it, or is served what its holder published.
///
/// A pure value: told what was found, it says what to do next. The lock is the kernel's (`flock` on the part's file),
/// so it ends with whoever held it, however that was.
///
/// **Why two can never hold one part.** A holder has the lock of the inode that *has the part's name*: it compares the
/// two after it got the lock. Only the holder gives the name away (renames the file to the entry, or removes it), and it
/// does so before it lets go of the lock. So as long as somebody holds the inode that has the name, no other can lock
/// that inode; and who locks an inode that has lost the name finds that out by comparing, and begins again. Without
/// the comparison there are two: one opens the file, the holder renames it and lets go, the first locks what is an
/// entry by now, and a third makes a new file under the name.
///
/// Whoever is to ask the origin about an entry begins with that entry's file in the part's place, and makes a part when there is
/// something to download. It is the same as long as it has a name, there is no part, and whoever was waited for has not given up, which
/// changes it; where it is not the same, the next step is the part. Two that hold an entry's lock cannot be. One may hold that and
/// another a part, if it began without asking: then both ask, and the later to publish has the last word, as over any entry.
package struct PartProtocol: Sendable {
  /// What is to be done.
  package enum Step: Hashable, Sendable {
    /// Open the part's file, making it where it is missing.
    case open
    /// Try its lock.
    case lock
    /// Compare the opened file with what has the name.
    case compare
    /// Look for an entry that was stored since this process began to ask.
    case lookUp
    /// It is ours: download into it.
    case hold
    /// Serve that entry, and remove the part if it is ours.
    case serve(removing: Bool)
    /// Somebody else downloads; ask again later.
    case wait
    /// Download into a file of one's own.
    case fetchAlone
    /// Do without the cache, and remove the part if it is ours.
    case giveUp(removing: Bool)
  }

  /// What was found.
  package enum Finding: Hashable, Sendable {
    case opened
    case locked, busy
    /// The file system has no such locks.
    case unlockable
    case sameFile, otherFile
    /// Not the entry is what is held by now, but its part.
    case partInstead
    case noEntry, storedSince
    /// Something under the entry's name that is not ours to replace.
    case untouchable
    /// Some time has passed.
    case resumed
  }

  private var isHolding = false
  private var isWaiting = false
  private var hasWaited = false
  /// Whether nobody is waited for any more.
  private var isAlone = false
  private var turns = 0

  /// Every new turn means that another process got somewhere; so many in a row mean that something is broken.
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
      // Who has waited for one holder and finds another waits no more: one that always fails would be waited for in turn. But the
      // other may be a waiter too, that was quicker to make the part anew and is about to find what the first one stored.
      isAlone = hasWaited && !isWaiting
      return isAlone ? .lookUp : startWaiting()
    case .sameFile: return isHolding ? .lookUp : .lock
    case .otherFile, .partInstead:
      isHolding = false
      // Whoever has most likely made the part goes on being waited for.
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
