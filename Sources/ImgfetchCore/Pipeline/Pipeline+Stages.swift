// The way of a flight from stage to stage. ``FlightMachine`` decides; this calls the stages and passes flights from
// thread to thread.
extension Pipeline {
  /// Begins a flight on a disk thread. Flights start on the network in the order of their numbers, so the next may
  /// start once this one has started, or needs no network.
  func begin(_ number: UInt64, for waiter: Waiter, after traffic: Traffic = Traffic()) {
    let flight = Flight(
      id: number, for: waiter, at: serving.firstHop(of: waiter), begun: clock.now(), after: traffic,
      asksRemote: remote?.isRead == true && waiter.request.shared.mayComeFromRemoteCache)
    if let refusal = sources.refusal(of: flight) {
      advance(flight, after: .failed(refusal))
    } else {
      carryOut(.lookUp, for: flight)
    }
    let refusals = startOrder.withLock { order in order.pass(number).compactMap(post) }
    refusals.forEach(noNetwork)
  }

  /// Tells a flight's machine the result of a stage, and does what follows.
  func advance(_ flight: Flight, after event: Flight.Event) { carryOut(flight.machine.handle(event), for: flight) }

  /// Runs one stage after the other until the flight has landed, or continues on another thread.
  private func carryOut(_ first: Flight.Step, for flight: Flight) {
    var step = first
    while let event = run(step, flight) { step = flight.machine.handle(event) }
  }

  /// Runs one stage. Returns its result, or nil if the flight has landed, or continues on another thread.
  private func run(_ step: Flight.Step, _ flight: Flight) -> Flight.Event? {
    switch step {
    case .nothing: break
    case .lookUp: return isBrokenOff(flight) ? .failed(.cancelled) : lookUp.run(flight)
    case .lookUpAnew:
      flight.distrustCaches()
      flight.move(to: serving.firstHop(of: flight.leader))
      return isCancelled ? .failed(.cancelled) : lookUp.run(flight)
    case .claim: return claim(flight)
    case .claimAgain:
      flight.hop.askPlainly()
      return claim(flight)
    case .claimAlone: return .claimed(claims.runAlone(flight))
    case .takeOver(let copy): return takeOver(copy, flight)
    case .askRemote(let claim): return askRemote(flight, claim)
    case .confirm(let head, let claim): return confirming.run(head, flight, claim)
    case .fallBack(let copy, let error): return serving.serve(copy, flight, as: .insteadOf(error))
    case .askMirror(let mirror):
      log.explain(flight) { "the mirror \(mirror.url.display) is asked" }
      flight.move(to: serving.hop(of: flight, toMirror: mirror))
      return isCancelled ? .failed(.cancelled) : lookUp.run(flight)
    case .download(let claim): download(flight, claim)
    case .deliver(let complete): land(flight, with: complete)
    case .fail(let error): land(flight, because: error)
    case .wait(let busy): send(flight) { $0.wait(flight, for: busy) }
    // The network stage does that itself.
    case .downloadAgain: break
    }
    return nil
  }

  /// True if the run ends, or all who waited for the flight have left.
  private func isBrokenOff(_ flight: Flight) -> Bool {
    isCancelled || (flight.leader.hasLeft.load(ordering: .relaxed) && !isWanted(flight.id))
  }

  /// Continues a flight that has waited at the gate.
  private func claimNow(_ flight: Flight) {
    workers.add { [self] in
      // All its waiters may have left.
      let isWanted = !isCancelled && isWanted(flight.id)
      if let event = isWanted ? claim(flight) : .failed(.cancelled) { advance(flight, after: event) }
    }
  }

  private func claim(_ flight: Flight) -> Flight.Event? {
    noteSettled(flight)
    watchTime(of: flight)
    if !claims.mayRun(flight, orLater: { [self] in claimNow($0) }) { return nil }
    // The network is loaded while the part is claimed. If it cannot be started, the download stage will say so.
    if !hasLoop.load(ordering: .relaxed) { _ = try? network() }
    return claims.run(flight)
  }

  /// Serves an answer that another process has stored since the look-up, if it meets this run's demands.
  private func takeOver(_ copy: StoredCopy, _ flight: Flight) -> Flight.Event {
    flight.hop.isShared = true
    let event = serving.serve(copy, flight, as: .age(copy.age(now: clock.wallTime()) ?? 0))
    if case .notFound = event { flight.hop.isShared = false }
    return event
  }
}

// MARK: - To the network's thread

