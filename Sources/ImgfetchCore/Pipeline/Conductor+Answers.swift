// What the transport says.
extension Conductor: TransportClient {
  func transfer(_ id: TransferID, didReceiveHead head: ResponseHead) -> HeadDecision {
    guard let course = underWay[id.number] else { return .stop }
    let (departure, url) = (course.departure, course.url)
    let flight = departure.flight.id
    course.status = head.status
    // Of a proxy's address it cannot be told where the bytes come from.
    let isProxied = engine.configuration.network.hasProxy(isSecure: url.isSecure)
    course.note(Provenance.Address(of: isProxied ? nil : head.remoteAddress))
    let answer = AnswerHead(
      url: url, status: head.status, fields: head.fields, contentLength: head.contentLength,
      requestTime: course.requestTime, responseTime: clock.wallTime(), provenance: course.provenance)
    admission.answered(url.origin, overHTTP2: head.httpVersion == .http2)
    if !RetryRule.busyStatuses.contains(head.status) { admission.served(by: url.origin, startedAt: course.started) }
    if course.introduction != nil { engine.takeCookies(head.fields, from: url) }
    if asksForDigest(head, course) {
      digesting.insert(url.origin)
      course.verdict = .again
      return .discard
    }
    let isRest: Bool
    switch course.judgeRest(answer) {
    case .again(let reason):
      engine.explain(departure.flight) { "\(reason): the whole is asked for" }
      course.verdict = .again
      return .discard
    case .rest: isRest = true
    case .other: isRest = false
    }
    let already = isRest ? course.received : 0
    let total = head.contentLength.map { $0 > .max - already ? .max : $0 + already }
    var decision = AnswerRule.decide(
      status: head.status, fields: head.fields, contentLength: total, url: url, hops: course.hops,
      isConditional: departure.validators != nil, isRanged: isRest || departure.asksForPart,
      options: departure.flight.shared)
    if let leg = departure.leg, let refusal = leg.prefersStaleTo(head.status) { decision = .fail(refusal) }
    engine.emitHeaders(of: url) { HeaderTrace.lines(of: head) }
    engine.emit { .responded(flight: flight, status: head.status, total: total, already: already) }
    switch decision {
    case .take:
      course.verdict = .take
      let reception = course.reception ?? Reception(part: departure.part)
      course.reception = reception
      if isRest {
        add(.resume(answer), to: reception, departure)
      } else {
        course.begin(answer)
        add(.begin(answer, isNotable: course.mayBeNoted), to: reception, departure)
      }
      course.bodyStart = course.received
      if course.mayBeNoted, (total ?? .max) > Int64(BodyTaker.memoryLimit) {
        timers.add(.note(flight), at: clock.now() + Self.notablePause)
      }
      return .receive
    case .notModified:
      course.verdict = .notModified(answer)
    case .redirect(let target):
      course.verdict = .redirect(target)
      if head.remoteAddress.map(AddressClass.isGloballyReachable) == true { course.isFromPublic = true }
    case .fail(let error):
      let patience = head.fields.first("Retry-After").flatMap { RetryAfter.parse($0, now: clock.wallTime()) }
      course.verdict = .fail(error, retryAfter: patience)
      if RetryRule.busyStatuses.contains(head.status) { refused(course, for: patience) }
    }
    guard let leg = departure.leg, leg.keepsAside(decision) else { return .discard }
    course.aside = Aside(answer)
    return .receiveShort
  }

  func transfer(_ id: TransferID, peek bytes: borrowing Span<UInt8>) -> Bool {
    guard let course = underWay[id.number] else { return false }
    let options = course.departure.flight.options
    // The rest of a body says nothing by itself; its beginning has been looked at.
    guard options.verification > .none, case .take = course.verdict, course.received == 0 else { return true }
    var inspector = Inspector(limits: InspectionLimits(maxPixels: options.maximumPixels))
    do {
      try inspector.feed(bytes)
      return true
    } catch {
      course.verdict = .fail(error.fetchError(of: course.url.display), retryAfter: nil)
      return false
    }
  }

  func transfer(_ id: TransferID, didReceive bytes: [UInt8], isLast: Bool) {
    guard let course = underWay[id.number] else { return }
    let count = Int64(bytes.count)
    course.downloaded += count
    if course.aside != nil { course.aside?.body += bytes }
    guard case .take = course.verdict, let reception = course.reception else { return }
    course.take(bytes.count)
    // The end follows at once, and asks for whoever takes both: unless it turns out that the rest of a body is not what it was
    // to be, and another attempt follows.
    add(isLast && !course.asksForRest ? .lastBytes(bytes) : .bytes(bytes), to: reception, course.departure)
  }

  func transfer(_ id: TransferID, hasReceived count: Int64) {
    guard engine.isWatched, let course = underWay[id.number], case .take = course.verdict else { return }
    engine.emit { .progressed(flight: course.departure.flight.id, received: course.bodyStart + count) }
  }

  func transfer(_ id: TransferID, didEnd end: TransferEnd) {
    guard let course = underWay.removeValue(for: id.number) else { return }
    let flight = course.departure.flight.id
    admission.ended(at: course.url.origin)
    course.transfer = nil
    if course.aside != nil { if case .complete = end {} else { course.aside = nil } }
    lazy var subject = course.url.display
    if let error = course.abandonment { return self.end(flight, because: error) }
    switch (end, course.verdict) {
    case (_, .again): again(flight)
    case (_, .fail(let error, let patience)):
      fail(flight, error, retryAfter: patience)
    case (.failed(let failure), _):
      fail(flight, Self.error(failure, subject), retryAfter: nil)
    case (.complete, .notModified(let head)):
      courses[flight] = nil
      course.noteTraffic()
      engine.revalidated(course.departure, head)
      addedWork = true
    case (.complete, .redirect(let target)), (.stopped, .redirect(let target)):
      follow(flight, to: target)
    case (.complete, .take):
      if course.hasOverrun {
        courses[flight]?.resumption = nil
        engine.explain(course.departure.flight) { "the server sent more than was missing: the whole is asked for" }
        return again(flight)
      }
      if let error = course.shortfall { return fail(flight, error, retryAfter: nil) }
      courses[flight] = nil
      if let reception = course.reception {
        course.noteTraffic()
        add(.end(.complete), to: reception, course.departure)
      }
    case (.stopped, .take):
      // A disk thread refused the body, and the askers are being told; what may have set out anew meanwhile is another course.
      if courses[flight] === course { courses[flight] = nil }
    case (.complete, .none), (.stopped, .none), (.stopped, .notModified):
      fail(flight, FetchError(.connect, subject, "the answer had no head", isTransient: true), retryAfter: nil)
    }
  }

  func turnDidEnd(at now: Instant) -> Instant? {
    while let alarm = timers.popDue(at: now) { ring(alarm) }
    while let flight = admission.next(at: now) { start(flight, at: now) }
    if sharesCores != (underWay.count > 0) {
      sharesCores.toggle()
      engine.workers.shareCores(sharesCores)
    }
    if addedWork {
      addedWork = false
      engine.workers.wake()
    }
    return [timers.nextDeadline, admission.nextWake(after: now)].compactMap { $0 }.min()
  }
}
