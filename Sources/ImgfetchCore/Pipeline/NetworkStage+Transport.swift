// Reports of the transport.
extension NetworkStage: TransportClient {
  func transfer(_ id: TransferID, didReceiveHead head: ResponseHead) -> HeadDecision {
    guard let download = transfers[id.number] else { return talks.take(id, head) ?? .stop }
    let url = download.machine.trail.url
    // A proxy's address does not say where the bytes come from.
    let isProxied = configuration.network.hasProxy(isSecure: url.isSecure)
    download.machine.trail.note(Provenance.Address(of: isProxied ? nil : head.remoteAddress))
    let answer = AnswerHead(
      url: url, status: head.status, fields: head.fields, contentLength: head.contentLength,
      requestTime: download.machine.requestTime, responseTime: clock.wallTime(),
      provenance: download.machine.trail.provenance, sharingObstacle: download.machine.trail.sharingObstacle,
      hasCertainEnd: head.hasCertainEnd)
    let now = clock.now()
    admission.answered(url.origin, overHTTP2: head.httpVersion == .http2, at: now)
    download.isAnswered = true
    download.answerStart = now
    if let entry = download.flight.purpose.entry { noteStore(answering: entry, download, at: now) }
    if RetryRule.outageStatuses.contains(head.status), !download.flight.purpose.asksRemoteCache,
      admission.health(of: url.origin)?.isRecovering(at: now) == true
    {
      download.machine.attempts.excused += 1
    }
    if !RetryRule.busyStatuses.contains(head.status) {
      admission.served(by: url.origin, startedAt: download.machine.requestStart)
    }
    if download.credentials != nil { identity.takeCookies(head.fields, from: url) }
    let reply = download.machine.answer(
      answer, isPublic: head.remoteAddress.map(AddressClass.isGloballyReachable) == true,
      wantsDigest: asksForDigest(head, download))
    report(download)
    if !reply.isRepeated {
      log.hooks.tellHeaders(of: url) { HeaderTrace.lines(of: head) }
      log.emit {
        .responded(flight: download.id, status: head.status, total: reply.total, already: reply.already)
      }
    }
    if let busy = reply.busy { slowDown(busy, download) }
    download.errorDocument = nil
    switch reply.body {
    case .discard:
      guard url.account != nil, head.status >= 400 else { return .discard }
      download.errorDocument = []
      return .receiveShort
    case .keepAside:
      download.sideAnswer = SideAnswer(answer)
      return .receiveShort
    case .begin(let isNotable):
      begin(.begin(answer, isNotable: isNotable, mirrors: download.machine.mirrors), reply, download)
    case .resume: begin(.resume(answer, mirrors: download.machine.mirrors), reply, download)
    }
    return .receive
  }

  /// Passes on the notices of a download.
  func report(_ download: ActiveDownload) {
    for notice in download.machine.takeNotices() {
      switch notice {
      case .redirected(let target): log.emit { .redirected(flight: download.id, to: target.display) }
      case .retrying(let reason, let pause):
        log.emit { .retrying(flight: download.id, reason: reason, milliseconds: pause.milliseconds) }
      case .explained(let sentence): log.explain(download.flight) { sentence }
      }
    }
  }

  /// Reports how much of a body has come.
  private func tell(_ download: ActiveDownload, received: Int64) {
    log.emit {
      .progressed(
        flight: download.id, url: download.machine.trail.url.display, received: received, total: download.total)
    }
  }

  private func begin(_ item: consuming BodyQueue.Item, _ reply: DownloadMachine.Reply, _ download: ActiveDownload) {
    if case .begin(let head, _, _) = item { download.isCompressed = head.isCompressed }
    let body = download.body ?? BodyQueue(part: download.claim.part, lock: download.claim.lock)
    download.body = body
    download.total = reply.total
    tell(download, received: reply.already)
    add(item, to: body, download.flight)
    if download.machine.body.mayBeNoted, (reply.total ?? .max) > Int64(BodyWriter.memoryLimit) {
      timers.add(.note(download.id), at: clock.now() + Self.notablePause)
    }
  }

