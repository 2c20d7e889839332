import Synchronization

/// The URLs that failed for good, in this run or, on request, in an earlier one (on disk).
struct KnownFailures: Stage {
  let pipeline: Pipeline

  /// The earlier failure because of which a flight's URL is not requested again, or nil if it may be.
  ///
  /// - Parameter stored: the time at which the present image was stored, which ends an earlier failure.
  func failure(of flight: Flight, stored: WallTime?) -> FetchError? {
    let options = flight.options
    if options.retriesFailed { return nil }
    let key = flight.urlKey
    if let failure = record.failure(of: key, demands: flight.shared.demands) {
      return failure.error(for: flight.request.url)
    }
    guard options.policy.storesOnDisk, let span = options.skipsFailedFor,
      let note = disk?.failureNote(of: key, within: span.inSeconds),
      note.failed > stored ?? WallTime(nanoseconds: .min),
      !note.isAnswer(under: options)
    else { return nil }
    return note.error(for: flight.request.url)
  }

  /// True if later runs should not request the URL again for a while.
  private static func isWorthNoting(_ error: FetchError) -> Bool {
    error.kind == .notImage || (error.kind == .http && FailureNote.gone.contains(error.status ?? 0))
  }

  /// Remembers that a flight failed.
  func note(_ error: FetchError, of flight: Flight) {
    let options = flight.options
    let key = flight.urlKey
    record.forgetAsking(of: flight.key)
    // The failure is the last mirror's, and another request may name other mirrors.
    if !flight.leader.request.mirrors.isEmpty { return }
    if let isRemembered = log.hooks.remembersFailure, !isRemembered(error) { return }
    record.remember(error, for: key, demands: flight.shared.demands)
    if options.policy.storesOnDisk, let span = options.skipsFailedFor, Self.isWorthNoting(error) {
      // A body that is not an image is noted as such, whatever its status.
      disk?.noteFailure(of: key, status: error.kind == .http ? error.status ?? 200 : 200, for: span.inSeconds)
    }
  }

  /// Forgets the failure of a URL that has given an image.
  func forget(_ flight: Flight) {
    record.forgetFailure(of: flight.urlKey, demands: flight.shared.demands)
    if flight.options.skipsFailedFor != nil { disk?.removeFailureNote(of: flight.urlKey) }
  }
}

extension FailureNote {
  func error(for url: WebURL) -> FetchError {
    let isGone = Self.gone.contains(status)
    let reason =
      (isGone ? "the server answered \(StatusPhrase.of(status))" : "it was no image") + " in an earlier run"
    return FetchError(isGone ? .http : .notImage, url.display, reason, status: status, remedy: .askAgain)
  }

  /// True if a request with these options takes what failed for an answer.
  func isAnswer(under options: FetchOptions) -> Bool {
    Self.gone.contains(status) ? options.acceptedStatuses.contains(status) : options.verification == .none
  }

  /// Statuses that say more than "not now, not you".
  static let gone = [404, 410]
}
