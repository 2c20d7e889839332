// Names of hosts. ``NameBook`` knows who waits for which; this holds flights until theirs is known, so that a slow name takes no place from
// those that have one.
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
