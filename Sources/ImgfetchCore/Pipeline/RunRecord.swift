import Synchronization

/// The record of URLs in one run: those that have failed for good, and the keys for which the origin was asked or
/// another process waited for.
///
/// May be called from any thread.
final class RunRecord: Sendable {
  private struct State {
    /// The failures for good, in 16 bytes each. Here and below the keys are those of ``RunDigest``. They are numbers,
    /// because the runtime looks up how to hash the keys of a table at its first use, and has that ready for numbers.
    var failed: [UInt64: RememberedFailure] = [:]
    /// The number of failures above which expired ones are dropped.
    var mostFailed = RunRecord.leastFailed
    /// Keys that were asked of the origin, under policies that do so once a run.
    var asked: Set<UInt64> = []
    /// Keys for which another process was waited for once.
    var waited: Set<UInt64> = []
  }

  private let state = Guarded(State())
  /// The time for which a failure counts, or nil for ever.
  private let failureAge: Instant.Span?
  private let clock: any Clock
  private let begun: Instant
  private static let leastFailed = 1024
  // Read for each image by several threads. Not behind the lock, so that they do not queue for it.
  private let hasFailures = Atomic<Bool>(false)

  init(failureAge: Instant.Span? = nil, clock: any Clock = SystemClock()) {
    self.failureAge = failureAge
    self.clock = clock
    begun = clock.now()
  }

  /// The earlier failure of a key, if there is one.
  ///
  /// - Parameter demands: the hash of the accepted answers: another request may accept an answer that this one does
  ///   not.
  func failure(of key: CacheKey, demands: Int) -> RememberedFailure? {
    guard hasFailures.load(ordering: .acquiring) else { return nil }
    let digest = RunDigest(key, demands: demands).value
    guard let failure = state.withLock({ $0.failed[digest] }), counts(failure, at: age) else { return nil }
    return failure
  }

  func remember(_ error: FetchError, for key: CacheKey, demands: Int) {
    let now = age
    guard let remembered = RememberedFailure(error, at: now) else { return }
    let digest = RunDigest(key, demands: demands).value
    state.withLock { state in
      if failureAge != nil, state.failed.count >= state.mostFailed {
        state.failed = state.failed.filter { counts($0.value, at: now) }
        state.mostFailed = max(Self.leastFailed, 2 * state.failed.count)
      }
      state.failed[digest] = remembered
    }
    hasFailures.store(true, ordering: .releasing)
  }

  /// Forgets the failure of a key that has an image now.
  func forgetFailure(of key: CacheKey, demands: Int) {
    guard hasFailures.load(ordering: .acquiring) else { return }
    let digest = RunDigest(key, demands: demands).value
    state.withLock { _ = $0.failed.removeValue(forKey: digest) }
  }

  /// Tenths of a second since the record was begun. They fill 32 bits in 13 years.
  private var age: UInt32 { UInt32(clamping: (clock.now() - begun).nanoseconds / 100_000_000) }

  private func counts(_ failure: RememberedFailure, at age: UInt32) -> Bool {
    guard let failureAge else { return true }
    return Int64(age) - Int64(failure.noted) < failureAge.nanoseconds / 100_000_000
  }

  /// True if this is the first time in this run that the origin is asked for the key.
  func isFirstAsking(of key: CacheKey) -> Bool {
    let digest = RunDigest(key).value
    return state.withLock { $0.asked.insert(digest).inserted }
  }

  /// Forgets that the origin was asked, because it gave no answer: this does not count as the one time of this run.
  func forgetAsking(of key: CacheKey) {
    if state.withLock({ $0.asked.isEmpty }) { return }
    let digest = RunDigest(key).value
    state.withLock { _ = $0.asked.remove(digest) }
  }

  /// True if this is the first time in this run that another process is waited for, for this key.
  func isFirstWaiting(for key: CacheKey) -> Bool {
    let digest = RunDigest(key).value
    return state.withLock { $0.waited.insert(digest).inserted }
  }
}
