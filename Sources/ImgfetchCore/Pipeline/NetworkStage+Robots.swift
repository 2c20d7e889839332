// Flights that obey robots.txt. ``RobotsBook`` knows what it says; this holds them until it is there.
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
