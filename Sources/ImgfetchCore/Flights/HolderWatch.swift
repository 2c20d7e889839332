/// Decides how long a process is waited for that makes no progress. A pure value.
///
/// One that was stopped (Ctrl-Z, SIGSTOP) keeps its lock while it is stopped. Only its part shows this: if it
/// has not grown for as long as a server may be silent, the process is not waited for any longer. A small body
/// grows in memory, a lock on an entry not at all, and a flight that waits for its turn does not either: those
/// have that time and no more.
struct HolderWatch {
  private var length: Int64
  private var lastGrowth: Instant

  init(length: Int64, at now: Instant) {
    self.length = length
    lastGrowth = now
  }

  /// True if the part makes no progress.
  ///
  /// - Parameter patience: the time that it may stand still.
  mutating func isStuck(length: Int64, at now: Instant, patience: Instant.Span) -> Bool {
    // Another length is another holder's part, or one that was begun anew.
    if length != self.length {
      self.length = length
      lastGrowth = now
    }
    return lastGrowth + patience <= now
  }
}
