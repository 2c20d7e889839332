import Synchronization

/// What one run remembers of URLs: which have failed for good, and for which keys the origin was asked or another process waited for.
///
/// May be called from any thread.
final class RunRecord: Sendable {
  private struct State {
    /// What failed for good, by its URL, in 16 bytes each. Here and below the keys are those of ``RunDigest``. They are numbers because
    /// the runtime looks up how to hash the keys of a table at its first use, and knows that for numbers.
    var failed: [UInt64: RememberedFailure] = [:]
    /// Keys that were asked of the origin, under policies that do so once a run.
    var asked: Set<UInt64> = []
    /// Keys for which another process was waited for once.
    var waited: Set<UInt64> = []
  }

  private let state = Guarded(State())
  // Read for each image by several threads. Beside the lock, so that they do not queue for it.
  private let hasFailures = Atomic<Bool>(false)

  func failure(of url: String) -> RememberedFailure? {
    guard hasFailures.load(ordering: .acquiring) else { return nil }
    let digest = RunDigest(url: url).value
    return state.withLock { $0.failed[digest] }
  }

  func remember(_ error: FetchError, for url: String) {
    guard let remembered = RememberedFailure(error) else { return }
    let digest = RunDigest(url: url).value
    state.withLock { $0.failed[digest] = remembered }
    hasFailures.store(true, ordering: .releasing)
  }

  /// Whether the key is now asked of the origin for the first time in this run.
  func isFirstAsking(of key: CacheKey) -> Bool {
    let digest = RunDigest(key).value
    return state.withLock { $0.asked.insert(digest).inserted }
  }

  /// The origin gave no answer, so this does not count as the one time of this run.
  func forgetAsking(of key: CacheKey) {
    if state.withLock({ $0.asked.isEmpty }) { return }
    let digest = RunDigest(key).value
    state.withLock { _ = $0.asked.remove(digest) }
  }

  /// Whether another process is now waited for, for this key, for the first time in this run.
  func isFirstWaiting(for key: CacheKey) -> Bool {
    let digest = RunDigest(key).value
    return state.withLock { $0.waited.insert(digest).inserted }
  }
}

/// 64 bits that stand for a URL in the tables of one run, which may hold millions and spend 16 bytes on each.
///
/// The hash that names a cache's files has no key. Two URLs that share half of it can be searched for at leisure, and a server that gives
/// one line of a list could make another line's image count as failed. This hash (SipHash) has a key that is new in each process and
/// never leaves it. Two URLs share a digest by chance only: once in 37 million runs of a million URLs.
///
/// It is made where a table is asked: after the first failure, under policies that ask once a run, and before another process is waited
/// for. A list in which nothing fails makes none.
struct RunDigest {
  let value: UInt64

  /// Of the URL alone, without what identifies the user.
  init(url: String) {
    var hasher = Hasher()
    hasher.combine(url)
    value = UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Of all that makes a key.
  init(_ key: CacheKey) {
    var hasher = Hasher()
    hasher.combine(key.url)
    hasher.combine(key.salt)
    hasher.combine(key.variant)
    value = UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

/// What is known of URLs that failed for good, in this run or (on disk, if that is asked for) in an earlier one.
struct KnownFailures: Sendable {
  let record: RunRecord
  let disk: DiskCache?
  /// Whether a failure is remembered; nil: all are.
  let isRemembered: (@Sendable (FetchError) -> Bool)?

  /// Why a flight's URL is not asked for again; nil: it may be.
  ///
  /// - Parameter stored: when the image that there is was stored. A failure before that is over.
  func failure(of flight: Flight, stored: WallTime?) -> FetchError? {
    let options = flight.options
    if options.retriesFailed { return nil }
    let key = flight.urlKey
    if let failure = record.failure(of: key.url) { return failure.error(for: flight.request.url) }
    guard options.policy.storesOnDisk, let span = options.skipsFailedFor,
      let note = disk?.failureNote(of: key, within: span), note.failed > stored ?? WallTime(nanoseconds: .min)
    else { return nil }
    return note.error(for: flight.request.url)
  }

  /// Remembers that a flight failed.
  func note(_ error: FetchError, of flight: Flight) {
    let options = flight.options
    let key = flight.urlKey
    record.forgetAsking(of: flight.key)
    if let isRemembered, !isRemembered(error) { return }
    record.remember(error, for: key.url)
    if options.policy.storesOnDisk, let span = options.skipsFailedFor, error.isWorthNoting {
      // No image is no image, whatever status came with it.
      disk?.noteFailure(of: key, status: error.kind == .http ? error.status ?? 200 : 200, for: span)
    }
  }

  /// The URL has given an image: it is no failure any more.
  func forget(_ flight: Flight) {
    if flight.options.skipsFailedFor != nil { disk?.removeFailureNote(of: flight.urlKey) }
  }
}

extension FailureNote {
  func error(for url: WebURL) -> FetchError {
    let isGone = Self.gone.contains(status)
    let reason =
      (isGone ? "the server answered \(AnswerRule.phrase(status))" : "it was no image") + " in an earlier run"
    return FetchError(isGone ? .http : .notImage, url.display, reason, status: status, remedy: .askAgain)
  }

  /// Statuses that say more than "not now, not you".
  fileprivate static let gone = [404, 410]
}

extension FetchError {
  /// Whether a later run need not ask either, for a while.
  fileprivate var isWorthNoting: Bool {
    kind == .notImage || (kind == .http && FailureNote.gone.contains(status ?? 0))
  }

  /// A status of 400 to 499 that will not pass by itself: it is about the URL as it was asked for.
  var isRefusedByServer: Bool {
    kind == .http && !isTransient && (400..<500).contains(status ?? 0)
  }
}
