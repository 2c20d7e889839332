/// Performs the downloads of flights.
///
/// Belongs to the network's thread. It decides nothing itself: each flight's ``DownloadMachine`` returns its next step,
/// ``Admission`` the time to begin, and this carries them out.
final class NetworkStage: Stage {
  /// The purpose of a timer.
  enum Alarm {
    case poll(UInt64)
    /// A flight may have exceeded its time.
    case overtime
    /// A request's own time is over.
    case expiry(UInt64)
    case note(UInt64)
    /// A flight's next attempt is due, and begins with its name.
    case lookUp(UInt64)
    /// The remote cache has been given up.
    case leaveStore
    /// Slow and old flights are looked for.
    case pace
  }

  /// A flight that waits for another process.
  private struct Waiting {
    let flight: Flight
    var busy: BusyPart
    var watch: HolderWatch
  }

  /// A body that takes longer is worth a record for resuming it: a process may be killed at any time.
  static let notablePause = Instant.Span.seconds(1)

  /// The stages that follow, and the answers to questions from this thread. Calls to it must not block.
  let pipeline: Pipeline
  let configuration: PipelineConfiguration
  let transport: any Transport
  var admission: Admission
  var connections = ConnectionBook()
  var stragglers: Stragglers
  /// True if an alarm is set for stragglers.
  var looksForStragglers = false
  var robots = RobotsBook()
  /// True if the user was told that a robots.txt is too long to be read to its end.
  var hasToldOfCutRobots = false
  /// The names, or nil if the transport looks names up itself.
  var names: NameDesk?
  private var form: RequestForm
  var timers = Timers<Alarm>()
  private(set) var downloads: [UInt64: ActiveDownload] = [:]
  private var waiting: [UInt64: Waiting] = [:]
  /// The time at which the first flight may have exceeded its time, or nil if no alarm is set for that.
  private var nextOvertime: Instant?
  /// The downloads with a current request, by the number of its transfer.
  private(set) var transfers: [UInt64: ActiveDownload] = [:]
  /// The uploads to the remote cache, or nil if there is none.
  let uploads: StoreUploads?
  let talks: PlaceTalks
  private let numbers = TransferNumbers()
  /// True if this turn has queued work for the disk threads, which are woken once at its end.
  var addedWork = false
  /// True if the disk threads assume that this thread is busy: from its start, and while there are current requests.
  var sharesCores = true
  /// True if the remote cache is given up.
  var hasLostStore = false
  /// Origins that have demanded Digest.
  private var digesting: Set<Origin> = []

  /// - Parameter configuration: The pipeline's, with the present limits.
  init(_ pipeline: Pipeline, _ configuration: PipelineConfiguration, _ transport: any Transport) {
    self.pipeline = pipeline
    self.configuration = configuration
    self.transport = transport
    let talks = PlaceTalks(
      configuration.talks, transport, clock: pipeline.clock, hooks: pipeline.hooks, numbers: numbers,
      isCancelled: { pipeline.isCancelled })
    self.talks = talks
    uploads = pipeline.remote.map {
      StoreUploads($0, talks, open: { pipeline.openEntry($0) }, noteEnd: { pipeline.noteShared($0) })
    }
    var limits = configuration.admission
    limits.sparesConnections = transport.tellsConnections && !limits.keepsOrder
    limits.boundsSharedConnections = limits.sparesConnections && transport.tellsRequests
    admission = Admission(limits)
    stragglers = Stragglers(configuration.stragglers)
    form = RequestForm(configuration)
    if transport.needsAddresses { names = NameDesk(configuration) }
  }

  func random() -> Double { Double.random(in: 0...1) }
}

// MARK: - What comes through the loop's mailbox

extension NetworkStage {
  /// Begins a flight that needs the network.
  func begin(_ flight: Flight, _ claim: Claim) {
    admission.settled(flight.id)
    let isOver = pipeline.isCancelled || !pipeline.isWanted(flight.id)
    if isOver || (hasLostStore && flight.purpose.asksRemoteCache) {
      return end(flight, claim.beginning, because: .cancelled, DownloadRemains(claim: claim))
    }
    let retry = flight.purpose.asksRemoteCache ? RetryRule(limit: 0) : configuration.retry
    let download = ActiveDownload(flight, claim, retry, until: deadline(of: flight))
    downloads[flight.id] = download
    if let deadline = deadline(of: flight) { watchOvertime(until: deadline) }
    watchTime(of: flight.id)
    carryOut(download.machine.begin(), for: download)
  }

  /// The end of the flight's time, or nil if it has no limit or its time does not run.
  func deadline(of flight: Flight) -> Instant? {
    // The limit is for an image. A list may take any time.
    guard flight.limitStart != nil, flight.purpose.stream == nil else { return nil }
    return configuration.deadline(of: flight)
  }

