/// The number of jobs that may run at once under the limit on open files. A pure value.
struct FileAllowance: Equatable {
  /// Downloads at once.
  let jobs: Int
  /// Requests that are read ahead.
  let window: Int
  /// Connections that are kept while their origins have requests ahead.
  let idle: Int
  /// Name look-ups at once.
  let lookUps: Int
  /// Images that are kept as open files.
  let kept: Int
  /// Downloads that go on without a place.
  let beside: Int

  /// The most requests ahead: enough to find work for some forty hosts in a mixed list. Each request lies idle until
  /// its turn, with its part open: with four times as many a cold list took a tenth longer.
  private static let mostAhead = 256
  /// The streams, the list, the cache's folders, the network's own two, and files that the disk threads open for a
  /// moment.
  private static let others = 20
  /// A connection, and a file that is written.
  private static let perJob = 2
  /// The most look-ups of ``NameBook/Limits``. Each has a socket open.
  private static let mostLookUps = 256
  /// An idle connection with TLS holds some 25 KB.
  private static let mostIdle = 512
  /// The number of images of 64 KB, above which they go to files, that the usual limit of memory holds.
  private static let mostKept = 128

  /// - Parameters:
  ///   - jobs: the wanted number of jobs.
  ///   - files: the number of files that may be open. A request that is read ahead has its part open, and behind a
  ///     slow host there are up to twice as many as usual.
  init(jobs: Int, files: Int) {
    let left = max(0, files - Self.others)
    window = min(Self.mostAhead, max(2, left / 4))
    idle = min(Self.mostIdle, max(1, left / 8))
    lookUps = min(Self.mostLookUps, max(1, left / 7))
    kept = min(Self.mostKept, left / 32)
    let most = (left - 2 * window - idle - lookUps - kept) / Self.perJob
    self.jobs = max(1, min(jobs, most))
    beside = max(0, min(self.jobs, most - self.jobs))
  }

  /// The most files that this number of jobs has open at once.
  static func files(forJobs jobs: Int) -> Int {
    // The same number may continue beside them.
    others + 2 * mostAhead + mostIdle + mostLookUps + mostKept + 2 * perJob * jobs
  }
}
