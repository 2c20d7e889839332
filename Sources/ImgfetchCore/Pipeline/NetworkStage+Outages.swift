// Origins that do not answer. ``OriginHealth`` judges them; this takes the flights away from them.
extension NetworkStage {
  /// A request has ended without one byte of an answer.
  func note(silenceOf origin: Origin, _ failure: TransportFailure, _ download: ActiveDownload) {
    let now = clock.now()
    let change = admission.wasSilent(
      origin, to: download.machine.requestStart, at: now, because: failure.reason, retries: configuration.retry.limit,
      random: random())
    download.machine.noteSilence()
    let error = FetchError(failure, download.machine.trail.url.display)
    carryOut(download.machine.end(.failed(error), random: random(), at: now), for: download)
    if case .none = change { return }
    for id in admission.waiting(for: origin) {
      guard let download = downloads[id], let step = passBy(download) else { continue }
      admission.remove(id, from: origin)
      carryOut(step, for: download)
    }
  }

  /// What a flight does that need not wait for its origin, which is down; nil: it waits.
  ///
  /// One that has a mirror, or a stored copy that may be served, does not wait for the trials to end.
  func passBy(_ download: ActiveDownload) -> DownloadMachine.Step? {
    let url = download.machine.trail.url
    guard let reason = admission.outage(of: url.origin) else { return nil }
    let now = clock.now()
    let hasAlternative = download.machine.hasOtherPlace || download.flight.hop.fallback != .none
    guard hasAlternative || admission.isGivenUp(url.origin, at: now) else { return nil }
    let error = FetchError(
      .connect, url.display, "\(url.origin.hostAndPort) does not answer (\(reason))", isTransient: true,
      remedy: .askLater)
    return download.machine.leaveOrigin(because: error, random: random(), at: now)
  }
}
