/// A hop that needs the network, with what belongs to it there.
struct Departure: Sendable {
  let flight: Flight
  var hop: Hop { _read { yield rest.values.hop } }
  /// What the origin is asked about the stored copy; nil: it is asked plainly.
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
  /// What an earlier run left in the part, ready for its rest.
  var reception: Reception? {
    get { rest.values.reception }
    set { rest.values.reception = newValue }
  }
  /// What this hop has cost on the network before, when it set out for the first time.
  var costBefore: Traffic { rest.values.costBefore }
  /// What went wrong with the cache, to be told with the answer.
  var warnings: [String] {
    get { rest.values.warnings }
    set { rest.values.warnings = newValue }
  }
  /// Under HTTP's own rules: an answer that is not what the asker gets, and is kept all the same.
  var aside: Aside? {
    get { rest.values.aside }
    set { rest.values.aside = newValue }
  }

  /// In one place that is not copied along: it goes through the hands of two threads, and changes seldom once it is on its way.
  private struct Rest: Sendable {
    let hop: Hop
    let validators: Validators?
    var part: Part?
    var lock: EntryLock?
    var reception: Reception?
    var costBefore = Traffic()
    var warnings: [String] = []
    var aside: Aside?
  }
  private var rest: CopiedOnWrite<Rest>

  init(_ hop: Hop, validators: Validators? = nil) {
    flight = hop.flight
    rest = CopiedOnWrite(Rest(hop: hop, validators: validators))
  }

  /// The entry that the origin is asked about. Not under HTTP's own rules, where the entry may be another's than the answer will be.
  var questioned: CachedEntry? { validators == nil || hop.rules.http != nil ? nil : hop.copy?.entry }

  /// It sets out once more: what the flight has cost until now was before.
  mutating func countCost() {
    let cost = flight.traffic
    rest.values.costBefore = Traffic(
      downloaded: cost.downloaded - hop.costBefore.downloaded, attempts: cost.attempts - hop.attemptsBefore)
  }

  /// The same once more, with no question about what is stored. That stays at hand in case the origin cannot be reached.
  var askingPlainly: Departure {
    var plain = Departure(hop)
    plain.warnings = warnings
    plain.countCost()
    return plain
  }
}

/// A whole answer with a small body that is not the image: a redirect, or a refusal. HTTP's rules keep those too. What servers put beside
/// one is a sentence or a page; a longer body the transport breaks off (``HeadDecision/receiveShort``), and nothing is kept.
struct Aside: Sendable {
  let head: AnswerHead
  var body: [UInt8] = []

  init(_ head: AnswerHead) { self.head = head }
}

/// What answers all who wait for a flight.
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