  /// Slows down the requests to an origin that has answered "too many requests". If it says for how long, all its
  /// flights wait. Otherwise the origin is asked at a lower rate.
  private func slowDown(_ busy: DownloadMachine.Busy, _ download: ActiveDownload) {
    let (origin, now) = (download.machine.trail.url.origin, clock.now())
    if let patience = busy.retryAfter {
      if patience <= RetryRule.longestObeyed { admission.slow(origin, until: now + patience) }
    } else if let moment = admission.refused(
      by: origin, startedAt: download.machine.requestStart, at: now, random: random(),
      isCounted: download.machine.status == RetryRule.countedStatus)
    {
      download.machine.hold(until: moment)
      if admission.isHopeless(origin, at: now) { download.machine.attempts.areOver = true }
    }
  }

  func transfer(_ id: TransferID, peek bytes: borrowing Span<UInt8>) -> Bool {
    guard let download = transfers[id.number] else { return talks.contains(id) }
    // Only the beginning of a body shows what it is, and the rest of an incomplete body has none.
    guard download.machine.isReceiving, download.machine.body.received == 0 else { return true }
    // After the end, the flight belongs to another thread.
    let options = download.flight.options
    guard options.verification > .none, !download.isCompressed else { return true }
    var inspector = BodyInspector(
      limits: InspectionLimits(maxPixels: options.maximumPixels), formats: configuration.ownFormats)
    do {
      try inspector.feed(bytes)
      return true
    } catch {
      download.machine.refuseFirstBytes(error.fetchError(of: download.machine.trail.url.display))
      return false
    }
  }

  func transfer(_ id: TransferID, didReceive bytes: [UInt8], isLast: Bool) {
    guard let download = transfers[id.number] else { return talks.take(id, bytes) }
    download.machine.downloaded += Int64(bytes.count)
    // Only while this answer is the one that is to be kept.
    if download.machine.isDraining { download.sideAnswer?.body += bytes }
    download.errorDocument? += bytes
    guard download.machine.takesBody, let body = download.body else { return }
    download.machine.body.take(bytes.count)
    // The end follows at once, and asks for a thread that takes both. This is different for the rest of an incomplete
    // body: its length is checked first, and another attempt may follow.
    let isEnd = isLast && !download.machine.body.asksForRest
    add(isEnd ? .lastBytes(bytes) : .bytes(bytes), to: body, download.flight)
  }

  func transfer(_ id: TransferID, hasReceived count: Int64) {
    guard log.isWatched, let download = transfers[id.number], download.machine.isReceiving else { return }
    tell(download, received: download.machine.body.transferStart + count)
  }

  func transfer(_ id: TransferID, didEnd end: TransferEnd) {
    let isWhole = if case .complete = end { true } else { false }
    guard let download = ended(id, isWhole: isWhole) else { return talks.end(id, end) }
    if let failure = download.slowness { return noteSlowness(failure, download) }
    let ended: DownloadMachine.End =
      switch end {
      case .complete: .complete
      case .stopped: .stopped
      case .failed(let failure): .failed(FetchError(failure, download.machine.trail.url.display))
      }
    if download.machine.isDraining { if case .complete = ended {} else { download.sideAnswer = nil } }
    if let code = download.errorDocument.flatMap(S3Document.errorCode) { download.machine.nameFailure(code) }
    guard case .failed(let failure) = end, failure.isSilence else {
      return carryOut(download.machine.end(ended, random: random(), at: clock.now()), for: download)
    }
    note(silenceOf: download.machine.trail.url.origin, failure, download)
  }

  func turnDidEnd(at now: Instant) -> Instant? {
    while let alarm = timers.popDue(at: now) { ring(alarm) }
    if names?.book.isIdle == false { lookUpNames(at: now) }
    let talksWake = talks.turn(at: now)
    // A body of up to one piece is never paused. So no download starts while the disk threads are behind;
    // ``resumeReceiving()`` causes the next turn.
    while !workers.isFull, !pipeline.isSuspended, let id = admission.next(at: now) { start(id, at: now) }
    if sharesCores == transfers.isEmpty {
      sharesCores.toggle()
      workers.shareCores(sharesCores)
    }
    if addedWork {
      addedWork = false
      workers.wake()
    }
    let ownWake = Instant.earlier(timers.nextDeadline, admission.nextWake(after: now))
    return .earlier(ownWake, .earlier(names?.book.nextWake(after: now), talksWake))
  }
}