/// Work on the network's thread for a flight.
struct NetworkErrand: Sendable {
  let flight: Flight
  /// The part that the flight has claimed.
  let claim: Claim
  let work: @Sendable (NetworkStage) -> Void
}

extension Pipeline {
  /// Calls the network stage for a flight, in the flight's turn. Without a network the flight fails.
  private func send(
    _ flight: Flight, _ claim: Claim = Claim(), _ work: @escaping @Sendable (NetworkStage) -> Void
  ) {
    let errand = NetworkErrand(flight: flight, claim: claim, work: work)
    let refusal = startOrder.withLock { $0.hold(errand, for: flight.id).flatMap(post) }
    if let refusal { noNetwork(refusal) }
  }

  /// Asks the origin, once the program has added its fields.
  private func download(_ flight: Flight, _ claim: Claim) {
    guard let beforeAsking = hooks.beforeAsking, flight.purpose.concernsProgram else {
      return send(flight, claim) { $0.begin(flight, claim) }
    }
    watchTime(of: flight)
    // A program may call back twice, and the flight belongs to another thread after the first time.
    let isDone = Guarded(false)
    beforeAsking(flight.request) { [self] added in
      let isFirst = isDone.withLock { isDone in
        defer { isDone = true }
        return !isDone
      }
      guard isFirst else { return }
      switch added {
      case .success(let fields):
        flight.hop.addedFields = fields
        send(flight, claim) { $0.begin(flight, claim) }
      case .failure(let error): failed(flight, error, DownloadRemains(claim: claim))
      }
    }
  }

  private typealias Refusal = (errand: NetworkErrand, failure: TransportFailure)

  /// Posts an errand. This happens under the lock of the order, because two threads that have released it might
  /// overtake one another.
  private func post(_ errand: NetworkErrand) -> Refusal? {
    do throws(TransportFailure) { try network().post(errand.work) } catch { return (errand, error) }
    return nil
  }

  private func noNetwork(_ refusal: Refusal) {
    let flight = refusal.errand.flight
    failed(
      flight, FetchError(refusal.failure, flight.request.url.display),
      DownloadRemains(claim: refusal.errand.claim))
  }
}

// MARK: - From the network's thread

extension Pipeline {
  /// Goes on after a download that has ended without a body.
  func endedOnNetwork(_ flight: Flight, _ ending: BodyQueue.Ending) {
    // A failure has its own job, which does not wait for the end of the turn.
    if case .brokenOff = ending { return ended(flight, ending) }
    workers.add(.later) { [self] in ended(flight, ending) }
  }

  /// Has a disk thread take a part of a body.
  func received(_ body: BodyQueue, _ flight: Flight, _ waking: Workers.Waking) {
    workers.add(waking) { [self] in BodyStage(pipeline: self).run(body, flight) }
  }

  /// Has a disk thread check whether another process is done with its part.
  func poll(_ flight: UInt64, _ busy: BusyPart) {
    workers.add { [self] in
      let claim = busy.poll()
      _ = try? network().post { $0.polled(flight, claim) }
    }
  }

  /// Ends the waiting for another process, with this claim, or nil if it makes no progress.
  func waited(_ flight: Flight, _ claim: PartClaim?) {
    workers.add { [self] in
      guard let claim else {
        log.explain(flight) {
          "the other process has stood still for as long as a server may be silent: not waited for any longer"
        }
        return advance(flight, after: .holderIsStuck)
      }
      advance(flight, after: claims.settle(claim, flight, mayWait: false))
    }
  }

  /// Looks up a name. ``NetworkStage/learn(_:of:)`` follows.
  func lookUpName(_ name: String) {
    names.look(up: name) { [self] answer in _ = try? network().post { $0.learn(answer, of: name) } }
  }

  /// Has a disk thread open an entry that is put into the remote cache. ``StoreUploads/put(_:for:)`` follows.
  func openEntry(_ key: CacheKey) {
    workers.add { [self] in
      let file = disk?.lookup(key, withBody: false)?.whole
      _ = try? network().post { $0.uploads?.put(file, for: key) }
    }
  }

  /// Notes that an entry is in the remote cache, or will not be.
  func noteShared(_ put: StorePut) { _ = loop.withLock { $0 }?.post { $0.noteShared(put) } }

  /// True if further requests to an origin are known to follow.
  func hasAhead(_ origin: Origin) -> Bool { linesAhead.withLock { $0 }?.isThere(origin) ?? false }

