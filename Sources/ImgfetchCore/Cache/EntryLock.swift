import Synchronization

/// The lock on an entry while its origin is asked whether it is still right.
///
/// Most entries are, and then nothing is downloaded. So a claimant locks the entry's own file instead of making a part,
/// which would be created and removed for nothing. A list whose entries are all still right takes an eighth less time.
///
/// End a lock with ``release()`` or ``giveUp()``, because an image made from the entry keeps its file open for as long
/// as it is read. A lock that is dropped counts as given up.
package final class EntryLock: Sendable {
  private let file: SharedDescriptor
  private let isOver = Atomic<Bool>(false)

  init(_ file: SharedDescriptor) { self.file = file }

  deinit { giveUp() }

  /// Ends the lock after the origin has answered, so that waiters find the entry newer than before; or if the origin
  /// was not asked at all.
  package func release() {
    if !isOver.exchange(true, ordering: .relaxed) { file.file.unlock() }
  }

  /// Ends the lock without an answer to share, so that waiters do not wait for one claimant after another. They
  /// recognise this case by the access time, which is advanced by a nanosecond. That does not count as a use, and is
  /// visible although the kernel's own times have a coarser resolution.
  package func giveUp() {
    guard !isOver.exchange(true, ordering: .relaxed) else { return }
    if let status = try? file.file.status() {
      try? file.file.setTimes(accessed: WallTime(nanoseconds: status.accessed.nanoseconds &+ 1), modified: nil)
    }
    file.file.unlock()
  }
}
