/// Decides the next step of a flight on the network, from the events that it is told.
///
/// It knows no thread, lock, file or socket, and only the times that it is given. Its owner, the network's thread,
/// tells it of each event by a method and carries out the ``Step`` that it returns. In each state only some events make
/// sense; the others change nothing, since threads may report late.
struct DownloadMachine {
  enum State {
    /// The flight waits for its turn at the origin of ``trail``'s URL, for a first request, the
    /// next hop or another attempt.
    case queued
    /// A request is out, and has no answer yet.
    case asking
    /// The answer's head has decided. Its body is set aside or discarded until it ends.
    case draining(Conclusion)
    /// The answer's body comes.
    case receiving
    /// The body is broken off for this reason. The bytes that have come are handed over first.
    case stopping(FetchError)
    /// The body turned out to be useless, and another thread tells the waiters. The transfer's end is awaited.
    case refused
    /// The flight has not begun, or the network is done with it.
    case over
  }

  /// The consequence of an answer's head once the answer has ended.
  enum Conclusion {
    /// The same request is sent once more, in another form.
    case again
    case notModified(AnswerHead)
    case redirect(WebURL)
    case fail(FetchError, retryAfter: Instant.Span?)
  }

  /// The next thing that the owner does.
  enum Step {
    case nothing
    /// Get in line at the origin.
    case enqueue(notBefore: Instant?)
    /// The caches are asked about the place that a redirect or a mirror led to.
    case lookUp(NextHop)
    /// The stored copy is still right.
    case confirm(AnswerHead)
    /// All of the body has come.
    case finishBody
    /// There is no answer.
    case fail(FetchError)
  }

  /// A notice to observers of the flight.
  enum Notice {
    case redirected(to: WebURL)
    case retrying(reason: String, pause: Instant.Span)
    case explained(String)
  }

  let start: DownloadStart
  private(set) var state = State.over
  var trail: RedirectTrail
  var body: BodyProgress
  /// The mirrors that have not been asked.
  private(set) var mirrors: ArraySlice<WebURL>
  /// The URL that the user gave, the request's own or a mirror, at which the trail began.
  private(set) var givenURL: WebURL
  /// True if the trail began at a mirror.
  private var isAtMirror = false
  /// True if a URL or mirror that was given up may have the image later.
  private(set) var mayPass: Bool
  /// The failures of the request's URL and its mirrors, or nil if there are no mirrors.
  private(set) var mirrorFailures: MirrorFailures?
  var attempts = AttemptCount()
  /// The end of the flight's time, or nil if it has no limit or its time does not run yet.
  var deadline: Instant?
  /// Bytes of bodies that came over the network.
  var downloaded: Int64
  /// The start of the current or last request.
  private(set) var requestStart = Instant(nanoseconds: 0)
  private(set) var requestTime = WallTime(nanoseconds: 0)
  /// True if the current or last request asks about the stored copy.
  private(set) var isConditional = false
  /// The status of the answer to the current or last request, or nil if none came.
  private(set) var status: Int?
  /// The time at which an origin that has answered "too many requests" is asked again.
  private var notBefore: Instant?
  private(set) var notices: [Notice] = []

  init(_ start: consuming DownloadStart) {
    trail = start.trail
    mirrors = start.mirrors
    givenURL = start.givenURL
    mayPass = start.mayPass
    mirrorFailures = start.mirrorFailures
    body = BodyProgress(start.resumption)
    downloaded = start.costBefore.downloaded
    deadline = start.deadline
    self.start = start
  }

  /// The cost of the flight so far.
  var traffic: Traffic { Traffic(downloaded: downloaded, attempts: attempts.inAll + start.costBefore.attempts) }

  /// True if a retry that is refused would be followed by another one.
  var hasSpareRetry: Bool { attempts.hasSpare(under: start.retry) }

  /// The notices since the last call.
  mutating func takeNotices() -> [Notice] { exchange(&notices, with: []) }
}

// MARK: - Setting out

extension DownloadMachine {
  mutating func begin() -> Step { enqueue(random: 0, at: requestStart) }

