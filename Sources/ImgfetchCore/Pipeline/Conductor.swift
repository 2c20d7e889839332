/// Leads flights over the network: who starts when, through which hops, with which retries.
///
/// Confined to the network's thread; it decides nothing itself but asks the rules (``Admission``, ``AnswerRule``, ``RedirectRule``,
/// ``RetryRule``) and carries out what they say. Bodies go to their ``Reception``, ends to the ``Engine``.
final class Conductor {
  /// What a timer is for.
  enum Alarm {
    case poll(UInt64)
    case giveUp(UInt64)
    case note(UInt64)
  }

  let engine: Engine
  let transport: any Transport
  let clock: any Clock
  var admission: Admission
  var form: RequestForm
  var timers = Timers<Alarm>()
  var courses = NumberTable<Course>()
  /// Those whose request is out, by the number of its transfer.
  var underWay = NumberTable<Course>()
  var transferCount: UInt64 = 0
  var addedWork = false
  /// Whether the disk threads think that this thread is busy: from its start, and while requests are out.
  var sharesCores = true
  /// Origins that have asked for Digest.
  var digesting: Set<Origin> = []

  init(engine: Engine, transport: any Transport) {
    self.engine = engine
    self.transport = transport
    clock = engine.clock
    admission = Admission(engine.configuration.admission)
    form = RequestForm(engine.configuration)
  }
}

// What the engine says, through the loop's mailbox.
extension Conductor {
  /// A flight needs the network.
  func depart(_ departure: Departure) {
    if engine.isCancelled { return end(departure, because: Engine.cancelled) }
    let course = Course(departure)
    setOut(course)
    enqueue(course)
  }

  /// From here on its time runs. Who sets out once more, after having waited for another process, say, hears of the first alarm first.
  private func setOut(_ course: Course) {
    let departure = course.departure
    courses[departure.flight.id] = course
    guard let maximum = engine.configuration.maximumTime else { return }
    timers.add(.giveUp(departure.flight.id), at: (departure.leg?.begun ?? clock.now()) + maximum)
  }

  /// Another process is fetching the same: wait for it, without a place.
  func wait(_ departure: Departure, for busy: BusyPart) {
    if engine.isCancelled { return end(departure, because: Engine.cancelled) }
    let course = Course(departure)
    course.busy = busy
    course.watch = HolderWatch(length: busy.length, at: clock.now())
    setOut(course)
    timers.add(.poll(departure.flight.id), at: clock.now() + BusyPart.delay(randomness: engine.random()))
  }

  /// The other process is still at it.
  func keepWaiting(_ id: UInt64, for busy: BusyPart) {
    guard let course = courses[id] else { return }
    course.busy = busy
    let patience = engine.configuration.stallTimeout
    if course.watch?.isStuck(length: busy.length, at: clock.now(), patience: patience) == true {
      return engine.fetchAlone(course.departure)
    }
    timers.add(.poll(id), at: clock.now() + BusyPart.delay(randomness: engine.random()))
  }

  /// The waiting for another process is over, unless its time was over before: then nobody waits for this any more.
  func departAfterWaiting(_ departure: Departure) {
    guard courses[departure.flight.id]?.busy != nil else { return end(departure, because: Engine.cancelled) }
    depart(departure)
  }

  /// The waiting is over, and the flight goes on elsewhere.
  func forget(_ id: UInt64) { courses[id] = nil }

  /// A disk thread found that the body is no good: no more of it is wanted, and whoever waits is told what it has cost until now.
  func refuse(_ departure: Departure, because error: FetchError) {
    let id = departure.flight.id
    if let course = courses[id] {
      course.noteTraffic()
      if let transfer = course.transfer {
        transport.stop(transfer)
      } else {
        // It has broken off by itself meanwhile, and would begin again, for nobody.
        admission.remove(id, from: course.url.origin)
        courses[id] = nil
      }
    }
    engine.failed(departure, error, hasReception: false)
  }

  /// A disk thread found that the body was put together of what does not belong together.
  func startOver(_ departure: Departure) {
    let id = departure.flight.id
    var departure = departure
    if let course = courses.removeValue(for: id), let transfer = course.transfer {
      underWay[transfer.number] = nil
      transport.cancel(transfer)
      admission.ended(at: course.url.origin)
      course.noteTraffic()
    }
    departure.countCost()
    depart(departure)
  }

  /// The disk threads have caught up.
  func resumeReceiving() { transport.resumeReceiving() }

  /// Nobody waits for it any more, or nobody may any longer. What came is kept for another run, and then whoever does wait
  /// is told.
  func cancel(_ id: UInt64, because error: FetchError = Engine.cancelled) {
    guard let course = courses[id] else { return }
    if let transfer = course.transfer, case .take = course.verdict {
      // What libcurl has gathered of the body is handed over first.
      course.abandonment = error
      return transport.stop(transfer)
    }
    if let transfer = course.transfer {
      underWay[transfer.number] = nil
      transport.cancel(transfer)
      admission.ended(at: course.url.origin)
    } else {
      admission.remove(id, from: course.url.origin)
    }
    end(id, because: error)
  }

  /// Everything ends.
  func cancelAll() {
    for id in courses.numbers { cancel(id) }
  }
}
