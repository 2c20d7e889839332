import Synchronization

/// One download for any number of waiters, on its way through the stages.
///
/// ``FlightTable`` knows its waiters, ``FlightMachine`` its next stage. The rest is handed on from stage to stage.
// Proof that it may be shared: what changes has one owner at a time, the thread that runs the flight's stage. A stage
// hands the flight on through the workers' queue or the loop's mailbox, whose locks order the two, and does not touch
// it afterwards. While the network stage has it, the body stage's job reads only what does not change before the
// network stage hands it on.
final class Flight: @unchecked Sendable {
  let id: UInt64
  private(set) var leader: Waiter
  /// True if some hosts or addresses must not be asked.
  let hasRules: Bool
  /// The time of the first look-up.
  let begun: Instant

  var machine: FlightMachine
  var hop: Hop
  /// The condition for the origin, which names the stored copy, or nil to ask without a condition.
  var validators: Validators?
  /// The place for the answer.
  var claim = Claim()
  /// Held while it may claim such a place.
  var pass: ClaimGate.Pass?
  /// The copy that another process has stored meanwhile.
  var storedElsewhere: StoredCopy?
  /// The 304 that confirms the stored copy.
  var confirmation: AnswerHead?
  /// A whole answer that is not the image, and is kept all the same.
  var sideAnswer: SideAnswer?
  /// The answer for the waiters.
  var answer: Answer?
  /// True if the entry on disk has just come from the remote cache.
  var isFromRemote = false
  /// True if the remote cache said that it has no entry.
  var isMissingInRemote = false
  /// The reason, found in the redirects on the way, why the answer may not go into the remote
  /// cache. Nil means that it may.
  var sharingObstacle: String?
  /// The cost of the flight on the network.
  var traffic: Traffic
  /// The URL of the last request that was sent, or nil if none was.
  var lastAsked: WebURL?
  /// The mirrors that have not been asked, as the network stage has left them.
  var mirrors: ArraySlice<WebURL> = []
  /// Header fields that the program has added for the origin.
  var addedFields: [(name: String, value: String)] = []
  /// True if the hop was asked before. Its first request belongs to the attempt that led there.
  var isAskedAgain = false

  init(
    id: UInt64, for leader: Waiter, at hop: consuming Hop, begun: Instant, after traffic: Traffic = Traffic(),
    asksRemote: Bool = false
  ) {
    self.id = id
    self.leader = leader
    self.hop = hop
    self.begun = begun
    self.traffic = traffic
    let request = leader.request
    let options = request.shared.values
    hasRules = request.shared.hostRule != nil || options.publicAddressesOnly
    machine = FlightMachine(
      looksUpEachHop: options.policy == .http, isDistrusting: options.distrustsCache, asksRemote: asksRemote)
  }

  /// The leader's request, whose URL and options count.
  ///
  /// Yielded and not copied: a copy retains a dozen members, and stages look at one or two.
  var request: FetchRequest { _read { yield leader.request } }
  var shared: SharedOptions { _read { yield leader.request.shared } }
  var key: CacheKey { _read { yield leader.key } }
  var options: FetchOptions { _read { yield leader.request.shared.values } }

  /// True if a mirror is asked, and not the request's own URL.
  var isAtMirror: Bool { hop.mirrors.count < leader.request.mirrors.count }

  /// The reason why the host of `url` may not be asked, or nil if it may.
  func objection(to url: WebURL) -> String? { shared.hostRule?.objection(to: url.origin) }

  /// The key without the filter: what failed is the URL that was asked for, and not all those that share an entry.
  var urlKey: CacheKey {
    options.keyFilter.isNone ? key : CacheKey(url: request.url.canonical, salt: key.salt)
  }

  /// The entry that the origin is asked about. Under HTTP's own rules there is none, because the answer may
  /// belong to another entry.
  var questioned: CachedEntry? { validators == nil || hop.rules.http != nil ? nil : hop.copy?.entry }

  /// Ignores stored answers from now on.
  func distrustCaches() { leader = leader.distrusting }

  /// Moves on to another hop, and releases the state of the one before.
  func move(to hop: consuming Hop) {
    self.hop = hop
    validators = nil
    claim = Claim()
    sideAnswer = nil
    isAskedAgain = false
  }
}

/// The place where a flight's answer will be kept.
struct Claim: Sendable {
  /// The part that receives the body, or nil if it does not go to the cache's disk.
  var part: Part?
  /// Held while the origin is asked about the stored entry, in place of a part.
  var lock: EntryLock?
  /// The bytes that an earlier run left in the part, ready for their rest.
  var beginning: BodyQueue?
  /// Warnings about the cache, for the answer.
  var warnings: [CacheWarning] = []
}

/// A whole answer with a small body that is not the image: a redirect or a refusal. HTTP's rules keep those, too.
/// Servers put a sentence or a page into one. The transport breaks off a longer body
/// (``HeadDecision/receiveShort``), and nothing is kept.
struct SideAnswer: Sendable {
  let head: AnswerHead
  var body: [UInt8] = []

  init(_ head: AnswerHead) { self.head = head }
}