  /// True while the body of the image comes.
  var isReceiving: Bool { if case .receiving = state { true } else { false } }
  /// True while the machine waits for the end of an answer whose head has decided.
  var isDraining: Bool { if case .draining = state { true } else { false } }
  /// True if received bytes of the body are passed on.
  var takesBody: Bool {
    switch state {
    case .receiving, .stopping: true
    default: false
    }
  }

  /// Notes that the flight has its turn and a request goes out. Returns the fields that ask for the rest of an
  /// incomplete body, or nil if the whole is asked for.
  mutating func send(at now: Instant, _ time: WallTime) -> HeaderFields? {
    if trail.hops == start.hops { attempts.made += 1 }
    state = .asking
    status = nil
    requestStart = now
    requestTime = time
    isConditional = start.asksConditionally && start.validated?.isAt(trail.url) != false
    notBefore = nil
    return body.ask(trail.url)
  }

  private mutating func enqueue(notBefore: Instant? = nil, random: Double, at now: Instant) -> Step {
    if let reason = start.shared.hostRule?.objection(to: trail.url.origin) {
      return fail(FetchError(.refused, trail.url.display, reason), retryAfter: nil, random: random, at: now)
    }
    state = .queued
    return .enqueue(notBefore: notBefore)
  }
}

// MARK: - Answers

extension DownloadMachine {
  /// The use of an answer's body.
  struct Reply {
    enum Body {
      /// The body is the image, if it turns out to be one. `isNotable` is true if another run could resume it.
      case begin(isNotable: Bool)
      /// The body is the rest of an incomplete one.
      case resume
      /// The body is not the requested image, but is kept all the same.
      case keepAside
      case discard
    }
    var body = Body.discard
    /// The length of the whole body.
    var total: Int64?
    var already: Int64 = 0
    /// The origin's statement that there are too many requests, and the pause that it asks for.
    var busy: Busy?
    /// True if the answer is not judged at all, because another request follows at once.
    var isRepeated = false
  }

  struct Busy { let retryAfter: Instant.Span? }

  /// Takes the answer to the current request.
  ///
  /// - Parameters:
  ///   - isPublic: true if it came from a public address.
  ///   - wantsDigest: true if it asks for the login in another form.
  mutating func answer(_ head: AnswerHead, isPublic: Bool, wantsDigest: Bool) -> Reply {
    var reply = Reply()
    guard case .asking = state else { return reply }
    status = head.status
    if wantsDigest { return again() }
    let isRest: Bool
    switch body.judge(head, isConditional: isConditional) {
    case .again(let reason):
      notices.append(.explained("\(reason): the whole is asked for"))
      return again()
    case .rest: isRest = true
    case .other: isRest = false
    }
    reply.already = isRest ? body.received : 0
    reply.total = head.contentLength.map { $0 > .max - reply.already ? .max : $0 + reply.already }
    switch decide(head, total: reply.total, isRest: isRest) {
    case .take:
      state = .receiving
      reply.body = isRest ? .resume : .begin(isNotable: begin(head))
      return reply
    case .notModified: state = .draining(.notModified(head))
    case .redirect(let target):
      state = .draining(.redirect(target))
      trail.noteRedirect(head.fields, isPublic: isPublic)
    case .fail(let error):
      let patience = RetryAfter.stated(in: head.fields, now: head.responseTime)
      state = .draining(.fail(error, retryAfter: patience))
      if RetryRule.busyStatuses.contains(head.status) {
        attempts.refusals += 1
        reply.busy = Busy(retryAfter: patience)
      }
    }
    if case .draining(let conclusion) = state, start.caching.keepsAside(conclusion) { reply.body = .keepAside }
    return reply
  }

  private mutating func again() -> Reply {
    state = .draining(.again)
    return Reply(isRepeated: true)
  }

