/// Takes flights over the network.
///
/// Confined to the network's thread. It decides nothing itself: each flight's ``FlightMachine`` says what happens next to it, ``Admission``
/// when it has its turn, and this carries out what they say. Bodies go to their ``Reception``, ends to the ``Engine``.
final class NetworkStage {
  /// What a timer is for.
  enum Alarm {
    case poll(UInt64)
    case giveUp(UInt64)
    case note(UInt64)
  }

  /// A body that takes longer is worth a note beside it: a process may be killed at any time.
  static let notablePause = Instant.Span.seconds(1)

  let engine: Engine
  let transport: any Transport
  let clock: any Clock
  var admission: Admission
  private var form: RequestForm
  var timers = Timers<Alarm>()
  private(set) var flights: [UInt64: ActiveFlight] = [:]
  /// Those whose request is out, by the number of its transfer.
  private(set) var transfers: [UInt64: ActiveFlight] = [:]
  private var transferCount: UInt64 = 0
  var addedWork = false
  /// Whether the disk threads think that this thread is busy: from its start, and while requests are out.
  var sharesCores = true
  /// Origins that have asked for Digest.
  private var digesting: Set<Origin> = []

  init(engine: Engine, transport: any Transport) {
    self.engine = engine
    self.transport = transport
    clock = engine.clock
    admission = Admission(engine.configuration.admission)
    form = RequestForm(engine.configuration)
  }
}

// MARK: - What the engine says, through the loop's mailbox

extension NetworkStage {
  /// A flight needs the network.
  func depart(_ departure: Departure) {
    if engine.isCancelled { return end(departure, because: Engine.cancelled) }
    let flight = ActiveFlight(departure, engine.configuration.retry)
    add(flight)
    take(flight.machine.begin(), for: flight)
  }

  /// From here on its time runs. One that sets out once more, after having waited for another process, say, hears of the first alarm first.
  private func add(_ flight: ActiveFlight) {
    flights[flight.id] = flight
    guard let maximum = engine.configuration.maximumTime else { return }
    timers.add(.giveUp(flight.id), at: flight.departure.hop.begun + maximum)
  }

  /// Another process is fetching the same: it is waited for, without a place.
  func wait(_ departure: Departure, for busy: BusyPart) {
    if engine.isCancelled { return end(departure, because: Engine.cancelled) }
    let flight = ActiveFlight(departure, engine.configuration.retry)
    flight.busy = busy
    flight.machine.wait(length: busy.length, at: clock.now())
    add(flight)
    timers.add(.poll(flight.id), at: clock.now() + BusyPart.delay(randomness: engine.random()))
  }

  /// The other process is still at it.
  func keepWaiting(_ id: UInt64, for busy: BusyPart) {
    guard let flight = flights[id] else { return }
    flight.busy = busy
    if flight.machine.isStuck(length: busy.length, at: clock.now(), patience: engine.configuration.stallTimeout) {
      return engine.fetchAlone(flight.departure)
    }
    timers.add(.poll(id), at: clock.now() + BusyPart.delay(randomness: engine.random()))
  }

  /// The waiting for another process is over, unless its time was over before: then no asker is left.
  func departAfterWaiting(_ departure: Departure) {
    guard flights[departure.flight.id]?.machine.isWaiting == true else {
      return end(departure, because: Engine.cancelled)
    }
    depart(departure)
  }

  /// The waiting is over, and the flight goes on elsewhere.
  func forget(_ id: UInt64) { flights[id] = nil }

  /// A disk thread found that the body is no good: no more of it is wanted, and the askers are told what it has cost until now.
  func refuse(_ departure: Departure, because error: FetchError) {
    if let flight = flights[departure.flight.id] {
      flight.noteTraffic()
      carryOut(flight.machine.refuse(), flight)
    }
    engine.failed(departure, error, hasReception: false)
  }

  /// A disk thread found that the body was put together of what does not belong together.
  func startOver(_ departure: Departure) {
    var departure = departure
    if let flight = flights.removeValue(forKey: departure.flight.id) {
      if flight.transfer == nil { admission.remove(flight.id, from: flight.machine.way.url.origin) }
      drop(flight)
      flight.noteTraffic()
    }
    departure.countCost()
    depart(departure)
  }

  /// The disk threads have caught up.
  func resumeReceiving() { transport.resumeReceiving() }

  /// The flight has no askers any more, or its time is over. What came is kept for another run, and then those that do wait are told.
  func cancel(_ id: UInt64, because error: FetchError = Engine.cancelled) {
    guard let flight = flights[id] else { return }
    let way = flight.machine.cancel(because: error)
    carryOut(way, flight)
    switch way {
    case .dropTransfer, .leaveLine: end(flight, because: error)
    case .stopTransfer, .nothing: break
    }
  }

  /// Everything ends.
  func cancelAll() {
    for id in Array(flights.keys) { cancel(id) }
  }

  private func carryOut(_ way: FlightMachine.Break, _ flight: ActiveFlight) {
    switch way {
    case .nothing: break
    case .stopTransfer: if let transfer = flight.transfer { transport.stop(transfer) }
    case .dropTransfer: drop(flight)
    case .leaveLine:
      admission.remove(flight.id, from: flight.machine.way.url.origin)
      flights[flight.id] = nil
    }
  }

  /// Lets go of the transfer at once.
  private func drop(_ flight: ActiveFlight) {
    guard let transfer = flight.transfer else { return }
    flight.transfer = nil
    transfers[transfer.number] = nil
    transport.cancel(transfer)
    admission.ended(at: flight.machine.way.url.origin)
  }
}