  /// Starts the time limit of a flight, unless it runs already.
  func startClock(of flight: Flight, at now: Instant) {
    if flight.limitStart == nil { flight.limitStart = now }
    flight.isTimedForName = false
    if let deadline = deadline(of: flight) { watchOvertime(until: deadline) }
  }

  /// Sets the alarm for the end of a flight's time. One alarm serves all flights: with one for each, a long list kept
  /// those of all images of the last hour.
  private func watchOvertime(until deadline: Instant) {
    guard deadline < nextOvertime ?? Instant(nanoseconds: .max) else { return }
    nextOvertime = deadline
    timers.add(.overtime, at: deadline)
  }

  private func endOvertime(at now: Instant) {
    // An alarm that an earlier one has replaced.
    guard let due = nextOvertime, due <= now else { return }
    nextOvertime = nil
    var next: Instant?
    for (flight, url) in waiting.values.map({ ($0.flight, $0.flight.hop.url) })
      + downloads.values.map({ ($0.flight, $0.machine.trail.url) })
    {
      guard let deadline = deadline(of: flight) else { continue }
      if deadline > now {
        next = .earlier(next, deadline)
        continue
      }
      endOvertime(of: flight.id, url, at: now)
    }
    if let next { watchOvertime(until: next) }
  }

  /// Waits for another process that is fetching the same image, without taking a place.
  func wait(_ flight: Flight, for busy: BusyPart) {
    if pipeline.isCancelled || !pipeline.isWanted(flight.id) {
      return pipeline.endedOnNetwork(flight, .brokenOff(.cancelled, DownloadRemains()))
    }
    waiting[flight.id] = Waiting(flight: flight, busy: busy, watch: HolderWatch(length: busy.length, at: clock.now()))
    startClock(of: flight, at: clock.now())
    timers.add(.poll(flight.id), at: clock.now() + BusyPart.delay(randomness: random()))
  }

  /// Takes the claim of a disk thread that has checked the other process's part. If the flight was cancelled meanwhile,
  /// the claim is dropped.
  func polled(_ id: UInt64, _ claim: PartClaim) {
    guard var wait = waiting[id] else { return }
    guard case .busy(let busy) = claim else {
      waiting[id] = nil
      return pipeline.waited(wait.flight, claim)
    }
    wait.busy = busy
    if wait.watch.isStuck(length: busy.length, at: clock.now(), patience: configuration.stallTimeout) {
      waiting[id] = nil
      return pipeline.waited(wait.flight, nil)
    }
    waiting[id] = wait
    timers.add(.poll(id), at: clock.now() + BusyPart.delay(randomness: random()))
  }

  func watchTime(of flight: UInt64) {
    for limit in pipeline.timeLimits(of: flight) { timers.add(.expiry(limit.request), at: limit.end) }
  }

  func setLimits(_ limits: DownloadLimits) {
    admission.setLimits { limits.apply(to: &$0) }
    stragglers.rule.jobs = max(1, limits.jobs)
    transport.limit(bytesPerSecond: limits.rate)
  }

  /// Changes the priority of a flight.
  func setPriority(_ priority: FetchRequest.Priority, of id: UInt64) { admission.setPriority(priority, of: id) }

  /// Shows the body to a request that watches it and has joined the flight.
  func showBody(of id: UInt64) {
    if let transfer = downloads[id]?.transfer { transport.deliverAtOnce(transfer) }
  }

  /// True if a flight waits for another process.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Refuses the body of a flight, which a disk thread found to be useless. No more of it is wanted.
  func refuse(_ flight: Flight, because error: FetchError, _ remains: DownloadRemains) {
    hold(flight.id)
    if let download = downloads[flight.id] {
      download.noteProgress()
      carryOut(download.machine.refuse(), download)
    }
    pipeline.endedOnNetwork(flight, .brokenOff(error, remains))
  }

  /// Starts a flight over, because a disk thread found that its body's parts come from different versions. The whole
  /// is requested, into the part of `claim`.
  func startOver(_ flight: Flight, _ claim: Claim) {
    if let download = downloads.removeValue(forKey: flight.id) {
      if download.transfer == nil { leaveLine(download) }
      drop(download)
      download.noteProgress()
    }
    guard case .downloadAgain = flight.machine.handle(.joinedWrongly) else {
      claim.part?.abandon(keepForResume: false)
      return
    }
    flight.hop.isAskedAgain = true
    begin(flight, claim)
  }

  /// Receives again, because the disk threads have caught up.
  func resumeReceiving() { transport.resumeReceiving() }

