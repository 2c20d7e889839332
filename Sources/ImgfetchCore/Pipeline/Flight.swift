/// One download for any number of waiters, on its way through the stages.
///
/// ``FlightTable`` knows who waits for it, ``FlightMachine`` which stage comes next. The rest is what the stages hand on to each other.
// Proof that it may be shared: what changes has one owner at a time, the thread that runs the flight's stage. A stage hands the flight on
// through the workers' queue or the loop's mailbox, whose locks order the two, and does not touch it afterwards. While the network stage
// has it, the body stage's job reads only what does not change before the network stage hands it on.
final class Flight: @unchecked Sendable {
  let id: UInt64
  private(set) var leader: Waiter
  /// Whether some hosts or addresses must not be asked.
  let hasRules: Bool
  /// When it was looked up first.
  let begun: Instant

  var machine: FlightMachine
  var hop: Hop
  /// What the origin is asked about the stored copy; nil: it is asked without a condition.
  var validators: Validators?
  /// Where the answer will be kept.
  var claim = Claim()
  /// Held while it may claim such a place.
  var pass: ClaimGate.Pass?
  /// What another process has stored meanwhile.
  var storedElsewhere: StoredCopy?
  /// The 304 that confirms the stored copy.
  var confirmation: AnswerHead?
  /// A whole answer that is not the image, and is kept all the same.
  var sideAnswer: SideAnswer?
  /// What the waiters will get.
  var answer: Answer?
  /// Whether the entry on disk has just come from the remote cache.
  var isFromRemote = false
  /// Whether the remote cache said that it has no entry.
  var isMissingInRemote = false
  /// What it has cost on the network.
  var traffic: Traffic
  /// Whether the hop was asked before. Its first request belongs to the attempt that led there.
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

  /// The leader's request: its URL is what is asked for, its options decide.
  var request: FetchRequest { leader.request }
  var shared: SharedOptions { leader.request.shared }
  var key: CacheKey { leader.key }
  var options: FetchOptions { _read { yield leader.request.shared.values } }

  /// Why the host of `url` may not be asked; nil: it may.
  func objection(to url: WebURL) -> String? { shared.hostRule?.objection(to: url.origin) }

  /// The key without the filter: what failed is the URL that was asked for, and not all those that share an entry.
  var urlKey: CacheKey {
    options.keyFilter.isNone ? key : CacheKey(url: request.url.canonical, salt: key.salt)
  }

  /// The entry that the origin is asked about. Under HTTP's own rules there is none, because the answer may belong to another entry.
  var questioned: CachedEntry? { validators == nil || hop.rules.http != nil ? nil : hop.copy?.entry }

  /// From now on stored answers are passed over.
  func distrustCaches() { leader = leader.distrusting }

  /// Another hop is looked up. What belonged to the one before is released.
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
  /// Where the body goes; nil: nowhere on the cache's disk.
  var part: Part?
  /// Held while the origin is asked about what is stored, in place of a part.
  var lock: EntryLock?
  /// What an earlier run left in the part, ready for its rest.
  var beginning: BodyQueue?
  /// What went wrong with the cache, for the answer.
  var warnings: [String] = []
}

/// A whole answer with a small body that is not the image: a redirect or a refusal. HTTP's rules keep those, too. Servers put a
/// sentence or a page into one. The transport breaks off a longer body (``HeadDecision/receiveShort``), and nothing is kept.
struct SideAnswer: Sendable {
  let head: AnswerHead
  var body: [UInt8] = []

  init(_ head: AnswerHead) { self.head = head }
}

/// One request that waits for an answer, and where to deliver that.
///
/// A reference, because it goes into the table of flights and comes out again. Copies of all that a request holds would be a good part of
/// what an image costs.
final class Waiter: Sendable {
  let id: UInt64
  let request: FetchRequest
  let key: CacheKey
  let begun: Instant
  /// Called once, on a disk thread.
  let deliver: @Sendable (FetchResult) -> Void

  init(
    id: UInt64, request: FetchRequest, key: CacheKey, begun: Instant, deliver: @escaping @Sendable (FetchResult) -> Void
  ) {
    self.id = id
    self.request = request
    self.key = key
    self.begun = begun
    self.deliver = deliver
  }

  /// The same, to be answered by the origin whatever is stored.
  var distrusting: Waiter {
    var request = request
    request.options.distrustsCache = true
    return Waiter(id: id, request: request, key: key, begun: begun, deliver: deliver)
  }

  /// A result with what is known before there is an answer.
  var blankResult: FetchResult { FetchResult(tag: request.tag, url: request.url.display, key: key.url) }

  /// From the request to that moment.
  func milliseconds(until moment: Instant) -> Double { Double((moment - begun).nanoseconds) / 1e6 }
}