extension FetchError {
  init(_ failure: TransportFailure, _ subject: String) {
    let kind: FetchError.Kind =
      switch failure.kind {
      case .name: .name
      case .connect: .connect
      case .tls: .tls
      case .timeout: .timeout
      case .truncated: .truncated
      case .refusedAddress, .refusedRequest: .refused
      case .coding: .notImage
      case .limit: .limit
      case .resources: .file
      case .protocolError, .other: .connect
      }
    let remedy: FetchError.Remedy? =
      switch failure.cause {
      case .unknownAuthority: .trustAuthority
      case .noAuthorities: .nameAuthorities
      case .plainServer: .askWithoutTLS
      case .wantsCertificate: .showCertificate
      case .proxy: .changeProxy
      case nil: nil
      }
    let isNumbered = failure.curlCode != nil || failure.systemError != nil
    self.init(
      kind, subject, failure.reason, isTransient: failure.isTransient, remedy: remedy,
      cause: isNumbered ? Cause(errno: failure.systemError, curl: failure.curlCode) : nil)
  }
}

// The events that a flight waits for before its request goes out, besides its turn. Pure values know which flight waits
// for which event. This holds the flights, and removes them when waiting is useless.

// MARK: - Its origin, which does not answer: ``OriginHealth``

extension NetworkStage {
  /// Notes that a request has ended without one byte of an answer.
  func note(silenceOf origin: Origin, _ failure: TransportFailure, _ download: ActiveDownload) {
    let now = clock.now()
    let change = admission.wasSilent(
      origin, to: download.machine.requestStart, at: now, because: failure.reason, retries: configuration.retry.limit,
      random: random())
    download.machine.attempts.refusals += 1
    if !download.flight.purpose.asksRemoteCache {
      let health = admission.health(of: origin)
      if health?.isExcused == true {
        download.machine.attempts.excused += 1
      } else if failure.isUnprocessed, health?.hasAnswered(since: download.machine.requestStart) == true {
        download.machine.attempts.excuseLoss()
      }
    }
    let error = FetchError(failure, download.machine.trail.url.display)
    carryOut(download.machine.end(.failed(error), random: random(), at: now), for: download)
    tell(change, to: origin)
  }

  /// Ends a flight whose time is over. If its origin is silent, that counts like a time-out, which may be longer: else
  /// each flight to a dead origin would take a place for all of its time.
  func endOvertime(of id: UInt64, _ url: WebURL, at now: Instant) {
    let silent = downloads[id].flatMap { isSilent($0, at: now) ? $0 : nil }
    cancel(id, because: FetchError(.timeout, url.display, "took longer than is allowed", remedy: .allowMoreTime))
    guard let silent else { return }
    let origin = silent.machine.trail.url.origin
    let change = admission.wasSilent(
      origin, to: silent.machine.requestStart, at: now, because: "no answer came in the time for an image",
      retries: configuration.retry.limit, random: random())
    tell(change, to: origin)
  }

  /// True if not one byte of the current answer has come in half of the time for an image.
  private func isSilent(_ download: ActiveDownload, at now: Instant) -> Bool {
    guard let maximum = configuration.maximumTime, let transfer = download.transfer, !download.isAnswered,
      (now - download.sent).nanoseconds >= maximum.nanoseconds / 2
    else { return false }
    return transport.reading(of: transfer)?.received == nil
  }

  /// Notes that an answer was broken off because it came too slowly.
  func noteSlowness(_ failure: TransportFailure, _ download: ActiveDownload) {
    let (origin, now) = (download.machine.trail.url.origin, clock.now())
    download.slowness = nil
    let change = admission.wasSlow(
      origin, to: download.machine.requestStart, at: now, because: failure.reason, retries: configuration.retry.limit,
      random: random())
    download.machine.attempts.refusals += 1
    let error = FetchError(failure, download.machine.trail.url.display)
    carryOut(download.machine.end(.failed(error), random: random(), at: now), for: download)
    tell(change, to: origin)
  }

  /// Tells the flights that wait for an origin that it has gone down, or was given up, unless they have to go on
  /// waiting.
  private func tell(_ change: OriginHealth.Change, to origin: Origin) {
    if case .none = change { return }
    for id in admission.waiting(for: origin) {
      guard let download = downloads[id], let step = passBy(download) else { continue }
      admission.remove(id)
      carryOut(step, for: download)
    }
  }

