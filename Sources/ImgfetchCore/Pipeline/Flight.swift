import Synchronization

/// One download for any number of askers: what does not change while it is under way.
///
/// What does change has one owner each: the ``FlightTable`` knows who waits, the ``NetworkStage`` (on the network's thread) where
/// it is on its way, its ``Reception`` (on one disk thread at a time) what has come.
final class Flight: Sendable {
  let id: UInt64
  private let first: Ask
  let shared: SharedOptions
  /// Whether nothing in the request says who asks.
  let isAnonymous: Bool
  /// Whether not every host may be asked, or not every address.
  let hasRules: Bool

  init(id: UInt64, for first: Ask) {
    self.id = id
    self.first = first
    shared = first.request.shared
    isAnonymous =
      first.request.url.user == nil && shared.values.headers.isEmpty
      && !first.request.mirrors.contains { $0.user != nil }
    hasRules = shared.hostRule != nil || shared.values.publicAddressesOnly
  }

  /// The first asker's request: its URL is what is asked for, its options decide.
  var request: FetchRequest { first.request }
  var key: CacheKey { first.key }
  var options: FetchOptions { _read { yield shared.values } }
  /// Why the host of `url` may not be asked; nil: it may.
  func objection(to url: WebURL) -> String? { shared.hostRule?.objection(to: url.origin) }
  /// What it has cost on the network so far, for its result. Written by the ``NetworkStage`` before it hands the flight on, and read by
  /// whoever it was handed to: what hands it on orders the two.
  private let downloaded = Atomic<Int64>(0)
  private let attempts = Atomic<Int>(0)
  /// When its first request went out, in nanoseconds; 0: none did.
  private let asked = Atomic<Int64>(0)
  var traffic: Traffic {
    let asked = asked.load(ordering: .relaxed)
    return Traffic(
      downloaded: downloaded.load(ordering: .relaxed), attempts: attempts.load(ordering: .relaxed),
      asked: asked == 0 ? nil : Instant(nanoseconds: asked))
  }
  func note(_ traffic: Traffic) {
    downloaded.store(traffic.downloaded, ordering: .relaxed)
    attempts.store(traffic.attempts, ordering: .relaxed)
    if let asked = traffic.asked { noteRequest(at: asked) }
  }
  /// A request goes out; the first one counts.
  func noteRequest(at now: Instant) {
    if asked.load(ordering: .relaxed) == 0 { asked.store(now.nanoseconds, ordering: .relaxed) }
  }

  /// The same, to be answered by the origin whatever is stored.
  var distrusting: Flight {
    let other = Flight(id: id, for: first.distrusting)
    other.note(traffic)
    return other
  }

  /// The key without the filter: what failed is the URL that was asked for, and not all those that share an entry.
  var urlKey: CacheKey {
    options.keyFilter.isNone ? key : CacheKey(url: request.url.canonical, salt: key.salt)
  }
}

/// A flight that needs the network, with what the disk had to say.
struct Departure: Sendable {
  let flight: Flight
  /// The image that is stored already, for its validators, and in case the origin cannot be reached.
  var stored: CachedEntry? {
    get { rest.values.stored }
    set { rest.values.stored = newValue }
  }
  /// What the origin is asked about it; nil: it is asked plainly.
  var validators: Validators? { rest.values.validators }
  /// Where the body goes; nil: nowhere on the cache's disk.
  var part: Part? {
    get { rest.values.part }
    set { rest.values.part = newValue }
  }
  /// Held while the origin is asked about what is stored, in place of a part.
  var lock: EntryLock? {
    get { rest.values.lock }
    set { rest.values.lock = newValue }
  }
  /// The entry that the origin is asked about. Not under HTTP's own rules, where the entry may be another's than the answer will be.
  var questioned: CachedEntry? { validators == nil || leg != nil ? nil : stored }
  /// What an earlier run left in the part, ready for its rest.
  var reception: Reception? {
    get { rest.values.reception }
    set { rest.values.reception = newValue }
  }
  /// What its flight has cost on the network before it set out; without what its leg knows of.
  var costBefore: Traffic { rest.values.costBefore }
  /// What went wrong with the cache, to be told with the answer.
  var warnings: [String] {
    get { rest.values.warnings }
    set { rest.values.warnings = newValue }
  }
  /// Under HTTP's own rules: the hop that it is about.
  var leg: Leg? { rest.values.leg }
  /// Under HTTP's own rules: an answer that is not what the asker gets, and is kept all the same.
  var aside: Aside? {
    get { rest.values.aside }
    set { rest.values.aside = newValue }
  }

  /// What is there besides the flight, seldom as it changes once it is on its way.
  private struct Rest: Sendable {
    var stored: CachedEntry?
    let validators: Validators?
    var part: Part?
    var lock: EntryLock?
    var reception: Reception?
    var costBefore: Traffic
    var warnings: [String] = []
    let leg: Leg?
    var aside: Aside?
  }
  private var rest: CopiedOnWrite<Rest>

  init(flight: Flight, stored: CachedEntry? = nil, validators: Validators? = nil, leg: Leg? = nil) {
    self.flight = flight
    let cost = leg == nil ? flight.traffic : Traffic()
    rest = CopiedOnWrite(Rest(stored: stored, validators: validators, costBefore: cost, leg: leg))
  }

  /// It sets out once more: what the flight has cost until now was before.
  mutating func countCost() {
    let cost = flight.traffic
    rest.values.costBefore = Traffic(
      downloaded: cost.downloaded - (leg?.downloaded ?? 0), attempts: cost.attempts - (leg?.attemptsBefore ?? 0))
  }

  /// The same once more, with no question about what is stored. That stays at hand in case the origin cannot be reached.
  var askingPlainly: Departure {
    var plain = Departure(flight: flight, stored: stored, leg: leg)
    plain.warnings = warnings
    plain.countCost()
    return plain
  }

  /// What is asked first.
  var url: WebURL { leg?.url ?? flight.request.url }
  /// The entry that the body goes to.
  var key: CacheKey { leg?.place ?? flight.key }
}

/// A whole answer with a small body that is not the image: a redirect, or a refusal. HTTP's rules keep those too. What servers put beside
/// one is a sentence or a page; a longer body the transport breaks off (``HeadDecision/receiveShort``), and nothing is kept.
struct Aside: Sendable {
  let head: AnswerHead
  var body: [UInt8] = []

  init(_ head: AnswerHead) { self.head = head }
}

/// What answers everybody who waits for a flight.
struct Answer: Sendable {
  var cache: CacheType
  var isRevalidated = false
  var isShared = false
  var isStale = false
  var status: Int
  var finalURL: String
  var mime: String?
  var facts: ImageFacts?
  var fields: FieldSource
  var body: ImageBody
  /// Which way the bytes came.
  var provenance = Provenance()
  /// The entry that it was read from.
  var entry: CachedEntry?
  /// The key that it is kept under; nil: it is not kept, and what is made of it is not either.
  var place: CacheKey?
  var warnings: [String] = []
}