  /// Cancels a flight that has no waiters any more, or whose time is over. The received bytes are kept for another run.
  func cancel(_ id: UInt64, because error: FetchError = .cancelled) {
    if let wait = waiting.removeValue(forKey: id) {
      return pipeline.endedOnNetwork(wait.flight, .brokenOff(error, DownloadRemains()))
    }
    guard let download = downloads[id] else { return }
    let way = download.machine.cancel(because: error)
    carryOut(way, download)
    switch way {
    case .dropTransfer, .leaveLine:
      // Its body may be cut short.
      download.sideAnswer = nil
      end(download, because: error)
    case .stopTransfer, .nothing: break
    }
  }

  /// Ends all flights.
  func cancelAll() {
    for id in Array(waiting.keys) + Array(downloads.keys) { cancel(id) }
    pipeline.remote?.dropUploads()
    talks.drop()
  }

  private func carryOut(_ way: DownloadMachine.Break, _ download: ActiveDownload) {
    switch way {
    case .nothing: break
    case .stopTransfer: if let transfer = download.transfer { transport.stop(transfer) }
    case .dropTransfer: drop(download)
    case .leaveLine:
      leaveLine(download)
      downloads[download.id] = nil
    }
  }

  /// Removes a flight that waits for its turn, or for its name.
  private func leaveLine(_ download: ActiveDownload) {
    admission.remove(download.id)
    names?.leave(download.machine.trail.url.origin, download.id)
  }

  /// Ends the transfer at once.
  private func drop(_ download: ActiveDownload) {
    guard let transfer = download.transfer else { return }
    download.transfer = nil
    transfers[transfer.number] = nil
    transport.cancel(transfer)
    giveBackPlace(of: download)
  }

  /// Gives the place of a download back.
  ///
  /// - Parameter isWhole: true if all of its answer has come.
  private func giveBackPlace(of download: ActiveDownload, isWhole: Bool = false) {
    let origin = download.machine.trail.url.origin
    if !download.isSent { admission.stayed(from: origin) }
    if download.pace.isBeside {
      admission.endedBeside(at: origin)
    } else {
      admission.ended(at: origin, onward: download.flight.purpose.onward)
    }
    if download.isAnswered {
      admission.answerEnded(by: origin, isWhole: isWhole, after: isWhole ? clock.now() - download.sent : nil)
    }
    download.isAnswered = false
  }

  /// Gives the place of a flight back for which no request was made.
  private func giveBackUnused(_ download: ActiveDownload) {
    let origin = download.machine.trail.url.origin
    admission.stayed(from: origin)
    admission.ended(at: origin, onward: download.flight.purpose.onward)
  }

  /// Keeps the place of a flight that the network is done with. One that has no waiters has no result, either.
  private func hold(_ flight: UInt64) {
    if configuration.admission.holdsPlaces, pipeline.isWanted(flight) { admission.hold(flight) }
  }

  /// Gives the place of a flight back, whose result is known.
  func settled(_ flight: UInt64) { admission.settled(flight) }

  func ring(_ alarm: Alarm) {
    switch alarm {
    case .poll(let id): if let busy = waiting[id]?.busy { pipeline.poll(id, busy) }
    case .overtime: endOvertime(at: clock.now())
    case .expiry(let request): pipeline.expire(request)
    case .note(let id):
      if let download = downloads[id], let body = download.body { add(.note, to: body, download.flight) }
    case .lookUp(let id): endRest(of: id)
    case .leaveStore: leaveStore()
    case .pace: dealWithStragglers(at: clock.now())
    }
  }
}

// MARK: - The steps of a download

extension NetworkStage {
  func carryOut(_ step: DownloadMachine.Step, for download: ActiveDownload) {
    report(download)
    let flight = download.flight
    switch step {
    case .enqueue(let notBefore):
      download.sideAnswer = nil
      if let step = passBy(download) { return carryOut(step, for: download) }
      guard mayGoOn(download), mayAsk(download), hasName(download, notBefore: notBefore) else { return }
      flight.turn = admission.enqueue(
        download.id, to: download.machine.trail.url.origin, priority: pipeline.priority(of: flight),
        notBefore: notBefore,
        refusals: download.machine.attempts.refusals, hasSpare: download.machine.hasSpareRetry,
        onward: flight.purpose.onward, keeping: notBefore == nil ? flight.turn : nil)
      return
    case .nothing: leave(download)
    case .fail(let error): end(download, because: error)
    case .lookUp, .confirm, .finishBody:
      leave(download)
      download.noteProgress()
      addedWork = true
      if case .lookUp = step {} else { hold(download.id) }
      switch step {
      case .lookUp(let next): conclude(flight, download.body, with: .movedOn(next, download.remains))
      case .confirm(let head): conclude(flight, download.body, with: .notModified(head, download.claim))
      default: conclude(flight, download.body, with: .complete)
      }
    }
  }

  /// Forgets a download that the network is done with. A flight that has begun anew meanwhile stays.
  private func leave(_ download: ActiveDownload) {
    if downloads[download.id] === download { downloads[download.id] = nil }
  }

