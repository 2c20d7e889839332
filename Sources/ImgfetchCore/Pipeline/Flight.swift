import Synchronization

/// One download for any number of waiters, on its way through the stages.
///
/// ``FlightTable`` knows its waiters, ``FlightMachine`` its next stage. The products of a stage are carried by its
/// event, and are not kept here.
///
/// Proof that it may be shared: only the thread that runs the flight's stage changes it. A stage passes the flight on
/// under a lock, or to the program that it asks, and does not use it afterwards. While the network stage has it, the
/// jobs of its body read leader and hop, which that stage does not change until a body is refused, after which no job
/// reads them.
final class Flight: @unchecked Sendable {
  /// The products of this pipeline's stages.
  enum Products: StageProducts {
    typealias Copy = StoredCopy
    typealias ClaimedPart = Claim
    typealias HeldPart = BusyPart
    typealias Head = AnswerHead
    typealias FinalAnswer = CompleteAnswer
  }

  typealias Machine = FlightMachine<Products>
  typealias Event = Machine.Event
  typealias Step = Machine.Step

  let id: UInt64
  private(set) var leader: Waiter
  /// True if the run has rules about hosts or addresses.
  let hasRules: Bool
  /// The time of the first look-up.
  let begun: Instant
  /// The time from which the limit for one image counts: the first request, the first wait for a name or for another
  /// process, or the arrival of an entry from the remote cache. Nil before: an image of a long list may wait for its
  /// turn for longer than any image takes.
  var limitStart: Instant?
  /// True if that time runs only because a name is looked up, before the first request.
  var isTimedForName = false
  /// The flight's turn among those that wait for the network; nil before its first request. Where a redirect leads is
  /// asked for in the same turn, not after all lines that have been read since.
  var turn: Int?

  var machine: Machine
  var hop: Hop
  /// The permission to claim a part on the cache's disk, held for as long as the flight lasts.
  var pass: ClaimGate.Pass?
  /// The cost of the flight on the network.
  var traffic: Traffic
  /// True if a URL or mirror that was given up may have the image later.
  var mayPass = false
  /// The failures of its URL and mirrors, once the network was asked for an image that has mirrors.
  var mirrorFailures: MirrorFailures?
  /// The first hop with a stored copy of its own that was given up for a mirror.
  private var givenUp: GivenUpHop?

  init(
    id: UInt64, for leader: Waiter, at hop: consuming Hop, begun: Instant, after traffic: Traffic = Traffic(),
    asksRemote: Bool = false
  ) {
    self.id = id
    self.leader = leader
    self.hop = hop
    self.begun = begun
    self.traffic = traffic
    self.traffic.lastAsked = nil
    self.traffic.redirects = 0
    let request = leader.request
    let options = request.shared.values
    hasRules = request.shared.hostRule != nil || options.publicAddressesOnly
    machine = Machine(
      looksUpEachHop: options.policy == .http, isDistrusting: request.shared.distrustsCaches, asksRemote: asksRemote)
  }

  /// The leader's request, whose URL and options count.
  ///
  /// Yielded and not copied: a copy retains a dozen members, and stages look at one or two.
  var request: FetchRequest { _read { yield leader.request } }
  var shared: SharedOptions { _read { yield leader.request.shared } }
  var key: CacheKey { _read { yield leader.key } }
  var options: FetchOptions { _read { yield leader.request.shared.values } }
  var purpose: RequestPurpose { _read { yield leader.request.shared.purpose } }

  /// True if a mirror is asked, not the request's own URL.
  var isAtMirror: Bool { hop.mirrors.count < leader.request.mirrors.count }

  /// The failures of its URL and mirrors until its hop is asked, or nil if there are no mirrors. Under HTTP's own rules
  /// each of them has a copy of its own.
  var mirrorFailuresBefore: MirrorFailures? {
    let mirrors = leader.request.mirrors
    if mirrors.isEmpty || hop.rules.http != nil { return nil }
    var before = mirrorFailures ?? MirrorFailures(source: sourceOfCopy)
    before.moveOn(to: hop.givenURL)
    return before
  }

  /// The URL or mirror that the stored copy came from. Nil if a redirect led to it, or if there is none.
  private var sourceOfCopy: WebURL? {
    guard let address = hop.copy?.metadata.finalURL else { return nil }
    return ([request.url] + leader.request.mirrors).first { $0.displayWithScheme.hasBytes(of: address) }
  }

  /// The reason why the host of `url` may not be asked, or nil if it may.
  func objection(to url: WebURL) -> String? { shared.hostRule?.objection(to: url.origin) }

  /// The key without the filter. A failure concerns the requested URL, not all URLs that share an entry.
  var urlKey: CacheKey { options.keyFilter.isNone ? key : CacheKey(url: request.url.canonical, salt: key.salt) }

  /// Ignores stored answers from now on.
  func distrustCaches() { leader = leader.distrusting }

  /// Moves on to another hop, and releases the state of the one before.
  func move(to hop: consuming Hop) { self.hop = hop }

  /// Moves on to another hop, and keeps the present one in reserve if it has a stale copy that its failure allows.
  ///
  /// - Parameter error: the failure of the present hop, or nil if it has redirected.
  func move(to hop: consuming Hop, because error: FetchError?) {
    var other = hop
    swap(&self.hop, &other)
    guard let error, error.isOfTheOrigin, other.fallback != .none, givenUp == nil else { return }
    givenUp = GivenUpHop(hop: other, error: error)
  }

  /// Moves back to the hop in reserve, because the present one has failed without a copy that may stand in. Returns the
  /// failure of that hop, or nil if there is none.
  func moveBack(after error: FetchError) -> FetchError? {
    if error.kind == .cancelled || (error.isOfTheOrigin && hop.fallback != .none) { return nil }
    guard let reserve = givenUp.take() else { return nil }
    let reason = reserve.error
    hop = reserve.hop
    return reason
  }
}

extension FetchEvent {
  /// The number of the event's flight, or nil if the event has none.
  var flight: UInt64? {
    switch self {
    case .started(let flight, _, _), .responded(let flight, _, _, _), .progressed(let flight, _, _, _),
      .redirected(let flight, _), .retrying(let flight, _, _), .ended(let flight):
      flight
    case .explained, .headers: nil
    }
  }
}

extension DownloadStart {
  init(_ flight: Flight, _ claim: Claim, _ retry: RetryRule, until deadline: Instant?) {
    self.init(flight.hop.givenURL, flight.shared, at: flight.hop.url, mirrors: flight.hop.mirrors)
    isOfMirror = flight.isAtMirror
    hops = flight.hop.hops
    isFromPublic = flight.hop.isFromPublic
    mayPass = flight.hop.mayPass
    mirrorFailures = flight.mirrorFailuresBefore
    caching = flight.hop.rules.onNetwork(flight.hop.fallback)
    asksConditionally = flight.hop.condition != nil
    if asksConditionally, let copy = flight.hop.copy {
      validated = ValidatedResource(
        finalURL: copy.metadata.finalURL, key: flight.key.url, filter: flight.options.keyFilter)
    }
    resumption = claim.beginning?.resumption
    costBefore = flight.traffic
    // The first request behind a redirect belongs to the attempt that led there.
    if flight.hop.hops > 0, !flight.hop.isAskedAgain { costBefore.attempts = max(0, costBefore.attempts - 1) }
    self.retry = retry
    self.deadline = deadline
  }
}
