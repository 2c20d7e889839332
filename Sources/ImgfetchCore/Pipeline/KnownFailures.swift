/// What is known of URLs that failed for good, in this run or (on disk, if that is asked for) in an earlier one.
struct KnownFailures: Sendable {
  let record: RunRecord
  let disk: DiskCache?

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