  /// The next step of a flight that need not wait for its origin, which is down. Nil means that it waits.
  ///
  /// A flight that has a mirror, or a stored copy that may be served, does not wait for the trials to end.
  func passBy(_ download: ActiveDownload) -> DownloadMachine.Step? {
    let url = download.machine.trail.url
    guard let reason = admission.outage(of: url.origin) else { return nil }
    let now = clock.now()
    let hasAlternative = download.machine.hasMirrors || download.flight.hop.fallback != .none
    guard hasAlternative || admission.isGivenUp(url.origin, at: now) else { return nil }
    let error = FetchError(
      .connect, url.display, "\(url.origin.hostAndPort) does not answer (\(reason))", isTransient: true,
      remedy: .askLater)
    return download.machine.leaveOrigin(because: error, random: random(), at: now)
  }
}

// MARK: - Flights that are slow, or old: ``Stragglers``

extension NetworkStage {
  func lookForStragglers(at moment: Instant) {
    looksForStragglers = true
    timers.add(.pace, at: moment)
  }

  func dealWithStragglers(at now: Instant) {
    looksForStragglers = false
    var candidates: [Stragglers.Candidate] = []
    for (number, download) in transfers {
      // The download of a list lasts as long as the list is being written.
      guard download.flight.purpose.stream == nil, download.slowness == nil else { continue }
      let origin = download.machine.trail.url.origin
      if let state = transport.reading(of: TransferID(number: number)) {
        let reading = Pace.Reading(
          received: state.received, hasHead: state.hasHead, holdUps: state.holdUps, isHeld: state.isHeld)
        if download.pace.note(reading, atLeast: stragglers.rule.leastSpeed, at: now) { stragglers.noteFast(origin) }
      }
      candidates.append(Stragglers.Candidate(flight: download.id, origin: origin, pace: download.pace))
    }
    for order in stragglers.orders(candidates, othersWait: admission.hasWaiting, at: now) {
      switch order {
      case .stepAside(let id): if let download = downloads[id] { stepAside(download) }
      case .breakOff(let id): if let download = downloads[id] { breakOff(download, at: now) }
      }
    }
    if !transfers.isEmpty { lookForStragglers(at: now + Self.stragglerPause) }
  }

  /// Takes the place of a flight away, and lets it continue.
  private func stepAside(_ download: ActiveDownload) {
    admission.stepAside(at: download.machine.trail.url.origin, onward: download.flight.purpose.onward)
    download.pace.isBeside = true
    log.explain(download.flight) { "it takes long, and goes on beside the others" }
  }

  /// Breaks off a flight that is too slow. The bytes that have come are kept for the next attempt.
  private func breakOff(_ download: ActiveDownload, at now: Instant) {
    guard let transfer = download.transfer, let since = download.pace.slowSince else { return }
    let span = Instant.Span(nanoseconds: (now - since).nanoseconds + Pace.span.nanoseconds)
    download.slowness = TransportFailure(
      .timeout, "it came slower than \(stragglers.rule.leastSpeed) bytes a second for \(span.inSeconds)",
      receivedAnything: true, isTransient: true)
    transport.stop(transfer)
  }

  private static let stragglerPause = Instant.Span.seconds(1)
}

// MARK: - The remote cache: ``RemoteHealth``

extension NetworkStage {
  /// Notes that a request to the store has failed.
  ///
  /// Noted here and not when the flight is answered, on another thread: the next request to a useless store would
  /// be out by then.
  func noteStore(_ error: FetchError) {
    guard let remote = pipeline.remote, let outcome = RemoteHealth.Outcome(error), case .unusable = outcome,
      !remote.noteReading(outcome)
    else { return }
    loseStore()
  }

  /// Notes the time that the store took for the beginning of an answer.
  private func noteStore(answering entry: RequestPurpose.Entry, _ download: ActiveDownload, at now: Instant) {
    guard let remote = pipeline.remote, !remote.noteAnswer(isSlow: now - download.sent > .seconds(entry.answer / 2))
    else { return }
    loseStore()
  }

  /// Has flights leave the store. Later, since transfers cannot be dropped from within a callback of one.
  private func loseStore() {
    hasLostStore = true
    timers.add(.leaveStore, at: clock.now())
  }

  /// Notes that an entry is in the remote cache, or will not be.
  func noteShared(_ put: StorePut) { uploads?.ended(put) }

  /// Gives the remote cache up: flights that wait for it go on to their origins.
  func leaveStore() {
    hasLostStore = true
    for (id, download) in downloads where download.flight.purpose.asksRemoteCache { cancel(id) }
  }
}
