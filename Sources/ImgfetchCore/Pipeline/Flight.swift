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