  /// Fetches an origin's robots.txt, and gives the network stage the verdict. If the file is too long, its beginning
  /// counts.
  func askRobots(of origin: Origin, for flight: Flight) {
    workers.add { [self] in fetchRobots(of: origin, for: flight) }
  }

  private func fetchRobots(of origin: Origin, for flight: Flight) {
    let file = RobotsFile()
    let learn = { @Sendable [self] (verdict: RobotsBook.Verdict, age: Instant.Span) in
      _ = loop.withLock { $0 }?.post { $0.learn(verdict, of: origin, for: age) }
    }
    guard let request = file.request(to: origin, for: flight) else { return learn(.absent, RobotsFile.longestAge) }
    let conclude = { @Sendable [clock] (result: FetchResult) in
      learn(file.verdict(of: result), RobotsFile.age(of: result, at: clock.wallTime()))
    }
    submit(request) { [self] result in
      guard result.error?.kind == .limit else { return conclude(result) }
      submit(file.beginning(of: request), deliver: conclude)
      kick()
    }
    kick()
  }

  /// Asks the program whether a flight may go on to a URL, and gives the network stage the answer.
  func askProgram(about url: WebURL, for flight: Flight) {
    let (id, key) = (flight.id, flight.key.url)
    workers.add { [self] in
      let learn = { @Sendable [self] (refusal: FetchError?) in
        _ = loop.withLock { $0 }?.post { $0.learn(refusal, of: url, for: id) }
      }
      guard let mayGoOn = hooks.mayGoOn else { return learn(nil) }
      mayGoOn(url, key, learn)
    }
  }

  /// Goes on with a body that was stored.
  func stored(_ flight: Flight, _ complete: CompleteAnswer) {
    let isShared = share(complete.answer, of: flight)
    advance(flight, after: .answered(complete))
    if isShared { sendUploads() }
  }

  /// Goes on after a body that is useless, and of which no more is wanted from the network.
  func refused(_ flight: Flight, _ error: FetchError, _ remains: DownloadRemains) {
    do throws(TransportFailure) { try network().post { $0.refuse(flight, because: error, remains) } } catch {
      failed(flight, FetchError(.connect, flight.request.url.display, error.reason), remains)
    }
  }

  /// Has the whole requested, into this part, since the body's parts come from different versions.
  func joinedWrongly(_ flight: Flight, _ claim: Claim) { send(flight, claim) { $0.startOver(flight, claim) } }

  /// Goes on after a download that has ended without a whole body, and whose received bytes are settled.
  func ended(_ flight: Flight, _ ending: BodyQueue.Ending) {
    switch ending {
    case .complete: break
    case .brokenOff(let error, let remains): failed(flight, error, remains)
    case .movedOn(let next, let remains):
      storing.settle(remains, of: flight)
      flight.move(to: serving.hop(of: flight, to: next), because: next.because)
      advance(flight, after: .movedOn)
    case .notModified(let head, let claim): advance(flight, after: .notModified(head, claim))
    }
  }

  /// Handles a flight that got no image from the network: remembers the failure, and has the machine choose a mirror, a
  /// stale copy, or the end.
  private func failed(_ flight: Flight, _ error: FetchError, _ remains: DownloadRemains) {
    workers.add { [self] in
      // For all other failures, ``DownloadMachine`` has said so.
      let error = error.isOfTheBody && flight.mayPass ? error.transient : error
      var mirror = error.isOfTheBody ? NextHop(toFirstOf: remains.mirrors) : nil
      mirror?.mayPass = error.isTransient
      flight.mirrorFailures?.note(error)
      let ofSource = flight.mirrorFailures?.deciding(after: error)
      let isGone = mirror == nil && goneImages.note(ofSource ?? error, of: flight)
      remains.claim.lock?.giveUp()
      storing.settle(remains, of: flight, keepingStored: isGone)
      if mirror == nil { failures.note(error, of: flight) }
      // The server refused this URL. Waiters with other URLs of the same key get flights of their own.
      let others = flight.options.keyFilter != .none && error.isRefusedByServer ? takeOthers(outOf: flight) : []
      var failure = Flight.Machine.Failure(
        error: error, isFromUnknownRedirect: flight.hop.isFromUnknownRedirect, ofSource: ofSource, mirror: mirror)
      if mirror == nil, let reason = flight.moveBack(after: error) { failure.ofSource = reason }
      failure.fallback = flight.hop.fallback == .none ? nil : flight.hop.copy
      advance(flight, after: .downloadFailed(failure))
      for other in others { rejoin(other, after: Traffic()) }
    }
  }
}
