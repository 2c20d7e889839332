/// A flight on its way over the network: where it has got to, and what has come of it. The ``Conductor``'s, on its thread.
///
/// A reference and not a value: each step of libcurl's looks at it, and a copy would retain all that it holds.
final class Course {
  let departure: Departure
  /// Under HTTP's own rules: an answer that is not what the asker gets, and is kept all the same.
  var aside: Aside?
  /// Where it has got to.
  var url: WebURL
  var hops: Int
  var attempts = 0
  /// Those at mirrors that were given up.
  private var attemptsElsewhere = 0
  /// Those of the attempts that were made at once and again because the first said how to ask: no failures.
  var repeats = 0
  var mirrors: ArraySlice<WebURL>
  var verdict: Verdict = .none
  var transfer: TransferID?
  var reception: Reception?
  var downloaded: Int64 = 0
  /// How much of the body is there, what was there before included.
  var received: Int64 = 0
  /// Where in the whole body the one of this transfer begins.
  var bodyStart: Int64 = 0
  /// What the body that comes, or came last, can be gone on with. Worked out when it is needed: nearly every body comes whole.
  var resumption: Resumption? {
    get {
      guard let head = beginning else { return known }
      beginning = nil
      known = Resumption(head)
      known?.add(Int(clamping: received))
      return known
    }
    set {
      beginning = nil
      known = newValue
    }
  }
  /// Whether there may be something to go on with.
  var mayGoOn: Bool { beginning != nil || known != nil }
  private var known: Resumption?
  /// The head of the answer whose body comes, until somebody asks what it can be gone on with.
  private var beginning: AnswerHead?
  /// Whether the request that is out asks for the rest only.
  var asksForRest = false
  var requestTime = WallTime(nanoseconds: 0)
  /// The status of the answer to the request that is out, or was last; nil: none came.
  var status: Int?
  /// When the request that is out began.
  var started = Instant(nanoseconds: 0)
  /// How often it was told that there are too many requests.
  var refusals = 0
  /// When the origin that said so, in answer to the request that was out last, is asked again.
  var patience: Instant?
  /// Whether an answer on the way came from a public address: from there it may lead to no other kind.
  var isFromPublic = false
  /// What kind of addresses answered on the way; nil: none has.
  private var address: Provenance.Address?
  /// The origins that redirected on the way.
  private var passed: [String] = []
  /// What the request that is out says of who asks; nil: nothing.
  var introduction: Introduction?
  /// Whether the request that is out answers a challenge.
  var asksByDigest = false
  /// Another process has the key: how its part is waited for.
  var busy: BusyPart?
  /// Whether that process gets on.
  var watch: HolderWatch?
  /// It is to end as soon as what came has been handed over, and this is why.
  var abandonment: FetchError?

  enum Verdict {
    case none
    case take
    case notModified(AnswerHead)
    case redirect(WebURL)
    case fail(FetchError, retryAfter: Instant.Span?)
    /// The same is asked once more, in another way.
    case again
  }

  init(_ departure: Departure) {
    self.departure = departure
    url = departure.url
    hops = departure.leg?.hops ?? 0
    isFromPublic = departure.leg?.isFromPublic ?? false
    mirrors = departure.leg?.mirrors ?? departure.flight.request.mirrors[...]
    downloaded = departure.costBefore.downloaded + (departure.leg?.downloaded ?? 0)
    aside = departure.aside
    if let earlier = departure.reception {
      reception = earlier
      known = earlier.resumption
    }
  }

  /// What it set out with and what has come beside the image, for whoever goes on from here.
  var handedOn: Departure {
    guard aside != nil || departure.aside != nil else { return departure }
    var handedOn = departure
    handedOn.aside = aside
    return handedOn
  }

  /// On to where a redirect leads.
  func follow(to target: WebURL) {
    if target.origin != url.origin {
      let origin = url.origin.description
      if !passed.contains(origin) { passed.append(origin) }
    }
    hops += 1
    url = target
  }

  /// An address answered.
  func note(_ kind: Provenance.Address) { address = address?.followed(by: kind) ?? kind }

