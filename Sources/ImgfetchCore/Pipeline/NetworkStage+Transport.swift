// What the transport says.
extension NetworkStage: TransportClient {
  func transfer(_ id: TransferID, didReceiveHead head: ResponseHead) -> HeadDecision {
    guard let flight = transfers[id.number] else { return .stop }
    let url = flight.machine.way.url
    // Of a proxy's address it cannot be told where the bytes come from.
    let isProxied = engine.configuration.network.hasProxy(isSecure: url.isSecure)
    flight.machine.way.note(Provenance.Address(of: isProxied ? nil : head.remoteAddress))
    let answer = AnswerHead(
      url: url, status: head.status, fields: head.fields, contentLength: head.contentLength,
      requestTime: flight.machine.requestTime, responseTime: clock.wallTime(),
      provenance: flight.machine.way.provenance)
    admission.answered(url.origin, overHTTP2: head.httpVersion == .http2)
    if !RetryRule.busyStatuses.contains(head.status) {
      admission.served(by: url.origin, startedAt: flight.machine.requestStart)
    }
    if flight.introduction != nil { engine.takeCookies(head.fields, from: url) }
    let reply = flight.machine.answer(
      answer, isPublic: head.remoteAddress.map(AddressClass.isGloballyReachable) == true,
      wantsDigest: asksForDigest(head, flight))
    tell(flight)
    if !reply.isRepeated {
      engine.emitHeaders(of: url) { HeaderTrace.lines(of: head) }
      engine.emit {
        .responded(flight: flight.id, status: head.status, total: reply.total, already: reply.already)
      }
    }
    if let busy = reply.busy { slowDown(busy, flight) }
    switch reply.body {
    case .discard: return .discard
    case .keepAside:
      flight.aside = Aside(answer)
      return .receiveShort
    case .begin(let isNotable): begin(.begin(answer, isNotable: isNotable), reply, flight)
    case .resume: begin(.resume(answer), reply, flight)
    }
    return .receive
  }

  private func begin(_ item: consuming Reception.Item, _ reply: FlightMachine.Reply, _ flight: ActiveFlight) {
    let reception = flight.reception ?? Reception(part: flight.departure.part)
    flight.reception = reception
    add(item, to: reception, flight.departure)
    if flight.machine.body.mayBeNoted, (reply.total ?? .max) > Int64(BodyTaker.memoryLimit) {
      timers.add(.note(flight.id), at: clock.now() + Self.notablePause)
    }
  }

  /// The origin has too many requests. For how long is obeyed by all its flights if it says so; else it is asked more slowly.
  private func slowDown(_ busy: FlightMachine.Busy, _ flight: ActiveFlight) {
    let (origin, now) = (flight.machine.way.url.origin, clock.now())
    if let patience = busy.retryAfter {
      if patience <= RetryRule.longestObeyed { admission.slow(origin, until: now + patience) }
    } else if let moment = admission.refused(
      by: origin, startedAt: flight.machine.requestStart, at: now, random: engine.random())
    {
      flight.machine.hold(until: moment)
    }
  }

  func transfer(_ id: TransferID, peek bytes: borrowing Span<UInt8>) -> Bool {
    guard let flight = transfers[id.number] else { return false }
    let options = flight.departure.flight.options
    // The rest of a body says nothing by itself; its beginning has been looked at.
    guard options.verification > .none, flight.machine.isReceiving, flight.machine.body.received == 0 else {
      return true
    }
    var inspector = Inspector(limits: InspectionLimits(maxPixels: options.maximumPixels))
    do {
      try inspector.feed(bytes)
      return true
    } catch {
      flight.machine.refuseFirstBytes(error.fetchError(of: flight.machine.way.url.display))
      return false
    }
  }

  func transfer(_ id: TransferID, didReceive bytes: [UInt8], isLast: Bool) {
    guard let flight = transfers[id.number] else { return }
    flight.machine.downloaded += Int64(bytes.count)
    if flight.aside != nil { flight.aside?.body += bytes }
    guard flight.machine.takesBody, let reception = flight.reception else { return }
    flight.machine.body.take(bytes.count)
    // The end follows at once, and asks for a thread that takes both: unless it turns out that the rest of a body is not what it was
    // to be, and another attempt follows.
    let isEnd = isLast && !flight.machine.body.asksForRest
    add(isEnd ? .lastBytes(bytes) : .bytes(bytes), to: reception, flight.departure)
  }

  func transfer(_ id: TransferID, hasReceived count: Int64) {
    guard engine.isWatched, let flight = transfers[id.number], flight.machine.isReceiving else { return }
    engine.emit { .progressed(flight: flight.id, received: flight.machine.body.transferStart + count) }
  }

  func transfer(_ id: TransferID, didEnd end: TransferEnd) {
    guard let flight = ended(id) else { return }
    let ended: FlightMachine.End =
      switch end {
      case .complete: .complete
      case .stopped: .stopped
      case .failed(let failure): .failed(FetchError(failure, flight.machine.way.url.display))
      }
    if flight.aside != nil { if case .complete = ended {} else { flight.aside = nil } }
    take(flight.machine.end(ended, random: engine.random(), at: clock.now()), for: flight)
  }

  func turnDidEnd(at now: Instant) -> Instant? {
    while let alarm = timers.popDue(at: now) { ring(alarm) }
    while let flight = admission.next(at: now) { start(flight, at: now) }
    if sharesCores == transfers.isEmpty {
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
    self.init(kind, subject, failure.reason, isTransient: failure.isTransient, remedy: remedy)
  }
}
