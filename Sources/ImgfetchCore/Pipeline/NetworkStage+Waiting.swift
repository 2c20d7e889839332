// What a flight waits for before its request goes out, beside its turn. Pure values know who waits for what; this holds the flights, and
// takes them away where waiting is of no use.

// MARK: - Its host's name: ``NameBook``. A slow name takes no place from those that have one.

extension NetworkStage {
  /// Whether a flight may get in line at its origin, as far as its name decides. Else it waits, or has been told so.
  func hasName(_ download: ActiveDownload, notBefore: Instant?) -> Bool {
    let (origin, now) = (download.machine.trail.url.origin, clock.now())
    if names?.knows(origin, at: now) ?? true { return true }
    if let notBefore, notBefore > now {
      download.isResting = true
      timers.add(.lookUp(download.id), at: notBefore)
      return false
    }
    switch names?.ask(origin, for: download.id, at: now) {
    case .go, nil: return true
    case .wait: return false
    case .failed(let failure):
      fail(download, failure)
      return false
    }
  }

  /// The pause before an attempt is over.
  func endRest(of id: UInt64) {
    // It may have left meanwhile, and begun anew.
    guard let download = downloads[id], download.isResting else { return }
    download.isResting = false
    carryOut(.enqueue(notBefore: nil), for: download)
  }

  /// Begins the look-ups that may begin now.
  func lookUpNames(at now: Instant) {
    guard let (overdue, begin) = names?.turn(at: now) else { return }
    for id in overdue { if let download = downloads[id] { fail(download, .overdue(configuration.connectTimeout)) } }
    begin.forEach(exits.lookUp)
  }

  /// A name has been looked up.
  func learn(_ answer: NameAnswer, of name: String) {
    guard let (waiting, failure) = names?.learn(answer, of: name, at: clock.now(), random: random()) else { return }
    for id in waiting {
      guard let download = downloads[id] else { continue }
      if let failure { fail(download, failure) } else { carryOut(.enqueue(notBefore: nil), for: download) }
    }
  }

  private func fail(_ download: ActiveDownload, _ failure: NameBook.Failure) {
    let now = clock.now()
    let error = FetchError(
      .name, download.machine.trail.url.display, failure.reason, isTransient: failure.isTransient,
      remedy: failure.isIsolation ? .reachNameServer : nil)
    let step =
      failure == .isolated
      ? download.machine.leaveOrigin(because: error, random: random(), at: now)
      : download.machine.nameFailed(error, random: random(), at: now)
    carryOut(step, for: download)
  }
}

// MARK: - What robots.txt of its origin says: ``RobotsBook``

extension NetworkStage {
  /// Whether a flight may get in line at its origin, as far as robots.txt decides. Else it waits, or has been told so.
  func mayAsk(_ download: ActiveDownload) -> Bool {
    guard download.flight.options.obeysRobots else { return true }
    let url = download.machine.trail.url
    switch robots.ask(url.origin, url.requestTarget, for: download.id) {
    case .go: return true
    case .wait(let isFirst):
      if isFirst { exits.askRobots(url.origin, download.flight) }
      return false
    case .refused(let reason):
      let error = FetchError(.refused, url.display, reason)
      carryOut(download.machine.leaveOrigin(because: error, random: random(), at: clock.now()), for: download)
      return false
    }
  }

  /// What an origin's robots.txt says is known.
  func learn(_ verdict: RobotsBook.Verdict, of origin: Origin) {
    if case .rules(let rules) = verdict, let delay = rules.delay { admission.space(origin, by: .seconds(delay)) }
    for id in robots.learn(verdict, of: origin) {
      // It may have left meanwhile.
      guard let download = downloads[id] else { continue }
      if case .failed(let error) = verdict {
        let told = error.told(to: download.machine.trail.url.display)
        carryOut(download.machine.leaveOrigin(because: told, random: random(), at: clock.now()), for: download)
      } else {
        carryOut(.enqueue(notBefore: nil), for: download)
      }
    }
  }
}

// MARK: - Its origin, which does not answer: ``OriginHealth``

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

// MARK: - The remote cache: ``RemoteHealth``

extension NetworkStage {
  /// A request to the store has failed.
  ///
  /// This is noted here and not when the flight is answered, on another thread: the next request to a store that is of no use would be
  /// out by then.
  func noteStore(_ error: FetchError) {
    guard let remote, let outcome = RemoteHealth.Outcome(error), case .unusable = outcome, !remote.noteReading(outcome)
    else { return }
    hasLostStore = true
    // Later, since transfers cannot be dropped from within a callback of one.
    timers.add(.leaveStore, at: clock.now())
  }

  /// The remote cache is given up: what waits for it goes on to the origin.
  func leaveStore() {
    hasLostStore = true
    for (id, download) in downloads where download.flight.options.patience != nil { cancel(id) }
  }
}