  private mutating func decide(_ head: AnswerHead, total: Int64?, isRest: Bool) -> AnswerRule.Decision {
    if let refusal = start.caching.prefersStale(to: head.status, of: trail.url) { return .fail(refusal) }
    return AnswerRule.decide(
      status: head.status, fields: head.fields, contentLength: total, url: trail.url, hops: trail.hops,
      isConditional: isConditional, isRanged: isRest || start.shared.asksForPart,
      options: start.shared)
  }

  /// Begins a body at its first byte. Returns true if another run could resume it.
  private mutating func begin(_ head: AnswerHead) -> Bool {
    // A mirror's body is never resumed by another run, which begins at the first URL; and the stored bytes of a
    // compressed body are not its beginning.
    body.begin(
      start.shared.mayResume && !head.isCompressed ? head : nil,
      isNotable: !isAtMirror && !start.isOfMirror && start.caching.mayNote(head))
    return body.mayBeNoted
  }

  /// Delays the next attempt until `moment` at least, because the origin has too many requests.
  mutating func hold(until moment: Instant) { notBefore = moment }

  /// Adds the server's own code for the failure.
  mutating func nameFailure(_ code: String) {
    guard case .draining(.fail(let error, let patience)) = state else { return }
    state = .draining(.fail(error.named(code), retryAfter: patience))
  }

  /// Notes that the first bytes of the body show that it is no image.
  mutating func refuseFirstBytes(_ error: FetchError) {
    if isReceiving { state = .draining(.fail(error, retryAfter: nil)) }
  }
}

// MARK: - Ends

extension DownloadMachine {
  enum End {
    case complete
    /// This side broke the transfer off.
    case stopped
    case failed(FetchError)
  }

  /// Notes the end of the transfer.
  ///
  /// - Parameter random: evaluated if another request follows. A random number is a system call, which most
  ///   downloads can do without.
  mutating func end(_ end: End, random: @autoclosure () -> Double, at now: Instant) -> Step {
    switch (end, state) {
    case (_, .stopping(let error)): return over(.fail(error))
    case (_, .draining(.again)): return repeatRequest(random(), now)
    case (_, .draining(.fail(let error, let patience))):
      return fail(error, retryAfter: patience, random: random(), at: now)
    case (_, .refused), (_, .over), (_, .queued): return .nothing
    case (.failed(let error), _): return fail(error, retryAfter: nil, random: random(), at: now)
    case (.complete, .draining(.notModified(let head))): return over(.confirm(head))
    case (_, .draining(.redirect(let target))): return follow(target, random(), now)
    case (.complete, .receiving):
      if body.hasOverrun {
        body.resumption = nil
        notices.append(.explained("the server sent more than was missing: the whole is asked for"))
        return repeatRequest(random(), now)
      }
      if let missing = body.shortfall(of: trail.url) {
        return fail(missing, retryAfter: nil, random: random(), at: now)
      }
      return over(.finishBody)
    case (.stopped, .receiving), (_, .asking), (.stopped, .draining(.notModified)):
      // A transport that keeps its contract reports none of these. But a flight without an end would be awaited for
      // ever.
      let error = FetchError(.connect, trail.url.display, "the answer was broken off", isTransient: true)
      return fail(error, retryAfter: nil, random: random(), at: now)
    }
  }

  private mutating func over(_ step: Step) -> Step {
    state = .over
    return step
  }

  /// Sends the same request once more, in the form that the answer asks for. That is not a failure.
  private mutating func repeatRequest(_ random: Double, _ now: Instant) -> Step {
    attempts.repeats += 1
    return enqueue(random: random, at: now)
  }

  private mutating func follow(_ target: WebURL, _ random: Double, _ now: Instant) -> Step {
    notices.append(.redirected(to: target))
    if start.caching.looksUpEachHop {
      var next = NextHop(
        target, from: givenURL, hops: start.hops + 1, mirrors: mirrors, isFromPublic: trail.isFromPublic)
      next.mayPass = mayPass
      return over(.lookUp(next))
    }
    trail.follow(to: target)
    return enqueue(random: random, at: now)
  }