/// One request that waits for an answer, and where to deliver that.
///
/// A reference, because it goes into the table of flights and comes out again. Copies of all that a request holds would
/// be a good part of what an image costs.
final class Waiter: Sendable {
  /// The number by which the caller cancels the waiter, or 0 if it has not waited yet.
  let id: Atomic<UInt64>
  /// True once it was cancelled.
  let hasLeft = Atomic<Bool>(false)
  let request: FetchRequest
  let key: CacheKey
  let begun: Instant
  /// Called once, on a disk thread.
  let deliver: @Sendable (FetchResult) -> Void

  /// The time at which it stops waiting, or nil for as long as it takes.
  var deadline: Instant? { request.timeLimit.map { begun + max(.milliseconds(1), Instant.Span($0)) } }

  init(
    id: UInt64 = 0, request: FetchRequest, key: CacheKey, begun: Instant,
    deliver: @escaping @Sendable (FetchResult) -> Void
  ) {
    self.id = Atomic(id)
    self.request = request
    self.key = key
    self.begun = begun
    self.deliver = deliver
  }

  /// The same, to be answered by the origin whatever is stored.
  var distrusting: Waiter {
    var request = request
    request.options.distrustsCache = true
    return Waiter(id: id.load(ordering: .relaxed), request: request, key: key, begun: begun, deliver: deliver)
  }

  /// A result with the facts that are known before an answer.
  var blankResult: FetchResult { FetchResult(tag: request.tag, url: request.url.display, key: key.url) }

  /// The time from the request to that moment.
  func milliseconds(until moment: Instant) -> Double { Double((moment - begun).nanoseconds) / 1e6 }
}

/// Reports the events of flights to listeners. Sentences are made only if there is a listener.
struct FlightLog: Sendable {
  let hooks: FetchHooks
  /// Requests that listen to what concerns them.
  let observers: FlightObservers

  /// True if there is a listener.
  var isWatched: Bool { hooks.events != nil || observers.areThere }

  func emit(_ event: () -> FetchEvent) {
    guard isWatched else { return }
    let event = event()
    hooks.events?(event)
    if observers.areThere, let flight = event.flight { observers.tell(event, of: flight) }
  }

  /// Reports the end of a flight, which the table has forgotten, to its waiters.
  func ended(_ flight: UInt64, _ waiters: FlightTable<Waiter>.Waiters) {
    guard isWatched else { return }
    hooks.events?(.ended(flight: flight))
    for waiter in waiters { waiter.request.onEvent?(.ended(flight: flight)) }
  }

  /// Reports header fields, if a listener wants them.
  func emitHeaders(of url: WebURL, _ lines: () -> [String]) {
    if hooks.tellsHeaders { hooks.events?(.headers(url: url.display, lines: lines())) }
  }

  /// Explains a decision about a flight.
  func explain(_ flight: Flight, _ sentence: () -> String) {
    guard isWatched else { return }
    let event = FetchEvent.explained(url: flight.request.url.display, sentence())
    hooks.events?(event)
    if observers.areThere { observers.tell(event, of: flight.id) }
  }
}

/// The requests that listen to their flights (``FetchRequest/onEvent``).
final class FlightObservers: Sendable {
  private let table: Guarded<FlightTable<Waiter>>
  /// True if there ever was an observer. Beside the lock, because each event of each flight asks.
  private let isUsed = Atomic<Bool>(false)

  init(_ table: Guarded<FlightTable<Waiter>>) { self.table = table }

  var areThere: Bool { isUsed.load(ordering: .relaxed) }

  /// Notes that a request that listens or watches is about to join a flight.
  func begin() { isUsed.store(true, ordering: .relaxed) }

  /// The watchers of a flight's body.
  func watchers(of flight: UInt64) -> [any BodyWatcher] {
    guard areThere else { return [] }
    return table.withLock { $0.waiters(of: flight) }.compactMap { $0.request.isWatched ? $0.request.watcher : nil }
  }

  func tell(_ event: FetchEvent, of flight: UInt64) {
    let waiters = table.withLock { $0.waiters(of: flight) }
    for waiter in waiters { waiter.request.onEvent?(event) }
  }
}

extension FetchEvent {
  /// The flight that it is about, or nil if the event does not say.
  fileprivate var flight: UInt64? {
    switch self {
    case .started(let flight, _, _), .responded(let flight, _, _, _), .progressed(let flight, _, _, _),
      .redirected(let flight, _), .retrying(let flight, _, _), .ended(let flight):
      flight
    case .explained, .headers, .warned: nil
    }
  }
}

/// Requests and answers as lines for a person, without what must not appear on a screen or in a log.
enum HeaderTrace {
  private static let mask = "***"

  /// The fields that are no secret. Any other field of a request may be a token.
  private static let harmless: Set<String> = [
    "accept", "accept-language", "cache-control", "if-match", "if-modified-since", "if-none-match", "if-range",
    "if-unmodified-since", "pragma", "range", "referer", "user-agent",
  ]

  /// The secret fields of an answer. No others are known.
  private static let secret: Set<String> = ["set-cookie", "set-cookie2", "authentication-info"]

