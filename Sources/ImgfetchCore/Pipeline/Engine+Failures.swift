// What is known of URLs that failed for good: they are not asked for again.
extension Engine {
  /// Why a URL is not to be asked for: it failed in this run, or (where that counts) in an earlier one.
  ///
  /// - Parameter stored: when the image that there is was stored; a failure before that is over.
  func knownFailure(of flight: Flight, stored: WallTime?) -> FetchError? {
    let options = flight.options
    if options.retriesFailed { return nil }
    let key = flight.urlKey
    if let failure = failure(rememberedFor: key.url) { return failure.error(for: flight.request.url) }
    guard options.policy.storesOnDisk, let span = options.skipsFailedFor,
      let note = disk?.failureNote(of: key, within: span), note.failed > stored ?? WallTime(nanoseconds: .min)
    else { return nil }
    return note.error(for: flight.request.url)
  }

  /// Remembers that a flight failed. The answer is who asked for another URL of its key, where the server refused only the
  /// one that was asked for: they are to begin again (when the flight has landed).
  func noteFailure(_ error: FetchError, of flight: Flight) -> [Ask] {
    let options = flight.options
    let key = flight.urlKey
    forgetAsking(of: flight.key)
    remember(error, for: key.url)
    if options.policy.storesOnDisk, let span = options.skipsFailedFor, error.isWorthNoting {
      // No image is no image, whatever status came with it.
      disk?.noteFailure(of: key, status: error.kind == .http ? error.status ?? 200 : 200, for: span)
    }
    return options.keyFilter != .none && error.isRefusedByServer ? takeOthers(outOf: flight) : []
  }
}

extension FailureNote {
  func error(for url: WebURL) -> FetchError {
    let isGone = Self.gone.contains(status)
    let reason =
      (isGone ? "the server answered \(AnswerRule.phrase(status))" : "it was no image")
      + " in an earlier run; --retry-failed asks again"
    return FetchError(isGone ? .http : .notImage, url.display, reason, status: status)
  }

  /// Statuses that say more than "not now, not you".
  fileprivate static let gone = [404, 410]
}

extension FetchError {
  /// Whether a run to come need not ask either, for a while.
  fileprivate var isWorthNoting: Bool {
    kind == .notImage || (kind == .http && FailureNote.gone.contains(status ?? 0))
  }

  /// A status of 400 to 499 that will not pass by itself: it is about the URL as it was asked for.
  fileprivate var isRefusedByServer: Bool {
    kind == .http && !isTransient && (400..<500).contains(status ?? 0)
  }
}