  /// The way that an answer has come which comes now.
  var provenance: Provenance {
    // Where an answer came from is read off its URL later on, which only a URL that is shown as it was sent says surely.
    let origins = url.isShownAsSent ? passed : passed + [url.origin.description]
    return Provenance(address ?? .unknown, otherOrigins: origins)
  }

  private func forgetWay() {
    address = nil
    passed = []
  }

  /// Back to where it set out from, for another attempt.
  func turnBack() {
    url = departure.url
    hops = departure.leg?.hops ?? 0
    isFromPublic = departure.leg?.isFromPublic ?? false
    forgetWay()
    aside = nil
    status = nil
  }

  /// The way to another hop, with what it took until here.
  func turn(to target: WebURL, from leg: Leg) -> Turn {
    var turn = Turn(to: target, from: leg, mirrors: mirrors)
    turn.attempts = attemptsInAll
    turn.downloaded = downloaded
    turn.isFromPublic = isFromPublic
    return turn
  }

  /// On to a mirror. What came is of no use there: that two places have the same bytes is only hoped.
  func turn(to mirror: WebURL) {
    url = mirror
    hops = 0
    isFromPublic = false
    forgetWay()
    attemptsElsewhere += attempts
    attempts = 0
    repeats = 0
    refusals = 0
    resumption = nil
    self.mirror = mirror
  }

  /// The mirror that it asks. What comes from one is never gone on with by another run, which begins at the first URL.
  private var mirror: WebURL?
  /// Whether another run may go on with what comes; HTTP's own rules may forbid to keep any of it.
  private var isNotable = true

  enum Rest {
    /// The rest, exactly as it was asked for.
    case rest
    /// Of no use, and why.
    case again(String)
    /// An answer like any other.
    case other
  }

  /// What an answer means to a request for the rest. One that is of no use ends the attempt to go on.
  func judgeRest(_ head: AnswerHead) -> Rest {
    guard asksForRest, let range = resumption?.range else { return .other }
    switch range.decide(status: head.status, fields: head.fields, now: head.responseTime) {
    case .proceed:
      received = Int64(range.length)
      return .rest
    case .askAgain(let reason):
      resumption = nil
      return .again(reason)
    case .startOver, .refuse, .unrelated: return .other
    }
  }

  /// A body begins at its first byte.
  func begin(_ head: AnswerHead) {
    received = 0
    if known != nil { known = nil }
    beginning = departure.mayResume ? head : nil
    isNotable = mirror == nil && departure.leg?.mayNote(head) ?? true
  }

  /// More of the body has come.
  func take(_ count: Int) {
    received += Int64(count)
    known?.add(count)
  }

  /// Whether another run could perhaps go on with the body that begins.
  var mayBeNoted: Bool { isNotable && beginning != nil }

  /// That the rest of a body ended before the whole was there: a 206 may hold less than it was asked for.
  var shortfall: FetchError? {
    guard asksForRest, let total = resumption?.range.total, received < Int64(total) else { return nil }
    return FetchError(
      .truncated, url.display, "the answer ended after \(received) of \(total) bytes", isTransient: true)
  }

  /// Whether more came for the rest of a body than was missing: then nothing of it can be believed.
  var hasOverrun: Bool { asksForRest && resumption?.range.total.map { received > Int64($0) } == true }

  /// Which addresses may be connected to for the next request.
  var addressRule: AddressRule {
    if departure.flight.options.publicAddressesOnly { return .publicOnly }
    guard isFromPublic else { return .any }
    return .custom { address in
      AddressClass.isGloballyReachable(address)
        ? nil : "a public address redirects to \(address), which is not one; that is not followed"
    }
  }

  /// The URL, of those that the user gave, that the way began with.
  var start: WebURL { mirror ?? departure.flight.request.url }

  /// How many requests were sent, redirects not counted.
  var attemptsInAll: Int {
    attempts + attemptsElsewhere + departure.costBefore.attempts + (departure.leg?.attemptsBefore ?? 0)
  }

  /// Has the flight know what it has cost until now.
  func noteTraffic() {
    departure.flight.note(Traffic(downloaded: downloaded, attempts: attemptsInAll))
  }
}
