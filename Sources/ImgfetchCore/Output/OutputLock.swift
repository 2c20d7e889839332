/// The lock on a file that is about to be replaced, or to get a mark.
///
/// Two processes may want one name at the same time, each for an image of its own. Who replaces a file holds its lock, and has
/// seen under it that the file still has the name and is what it was taken for. So no file is replaced that another process has just put
/// there. The lock is held for the time of one rename.
struct OutputLock: ~Copyable {
  /// The file, locked where that is possible: not all file systems have locks, and a network's may want it open for writing. Nil: it
  /// may not be read.
  let file: SharedDescriptor?

  /// How often a lock is tried that another has: about a second in all. A holder of ours needs some microseconds, so who has it longer
  /// has it for reasons of its own, or was stopped, and must not hold up a run.
  private static let tries = 60

  /// Nil: by now something else has the name, or it is not what was seen.
  static func take(_ target: OutputTarget, seen: OutputSight) throws(OutputFailure) -> OutputLock? {
    let folder = target.folder.descriptor
    let file = try? SharedDescriptor(folder.file.open(target.name, [.read, .noFollow, .nonBlocking]))
    if let file {
      lock(file)
      guard let now = try? target.sight(of: file.file), now.isSame(as: seen) else { return nil }
    }
    guard try target.status()?.identity == seen.status.identity else { return nil }
    return OutputLock(file: file)
  }

  private static func lock(_ file: SharedDescriptor) {
    for attempt in 0..<tries {
      if (try? file.file.tryLock()) != false { return }
      Threads.rest(milliseconds: min(attempt + 1, 20))
    }
  }

  /// Ends it. Said aloud, so that it lasts until here.
  consuming func release() { withExtendedLifetime(file) {} }
}
