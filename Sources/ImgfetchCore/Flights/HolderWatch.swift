/// Decides how long to wait for another process that makes no progress. A pure value.
///
/// A process that was stopped (Ctrl-Z, SIGSTOP) keeps its lock. Only its part shows that it is stopped: if the part has
/// not grown for as long as a server may be silent, the process is no longer waited for. A small body grows in memory,
/// a lock on an entry has no part, and a flight may wait for its turn: these have that time and no more.
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
    // A different length means another holder's part, or one that was begun anew.
    if length != self.length {
      self.length = length
      lastGrowth = now
    }
    return lastGrowth + patience <= now
  }
}