  /// Ends a failed attempt: another one follows, or a mirror is asked, or the flight fails.
  private mutating func fail(
    _ error: FetchError, retryAfter: Instant.Span?, random: Double, at now: Instant
  ) -> Step {
    let decision = attempts.decide(
      under: start.retry, isTransient: error.isTransient, retryAfter: retryAfter, random: random)
    // The origin's pace may ask for a longer pause than the retry, and never for a shorter one.
    let moment = max(notBefore ?? now, now + decision.pause)
    // No attempt is made that would come too late. The known failure says more than a time-out would.
    if decision != .giveUp, deadline.map({ moment < $0 }) ?? true {
      notices.append(.retrying(reason: error.reason, pause: moment - now))
      trail = isAtMirror ? RedirectTrail(url: givenURL, hops: 0, isFromPublic: false) : start.trail
      status = nil
      return enqueue(notBefore: moment, random: random, at: now)
    }
    return moveOn(because: retryAfter.map(error.asking(forPause:)) ?? error, random, now)
  }

  /// Moves on to the next mirror, or ends the flight if there is none.
  private mutating func moveOn(because error: FetchError, _ random: Double, _ now: Instant) -> Step {
    mirrorFailures?.note(error)
    guard let next = mirrors.popFirst() else { return over(.fail(mayPass ? error.transient : error)) }
    mayPass = mayPass || error.isTransient
    if start.caching.looksUpEachHop {
      var mirror = NextHop(mirror: next, rest: mirrors)
      mirror.mayPass = mayPass
      mirror.because = error
      return over(.lookUp(mirror))
    }
    // The received bytes are useless there: a mirror need not have the same bytes.
    trail = RedirectTrail(url: next, hops: 0, isFromPublic: false)
    attempts.moveOn()
    body.resumption = nil
    givenURL = next
    mirrorFailures?.moveOn(to: next)
    isAtMirror = true
    return enqueue(random: random, at: now)
  }
}

// MARK: - Origins that do not answer

extension DownloadMachine {
  /// True if the flight can ask a mirror instead of waiting for an origin that is down.
  var hasMirrors: Bool { !mirrors.isEmpty }

  /// Leaves an origin that does not answer, instead of waiting for it.
  mutating func leaveOrigin(because error: FetchError, random: Double, at now: Instant) -> Step {
    guard case .queued = state else { return .nothing }
    // The redirect that led here has a status. A server that gives no answer has none.
    if error.kind != .refused { status = nil }
    return moveOn(because: error, random, now)
  }

  /// Notes that the name of its host could not be looked up: an attempt that did not get as far as a request.
  mutating func nameFailed(_ error: FetchError, random: Double, at now: Instant) -> Step {
    guard case .queued = state else { return .nothing }
    if trail.hops == start.hops { attempts.made += 1 }
    status = nil
    return fail(error, retryAfter: nil, random: random, at: now)
  }
}

// MARK: - Breaking off

extension DownloadMachine {
  /// The owner's way to break the flight off.
  enum Break {
    case nothing
    /// Stop the transfer. Its end follows when the received part of the body is handed over.
    case stopTransfer
    /// The transfer is dropped at once.
    case dropTransfer
    case leaveLine
  }

  /// Ends the flight because its waiters have left, its time is over, or the run ends. It is over now, unless the
  /// transfer is to be stopped first.
  mutating func cancel(because error: FetchError) -> Break {
    switch state {
    case .receiving:
      state = .stopping(error)
      return .stopTransfer
    case .asking, .draining:
      state = .over
      return .dropTransfer
    case .queued:
      state = .over
      return .leaveLine
    case .stopping, .refused, .over: return .nothing
    }
  }

  /// Ends the download because the body is useless. The thread that has found that tells the waiters.
  mutating func refuse() -> Break {
    switch state {
    case .receiving, .asking, .draining:
      state = .refused
      return .stopTransfer
    case .queued:
      // The download has failed by itself meanwhile, and would begin again for nothing.
      state = .over
      return .leaveLine
    case .stopping:
      // The flight belongs to another thread by then, so the transfer's end must not end it once more.
      state = .refused
      return .nothing
    case .refused, .over: return .nothing
    }
  }
}
