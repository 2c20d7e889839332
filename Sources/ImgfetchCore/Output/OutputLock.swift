/// The lock on a file that is about to be replaced or marked. Two processes may write different images under the same
/// name at the same time. A process replaces a file only while it holds its lock, and after checking under the lock
/// that the file still has the name and is as it was. So no file is replaced that another process has just put there.
/// The lock is held for one rename.
struct OutputLock: ~Copyable {
  /// The file, or nil if it may not be read. It is locked if possible: not all file systems have locks, and network
  /// file systems may require it to be open for writing.
  let file: SharedDescriptor?

  /// The number of attempts at a lock that is held elsewhere: about a second in all. This program holds it for
  /// microseconds. A process that holds it for longer has other reasons, or was stopped, and must not hold up a run.
  private static let tries = 60

  /// Takes the lock, or returns nil if `existing` no longer has the name or has changed.
  static func take(_ target: OutputTarget, expecting existing: ExistingFile) throws(OutputFailure) -> OutputLock? {
    let folder = target.folder.descriptor
    let file = try? SharedDescriptor(folder.file.open(target.name, [.read, .noFollow, .nonBlocking]))
    if let file {
      lock(file)
      guard let now = try? target.existingFile(of: file.file), now.isSame(as: existing) else { return nil }
    }
    guard try target.status()?.identity == existing.status.identity else { return nil }
    return OutputLock(file: file)
  }

  private static func lock(_ file: SharedDescriptor) {
    for attempt in 0..<tries {
      if (try? file.file.tryLock()) != false { return }
      Threads.sleep(milliseconds: min(attempt + 1, 20))
    }
  }

  /// Releases the lock. Called explicitly, so that it is held until here.
  consuming func release() { withExtendedLifetime(file) {} }
}

extension OutputTarget {
  /// Removes the file if it still is this one. Returns true if that did it.
  @discardableResult
  func remove(_ existing: ExistingFile) -> Bool {
    guard let lock = try? OutputLock.take(self, expecting: existing) else { return false }
    let isGone = (try? folder.descriptor.file.remove(name)) == true
    lock.release()
    return isGone
  }
}