// MARK: - The steps of a flight

extension NetworkStage {
  /// Carries out what a flight's machine says.
  func take(_ step: FlightMachine.Step, for flight: ActiveFlight) {
    tell(flight)
    let (id, departure) = (flight.id, flight.departure)
    switch step {
    case .enqueue(let notBefore):
      flight.aside = nil
      admission.enqueue(
        id, to: flight.machine.way.url.origin, priority: departure.flight.request.priority, notBefore: notBefore,
        refusals: flight.machine.attempts.refusals)
      return
    case .nothing: break
    case .lookUp(let hop):
      engine.goOn(flight.handedOn, to: hop)
      addedWork = true
    case .confirm(let head):
      flight.noteTraffic()
      engine.revalidated(departure, head)
      addedWork = true
    case .finishBody:
      flight.noteTraffic()
      if let reception = flight.reception { add(.end(.complete), to: reception, departure) }
    case .fail(let error): return end(flight, because: error)
    }
    leave(flight)
  }

  /// The network is done with the flight. One that has begun anew meanwhile stays.
  private func leave(_ flight: ActiveFlight) {
    if flights[flight.id] === flight { flights[flight.id] = nil }
  }

  func tell(_ flight: ActiveFlight) {
    for notice in flight.machine.takeNotices() {
      switch notice {
      case .redirected(let target): engine.emit { .redirected(flight: flight.id, to: target.display) }
      case .retrying(let reason, let pause):
        engine.emit { .retrying(flight: flight.id, reason: reason, milliseconds: pause.milliseconds) }
      case .explained(let sentence): engine.explain(flight.departure.flight) { sentence }
      }
    }
  }

  /// A flight has its turn at its origin.
  func start(_ id: UInt64, at now: Instant) {
    guard let flight = flights[id] else { return }
    let owner = flight.departure.flight
    owner.noteRequest(at: now)
    transferCount += 1
    let transfer = TransferID(number: transferCount)
    let rest = flight.machine.send(at: now, clock.wallTime())
    let url = flight.machine.way.url
    flight.transfer = transfer
    transfers[transfer.number] = flight
    flight.introduction = engine.introduction(of: owner, at: url, from: flight.machine.origin)
    var request = form.make(
      transfer, url: url, departure: flight.departure, introduction: flight.introduction,
      addressRule: flight.addressRule)
    flight.asksByDigest = !digesting.isEmpty && digesting.contains(url.origin)
    if flight.asksByDigest { request.credentials?.scheme = .digest }
    if let rest {
      for name in ["Range", "If-Range"] {
        if let value = rest.firstBytes(name) { request.exactFields.append(name, bytes: value.span) }
      }
    }
    engine.emitHeaders(of: url) { HeaderTrace.lines(of: request, to: url) }
    engine.emit { .started(flight: id, url: url.display, attempt: flight.machine.attempts.made) }
    transport.start(request)
  }

  /// Whether the answer to a name and password sent as Basic is that Digest is wanted. Not whether the origin has said so before: several
  /// requests may be out when it says it first.
  func asksForDigest(_ head: ResponseHead, _ flight: ActiveFlight) -> Bool {
    guard head.status == 401, flight.introduction?.login != nil, !flight.asksByDigest,
      Challenge.offersDigest(head.fields)
    else { return false }
    digesting.insert(flight.machine.way.url.origin)
    return true
  }

  /// A flight is over without an answer.
  private func end(_ flight: ActiveFlight, because error: FetchError) {
    leave(flight)
    flight.noteTraffic()
    var departure = flight.handedOn
    departure.reception = flight.reception
    // However it ended: an answer that was broken off, or refused by its first bytes, had a status too.
    end(departure, because: error.answered(flight.machine.status))
  }

  private func end(_ departure: Departure, because error: FetchError) {
    if let reception = departure.reception {
      add(.end(.brokenOff(error)), to: reception, departure)
    } else {
      engine.failed(departure, error, hasReception: false)
    }
  }

  /// Takes the flight of a transfer that has ended off the list.
  func ended(_ id: TransferID) -> ActiveFlight? {
    guard let flight = transfers.removeValue(forKey: id.number) else { return nil }
    admission.ended(at: flight.machine.way.url.origin)
    if flight.transfer == id { flight.transfer = nil }
    return flight
  }

  func ring(_ alarm: Alarm) {
    switch alarm {
    case .poll(let id):
      guard let flight = flights[id], flight.machine.isWaiting, let busy = flight.busy else { return }
      engine.poll(flight.departure, busy)
    case .giveUp(let id):
      guard let flight = flights[id] else { return }
      let url = flight.machine.way.url.display
      cancel(id, because: FetchError(.timeout, url, "took longer than --max-time allows", isTransient: false))
    case .note(let id):
      guard let flight = flights[id], let reception = flight.reception else { return }
      add(.note, to: reception, flight.departure)
    }
  }

  func add(_ item: consuming Reception.Item, to reception: Reception, _ departure: Departure) {
    // Counted before it is added: a taker may be done with it at once.
    let count = item.size
    if count > 0 { engine.workers.hold(count) }
    let isPiece = if case .bytes = item { true } else { false }
    switch reception.add(item) {
    case .queued: break
    case .closed: engine.workers.letGo(count)
    case .needsTaking:
      // Small images are seen to at the turn's end, several at once. A piece of a large one is worth waking a thread for: libcurl goes
      // on for milliseconds before that end comes.
      engine.receive(reception, departure, isPiece ? .now : .later)
      addedWork = addedWork || !isPiece
    }
  }
}
