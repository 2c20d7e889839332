// The steps of a flight on its way.
extension Conductor {
  /// A body that takes longer is worth a note beside it: a process may be killed at any time.
  static let notablePause = Instant.Span.seconds(1)

  func enqueue(_ id: UInt64, notBefore: Instant? = nil) {
    guard let course = courses[id] else { return }
    let flight = course.departure.flight
    if flight.choosesHosts, let reason = HostRule.objection(to: course.url, flight.options) {
      return fail(id, FetchError(.refused, course.url.display, reason), retryAfter: nil)
    }
    admission.enqueue(
      id, to: course.url.origin, priority: flight.request.priority, notBefore: notBefore)
  }

  func start(_ id: UInt64) {
    guard let course = courses[id] else { return }
    transferCount += 1
    let transfer = TransferID(number: transferCount)
    if course.hops == course.departure.leg?.hops ?? 0 { course.attempts += 1 }
    course.transfer = transfer
    course.verdict = .none
    course.requestTime = clock.wallTime()
    underWay[transfer] = course
    course.introduction = engine.introduction(of: course.departure.flight, at: course.url, from: course.start)
    var request = form.make(
      transfer, url: course.url, departure: course.departure, introduction: course.introduction)
    request.addressRule = course.addressRule
    if digesting.contains(course.url.origin) { request.credentials?.scheme = .digest }
    let rest = course.resumption?.fields(for: course.url)
    course.asksForRest = rest != nil
    for name in ["Range", "If-Range"] {
      if let value = rest?.firstBytes(name) { request.exactFields.append(name, bytes: value.span) }
    }
    engine.emitHeaders(of: course.url) { HeaderTrace.lines(of: request, to: course.url) }
    engine.emit { .started(flight: id, url: course.url.display, attempt: course.attempts) }
    transport.start(request)
  }

  func follow(_ id: UInt64, to target: WebURL) {
    engine.emit { .redirected(flight: id, to: target.display) }
    guard let course = courses[id] else { return }
    if let leg = course.departure.leg {
      // Each hop has its own answer in the cache, so the next one is looked up first.
      courses[id] = nil
      var next = course.turn(to: target, from: leg)
      next.hops = leg.hops + 1
      engine.goOn(course.departure, next)
      addedWork = true
      return
    }
    course.hops += 1
    course.url = target
    enqueue(id)
  }

  func fail(_ id: UInt64, _ error: FetchError, retryAfter: Instant.Span?) {
    guard let course = courses[id] else { return }
    let decision = engine.configuration.retry.decide(
      isTransient: error.isTransient, attempts: course.attempts - course.repeats, retryAfter: retryAfter,
      random: engine.random())
    switch decision {
    case .retry(let pause):
      engine.emit { .retrying(flight: id, reason: error.reason, milliseconds: pause.milliseconds) }
      course.turnBack()
      enqueue(id, notBefore: clock.now() + pause)
    case .giveUp:
      if let mirror = course.mirrors.popFirst() {
        if let leg = course.departure.leg {
          courses[id] = nil
          addedWork = true
          return engine.goOn(course.departure, course.turn(to: mirror, from: leg))
        }
        course.turn(to: mirror)
        return enqueue(id)
      }
      end(id, because: error)
    }
  }

  /// The same request goes out once more, in the way that the answer has shown.
  func again(_ id: UInt64) {
    courses[id]?.repeats += 1
    enqueue(id)
  }

  /// A flight is over without an answer.
  func end(_ id: UInt64, because error: FetchError) {
    guard let course = courses.removeValue(forKey: id) else { return }
    course.departure.flight.note(downloaded: course.downloaded, attempts: course.attemptsInAll)
    var departure = course.departure
    departure.reception = course.reception
    end(departure, because: error)
  }

  func end(_ departure: Departure, because error: FetchError) {
    if let reception = departure.reception {
      add(.end(.brokenOff(error)), to: reception, departure)
    } else {
      engine.failed(departure, error, hasReception: false)
    }
  }

  func ring(_ alarm: Alarm) {
    switch alarm {
    case .poll(let id):
      guard let course = courses[id], let busy = course.busy else { return }
      engine.poll(course.departure, busy)
    case .giveUp(let id):
      guard let course = courses[id] else { return }
      cancel(
        id, because: FetchError(.timeout, course.url.display, "took longer than --max-time allows", isTransient: false))
    case .note(let id):
      guard let course = courses[id], let reception = course.reception else { return }
      add(.note, to: reception, course.departure)
    }
  }

  func add(_ item: Reception.Item, to reception: Reception, _ departure: Departure) {
    // Counted before it is added: a taker may be done with it at once.
    let count = if case .bytes(let bytes) = item { bytes.count } else { 0 }
    engine.workers.hold(count)
    switch reception.add(item) {
    case .queued: break
    case .closed: engine.workers.letGo(count)
    case .needsTaking:
      engine.receive(reception, departure)
      addedWork = true
    }
  }

  static func error(_ failure: TransportFailure, _ subject: String) -> FetchError {
    let kind: FetchError.Kind =
      switch failure.kind {
      case .name: .name
      case .connect: .connect
      case .tls: .tls
      case .timeout: .timeout
      case .truncated: .truncated
      case .refusedAddress: .refused
      case .protocolError, .other: .connect
      }
    return FetchError(kind, subject, failure.reason, isTransient: failure.isTransient)
  }
}