  /// Starts a flight that is admitted to its origin: its request goes out.
  func start(_ id: UInt64, at now: Instant) {
    guard let download = downloads[id] else { return }
    let flight = download.flight
    if !pipeline.isWanted(id) || (hasLostStore && flight.purpose.asksRemoteCache) {
      giveBackUnused(download)
      return cancel(id)
    }
    // It may have waited for its turn for longer than its addresses are valid.
    if names?.knows(download.machine.trail.url.origin, at: now) == false {
      giveBackUnused(download)
      return carryOut(.enqueue(notBefore: nil), for: download)
    }
    if flight.traffic.asked == nil { flight.traffic.asked = now }
    startClock(of: flight, at: now)
    download.machine.deadline = deadline(of: flight)
    let transfer = numbers.next()
    let rest = download.machine.send(at: now, clock.wallTime())
    download.pace = Pace(start: now)
    download.sent = now
    download.isSent = false
    if !looksForStragglers, stragglers.rule.isInForce { lookForStragglers(at: now + Pace.span) }
    let url = download.machine.trail.url
    download.transfer = transfer
    transfers[transfer.number] = download
    let leader = flight.leader
    download.credentials = identity.credentials(of: leader.request, at: url, from: download.machine.givenURL)
    var request = form.make(
      transfer, url: url, flight: flight, credentials: download.credentials, addressRule: download.addressRule,
      isConditional: download.machine.isConditional, at: clock.wallTime())
    if !log.observers.watchers(of: id).isEmpty { request.deliversAtOnce = true }
    download.asksByDigest = !digesting.isEmpty && digesting.contains(url.origin)
    if download.asksByDigest { request.credentials?.scheme = .digest }
    if let entry = flight.purpose.entry { request.deadline = now + .seconds(entry.answer) }
    if let rest {
      for name in ["Range", "If-Range"] {
        if let value = rest.firstBytes(name) { request.exactFields.append(name, bytes: value.span) }
      }
    }
    request.addresses = names?.addresses(of: url.origin, at: now)
    log.hooks.tellHeaders(of: url) { HeaderTrace.lines(of: request, to: url) }
    log.emit { .started(flight: id, url: url.display, attempt: download.machine.attempts.made) }
    transport.start(request)
  }

  /// True if a login that was sent as Basic was answered with a demand for Digest. An earlier demand of the origin does
  /// not matter: several requests may be out when it first makes one.
  func asksForDigest(_ head: ResponseHead, _ download: ActiveDownload) -> Bool {
    guard head.status == 401, download.credentials?.login != nil, !download.asksByDigest,
      Challenge.offersDigest(head.fields)
    else { return false }
    digesting.insert(download.machine.trail.url.origin)
    return true
  }

  private func end(_ download: ActiveDownload, because error: FetchError) {
    leave(download)
    hold(download.id)
    download.noteProgress()
    // An answer that was broken off, or refused by its first bytes, had a status, too.
    end(download.flight, download.body, because: error.answered(download.machine.status), download.remains)
  }

  /// Ends a flight without an image.
  private func end(_ flight: Flight, _ body: BodyQueue?, because error: FetchError, _ remains: DownloadRemains) {
    if flight.purpose.asksRemoteCache { noteStore(error) }
    conclude(flight, body, with: .brokenOff(error, remains))
  }

  /// Passes on a flight that the network is done with. If a part of a body has come, a disk thread settles it first.
  private func conclude(_ flight: Flight, _ body: BodyQueue?, with ending: BodyQueue.Ending) {
    if let body { add(.end(ending), to: body, flight) } else { pipeline.endedOnNetwork(flight, ending) }
  }

  /// The download of a transfer that has ended.
  func ended(_ id: TransferID, isWhole: Bool) -> ActiveDownload? {
    guard let download = transfers.removeValue(forKey: id.number) else { return nil }
    if isWhole, download.isAnswered, !stragglers.knowsEnough {
      let span = clock.now() - download.answerStart
      stragglers.came(download.machine.body.received, in: span, from: download.machine.trail.url.origin)
    }
    giveBackPlace(of: download, isWhole: isWhole)
    if download.transfer == id { download.transfer = nil }
    return download
  }

  func add(_ item: consuming BodyQueue.Item, to body: BodyQueue, _ flight: Flight) {
    // Counted before it is added: the job that takes it may finish at once.
    let count = item.size
    if count > 0 { workers.hold(count) }
    let isPiece = if case .bytes = item { true } else { false }
    switch body.add(item) {
    case .queued: break
    case .closed: workers.release(count)
    case .needsTaking:
      // Small images are taken at the end of the turn, several at once. For a piece of a large one a thread is woken at
      // once, since libcurl goes on for milliseconds before that end.
      pipeline.received(body, flight, isPiece ? .now : .later)
      addedWork = addedWork || !isPiece
    }
  }
}