  static func lines(of request: TransferRequest, to url: WebURL) -> [String] {
    var lines = ["> \(request.method ?? (request.upload == nil ? "GET" : "PUT")) \(url.display)"]
    if request.credentials != nil { lines.append("> Authorization: \(mask)") }
    for field in request.fields {
      let isShown = harmless.contains(field.name.lowercased())
      lines.append("> \(field.name): \(isShown ? shown(field.value, of: field.name) : mask)")
    }
    for field in request.exactFields { lines.append("> \(field.name): \(field.value)") }
    return lines
  }

  static func lines(of head: ResponseHead) -> [String] {
    let version =
      switch head.httpVersion {
      case .http1_0: "HTTP/1.0"
      case .http1_1: "HTTP/1.1"
      case .http2: "HTTP/2"
      }
    var lines = ["< \(version) \(AnswerRule.phrase(head.status))"]
    for field in head.fields {
      let isShown = !secret.contains(field.name.lowercased())
      lines.append("< \(field.name): \(isShown ? shown(field.value, of: field.name) : mask)")
    }
    return lines
  }

  /// Fields whose value is a URL, which may hold a password.
  private static let links: Set<String> = ["content-location", "location", "referer"]

  private static func shown(_ value: String, of name: String) -> String {
    links.contains(name.lowercased()) ? WebURL.masked(value) : value
  }
}

/// A flight in the network stage: what happens to it next, and what belongs to it there.
///
/// Belongs to the network's thread. A reference, because each step of libcurl's looks at it, and a copy would
/// retain all that it holds.
final class ActiveDownload {
  let flight: Flight
  var machine: DownloadMachine
  /// The request that is out.
  var transfer: TransferID?
  /// The queue that takes the body.
  var body: BodyQueue?
  /// The credentials of the current request, or nil if it has none.
  var credentials: OriginCredentials?
  /// The length of the whole body, or nil if the server does not say.
  var total: Int64?
  /// The time at which the current request went out, or at which its connection began to be opened.
  var sent = Instant(nanoseconds: 0)
  /// True if an answer to the current request has begun, which it did at ``answerStart``.
  var isAnswered = false
  var answerStart = Instant(nanoseconds: 0)
  /// The speed of the answer, and whether the flight holds a place.
  var pace = Pace(start: Instant(nanoseconds: 0))
  /// The reason for breaking off an answer that comes too slowly, or nil if it is not broken off.
  var slowness: TransportFailure?
  /// True if the body comes compressed.
  var isCompressed = false
  /// True if the flight waits before its next attempt, and has to look up the name of its host then.
  var isResting = false
  /// The last place that the program has let the flight go on to, or nil if there was none.
  var permitted: WebURL?
  /// True if the current request answers a challenge.
  var asksByDigest = false
  /// A bucket's description of an error, or nil if none is read.
  var errorDocument: [UInt8]?

  var id: UInt64 { flight.id }

  /// - Parameter deadline: the end of the flight's time, or nil if it has no limit.
  init(_ flight: Flight, _ retry: RetryRule, until deadline: Instant?) {
    self.flight = flight
    machine = DownloadMachine(DownloadStart(flight, retry, until: deadline))
    body = flight.claim.beginning
  }

  /// Records the flight's cost until now, and the mirrors that are left.
  func noteProgress() {
    flight.mirrors = machine.mirrors
    flight.lastAsked = machine.trail.url
    flight.sharingObstacle = machine.trail.sharingObstacle
    let asked = flight.traffic.asked
    flight.traffic = machine.traffic
    flight.traffic.asked = asked
  }

  /// The addresses that the next request may connect to.
  var addressRule: AddressRule {
    if flight.options.publicAddressesOnly { return .publicOnly }
    guard machine.trail.isFromPublic else { return .any }
    return .custom { address in
      AddressClass.isGloballyReachable(address)
        ? nil : "a public address leads to \(address), which is not one; that is not followed"
    }
  }
}

extension DownloadStart {
  fileprivate init(_ flight: Flight, _ retry: RetryRule, until deadline: Instant?) {
    self.init(flight.hop.givenURL, flight.shared, at: flight.hop.url, mirrors: flight.hop.mirrors)
    isOfMirror = flight.isAtMirror
    hops = flight.hop.hops
    isFromPublic = flight.hop.isFromPublic
    mayPass = flight.hop.mayPass
    caching = flight.hop.rules.onNetwork(flight.hop.fallback)
    asksConditionally = flight.validators != nil
    if asksConditionally, flight.hop.rules.http == nil, let copy = flight.hop.copy {
      validated = ValidatedResource(
        finalURL: copy.metadata.finalURL, key: flight.key.url, filter: flight.options.keyFilter)
    }
    resumption = flight.claim.beginning?.resumption
    costBefore = flight.traffic
    // The first request behind a redirect belongs to the attempt that led there.
    if flight.hop.hops > 0, !flight.isAskedAgain { costBefore.attempts = max(0, costBefore.attempts - 1) }
    self.retry = retry
    self.deadline = deadline
  }
}
