import Synchronization

/// Reports what happens to flights to those who listen. Sentences are made only if there is a listener.
struct FlightLog: Sendable {
  let hooks: FetchHooks
  /// Requests that listen to what concerns them.
  let observers: FlightObservers

  /// Whether there is a listener.
  var isWatched: Bool { hooks.events != nil || observers.areThere }

  func emit(_ event: () -> FetchEvent) {
    guard isWatched else { return }
    let event = event()
    hooks.events?(event)
    if observers.areThere, let flight = event.flight { observers.tell(event, of: flight) }
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
  /// Whether there ever was one. Beside the lock: each event of each flight asks.
  private let isUsed = Atomic<Bool>(false)

  init(_ table: Guarded<FlightTable<Waiter>>) { self.table = table }

  var areThere: Bool { isUsed.load(ordering: .relaxed) }

  /// A request that listens or watches is about to join a flight.
  func begin() { isUsed.store(true, ordering: .relaxed) }

  /// Those who watch a flight's body come.
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
  /// The flight that it is about; nil if the event does not say.
  fileprivate var flight: UInt64? {
    switch self {
    case .started(let flight, _, _), .responded(let flight, _, _, _), .progressed(let flight, _),
      .redirected(let flight, _), .retrying(let flight, _, _), .ended(let flight):
      flight
    case .explained, .headers, .warned: nil
    }
  }
}

/// Requests and answers as lines for a person, without what must not appear on a screen or in a log.
enum HeaderTrace {
  private static let mask = "***"

  /// Any field of a request may be a token, except these.
  private static let harmless: Set<String> = [
    "accept", "accept-language", "cache-control", "if-match", "if-modified-since", "if-none-match", "if-range",
    "if-unmodified-since", "pragma", "range", "referer", "user-agent",
  ]

  /// Of an answer these are secrets, and no others are known.
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
