// The steps of a flight on its way.
extension Conductor {
  /// A body that takes longer is worth a note beside it: a process may be killed at any time.
  static let notablePause = Instant.Span.seconds(1)

  func enqueue(_ course: Course, notBefore: Instant? = nil) {
    let flight = course.departure.flight
    if let reason = flight.objection(to: course.url) {
      return fail(flight.id, FetchError(.refused, course.url.display, reason), retryAfter: nil)
    }
    admission.enqueue(
      flight.id, to: course.url.origin, priority: flight.request.priority, notBefore: notBefore,
      refusals: course.refusals)
  }

  func start(_ id: UInt64, at now: Instant) {
    guard let course = courses[id] else { return }
    course.departure.flight.noteRequest(at: now)
    transferCount += 1
    let transfer = TransferID(number: transferCount)
    let (departure, url) = (course.departure, course.url)
    if course.hops == departure.leg?.hops ?? 0 { course.attempts += 1 }
    course.transfer = transfer
    course.verdict = .none
    course.status = nil
    course.requestTime = clock.wallTime()
    course.started = now
    course.patience = nil
    underWay[transfer.number] = course
    course.introduction = engine.introduction(of: departure.flight, at: url, from: course.start)
    var request = form.make(
      transfer, url: url, departure: departure, introduction: course.introduction, addressRule: course.addressRule)
    course.asksByDigest = !digesting.isEmpty && digesting.contains(url.origin)
    if course.asksByDigest { request.credentials?.scheme = .digest }
    let rest = course.mayGoOn ? course.resumption?.fields(for: url) : nil
    course.asksForRest = rest != nil
    if let rest {
      for name in ["Range", "If-Range"] {
        if let value = rest.firstBytes(name) { request.exactFields.append(name, bytes: value.span) }
      }
    }
    engine.emitHeaders(of: url) { HeaderTrace.lines(of: request, to: url) }
    engine.emit { .started(flight: id, url: url.display, attempt: course.attempts) }
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
      engine.goOn(course.handedOn, next)
      addedWork = true
      return
    }
    course.follow(to: target)
    enqueue(course)
  }

  func fail(_ id: UInt64, _ error: FetchError, retryAfter: Instant.Span?) {
    guard let course = courses[id] else { return }
    let decision = engine.configuration.retry.decide(
      isTransient: error.isTransient, attempts: course.attempts - course.repeats, retryAfter: retryAfter,
      random: engine.random())
    switch decision {
    case .retry(let pause):
      let now = clock.now()
      let start = course.patience ?? now + pause
      engine.emit { .retrying(flight: id, reason: error.reason, milliseconds: (start - now).milliseconds) }
      course.turnBack()
      enqueue(course, notBefore: start)
    case .giveUp:
      if let mirror = course.mirrors.popFirst() {
        if let leg = course.departure.leg {
          courses[id] = nil
          addedWork = true
          return engine.goOn(course.handedOn, course.turn(to: mirror, from: leg))
        }
        course.turn(to: mirror)
        return enqueue(course)
      }
      end(id, because: error)
    }
  }

  /// The origin has too many requests. For how long is obeyed by all its flights if it says so; else it is asked more slowly.
  func refused(_ course: Course, for patience: Instant.Span?) {
    let (origin, now) = (course.url.origin, clock.now())
    course.refusals += 1
    if let patience {
      if patience <= RetryRule.longestObeyed { admission.slow(origin, until: now + patience) }
    } else {
      course.patience = admission.refused(by: origin, startedAt: course.started, at: now, random: engine.random())
    }
  }

  /// The same request goes out once more, in the way that the answer has shown.
  func again(_ id: UInt64) {
    guard let course = courses[id] else { return }
    course.repeats += 1
    enqueue(course)
  }

  /// A flight is over without an answer.
  func end(_ id: UInt64, because error: FetchError) {
    guard let course = courses.removeValue(for: id) else { return }
    course.noteTraffic()
    var departure = course.handedOn
    departure.reception = course.reception
    // However it ended: an answer that was broken off, or refused by its first bytes, had a status too.
    end(departure, because: error.answered(course.status))
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

  func add(_ item: consuming Reception.Item, to reception: Reception, _ departure: Departure) {
    // Counted before it is added: a taker may be done with it at once.
    let count = item.size
    if count > 0 { engine.workers.hold(count) }
    let isPiece = if case .bytes = item { true } else { false }
    switch reception.add(item) {
    case .queued: break
    case .closed: engine.workers.letGo(count)
    case .needsTaking:
      // Small images are seen to at the turn's end, several at once. A piece of a large one is worth waking somebody for: libcurl goes
      // on for milliseconds before that end comes.
      engine.receive(reception, departure, isPiece ? .now : .later)
      addedWork = addedWork || !isPiece
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
      case .refusedAddress, .refusedRequest: .refused
      case .limit: .limit
      case .resources: .file
      case .protocolError, .other: .connect
      }
    let remedy: FetchError.Remedy? =
      switch failure.cause {
      case .unknownAuthority: .trustAuthority
      case .noAuthorities: .nameAuthorities
      case .plainServer: .askWithoutTLS
      case .proxy: .changeProxy
      case nil: nil
      }
    return FetchError(kind, subject, failure.reason, isTransient: failure.isTransient, remedy: remedy)
  }
}
