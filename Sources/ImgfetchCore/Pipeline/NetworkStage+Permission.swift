// What a flight has to have before it may ask an origin: the address of its host, leave by robots.txt, and leave by the
// program to go on to another URL.

// MARK: - Its host's name: ``NameBook``. A slow name takes no place from those that have one.

extension NetworkStage {
  /// True if the name of the host allows a flight to get in line at its origin. If not, the flight waits, or has been
  /// ended.
  func hasName(_ download: ActiveDownload, notBefore: Instant?) -> Bool {
    let (origin, now) = (download.machine.trail.url.origin, clock.now())
    if names?.knows(origin, at: now) ?? true {
      stopClockForName(of: download)
      return true
    }
    if let notBefore, notBefore > now {
      download.isResting = true
      timers.add(.lookUp(download.id), at: notBefore)
      return false
    }
    switch names?.ask(origin, for: download.id, at: now) {
    case .go, nil:
      stopClockForName(of: download)
      return true
    case .wait:
      if download.flight.limitStart == nil { startClockForName(of: download, at: now) }
      return false
    case .failed(let failure):
      fail(download, failure)
      return false
    }
  }

  /// Starts the clock of a flight that waits for a name, until it has one, be it that of a mirror: then it may have to
  /// wait for its turn.
  private func startClockForName(of download: ActiveDownload, at now: Instant) {
    startClock(of: download.flight, at: now)
    download.flight.isTimedForName = true
    download.machine.deadline = deadline(of: download.flight)
  }

  private func stopClockForName(of download: ActiveDownload) {
    guard download.flight.isTimedForName else { return }
    download.flight.isTimedForName = false
    (download.flight.limitStart, download.machine.deadline) = (nil, nil)
  }

  /// Ends the pause before an attempt.
  func endRest(of id: UInt64) {
    // The flight may have left meanwhile, and begun anew.
    guard let download = downloads[id], download.isResting else { return }
    download.isResting = false
    carryOut(.enqueue(notBefore: nil), for: download)
  }

  /// Begins the look-ups that may begin now.
  func lookUpNames(at now: Instant) {
    guard let (overdue, begin) = names?.book.turn(at: now) else { return }
    for id in overdue { if let download = downloads[id] { fail(download, .overdue(configuration.connectTimeout)) } }
    begin.forEach(pipeline.lookUpName)
  }

  func learn(_ answer: NameAnswer, of name: String) {
    guard let (waiting, failure) = names?.book.learn(answer, of: name, at: clock.now(), random: random()) else {
      return
    }
    for id in waiting {
      guard let download = downloads[id] else { continue }
      if let failure {
        fail(download, failure)
      } else {
        stopClockForName(of: download)
        carryOut(.enqueue(notBefore: nil), for: download)
      }
    }
  }

  private func fail(_ download: ActiveDownload, _ failure: NameBook.Failure) {
    let now = clock.now()
    if failure.isIsolation, names?.book.isExcused == true { download.machine.attempts.excused += 1 }
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
  /// True if robots.txt allows a flight to get in line at its origin. If not, the flight waits, or has been ended.
  func mayAsk(_ download: ActiveDownload) -> Bool {
    guard download.flight.options.obeysRobots else { return true }
    let url = download.machine.trail.url
    switch robots.ask(url.origin, url.requestTarget, for: download.id, at: clock.now()) {
    case .go: return true
    case .wait(let isFirst):
      if isFirst { pipeline.askRobots(of: url.origin, for: download.flight) }
      return false
    case .refused(let reason):
      leave(download, because: FetchError(.refused, url.display, reason))
      return false
    case .unreachable(let reason):
      leave(download, because: FetchError(.refused, url.display, reason, isTransient: true))
      return false
    }
  }

  private func leave(_ download: ActiveDownload, because error: FetchError) {
    carryOut(download.machine.leaveOrigin(because: error, random: random(), at: clock.now()), for: download)
  }

  /// Notes an origin's robots.txt.
  ///
  /// - Parameter age: the time for which it counts.
  func learn(_ verdict: RobotsBook.Verdict, of origin: Origin, for age: Instant.Span) {
    let end = configuration.memories == .ofRun ? nil : clock.now() + age
    if case .rules(let rules) = verdict {
      if let delay = rules.delay, rules.obstacle == nil { admission.space(origin, by: .seconds(delay)) }
      if rules.isCut, !hasToldOfCutRobots {
        hasToldOfCutRobots = true
        log.hooks.warn?(
          "robots.txt of \(origin.hostAndPort) is longer than \(RobotsRules.sizeLimit >> 10) KiB: what follows is passed over"
        )
      }
    }
    for id in robots.learn(verdict, of: origin, until: end, at: clock.now()) {
      // The flight may have left meanwhile.
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

// MARK: - What the program says of a URL that a redirect or a mirror leads to

extension NetworkStage {
  /// True if a flight may go on to a URL that is not its request's own. If not, the flight waits, or has been ended.
  func mayGoOn(_ download: ActiveDownload) -> Bool {
    guard log.hooks.mayGoOn != nil, download.flight.purpose.concernsProgram else { return true }
    let url = download.machine.trail.url
    if url == download.flight.request.url || url == download.permitted { return true }
    pipeline.askProgram(about: url, for: download.flight)
    return false
  }

  /// Takes the program's answer whether a flight may go on to a URL.
  func learn(_ refusal: FetchError?, of url: WebURL, for id: UInt64) {
    // The flight may have left meanwhile.
    guard let download = downloads[id], download.machine.trail.url == url else { return }
    if let refusal { return leave(download, because: refusal) }
    download.permitted = url
    carryOut(.enqueue(notBefore: nil), for: download)
  }
}
