/// The names that the network stage has looked up. It knows which hosts need a look-up; ``book`` does everything else.
///
/// A reference, because a copy of its settings would be made for each question.
final class NameDesk {
  private let network: NetworkOptions
  var book: NameBook
  /// The hosts and ports for which the user has given addresses; `*` stands for every host.
  private let given: Set<String>
  /// The last origin with its name; the next request mostly has the same.
  private var last: (origin: Origin, name: String?)?

  init(_ configuration: PipelineConfiguration) {
    network = configuration.network
    var limits = NameBook.Limits()
    limits.prompt = max(1, configuration.lookUps / 4)
    limits.slow = configuration.lookUps - limits.prompt
    limits.patience = configuration.connectTimeout
    if configuration.memories == .ofTime { limits.absence = .seconds(60) }
    limits.outage = configuration.admission.outage
    book = NameBook(limits, retries: configuration.retry.limit)
    given = Set(configuration.network.resolve.compactMap(Self.hostAndPort))
  }

  /// The name to look up before a request to an origin, or nil if there is none.
  private func name(of origin: Origin) -> String? {
    if let last, last.origin == origin { return last.name }
    let name = nameToLookUp(of: origin)
    last = (origin, name)
    return name
  }

  /// The name to look up. Behind a proxy, the proxy looks it up. libcurl knows `localhost` without asking (RFC 6761).
  private func nameToLookUp(of origin: Origin) -> String? {
    let host = origin.host
    guard !network.hasProxy(isSecure: origin.isSecure), IPAddress(host: host) == nil,
      !host.utf8.contains(UInt8(ascii: ":")),
      host != "localhost", !host.hasSuffix(".localhost")
    else { return nil }
    if !given.isEmpty, given.contains("\(host):\(origin.port)") || given.contains("*:\(origin.port)") { return nil }
    return host
  }

  /// True if a request to the origin can go out.
  func knows(_ origin: Origin, at now: Instant) -> Bool {
    name(of: origin).map { book.addresses(of: $0, at: now) != nil } ?? true
  }

  /// The addresses for ``TransferRequest/addresses``, or nil if the transport needs none.
  func addresses(of origin: Origin, at now: Instant) -> String? {
    guard let name = name(of: origin), let addresses = book.addresses(of: name, at: now), !addresses.isEmpty else {
      return nil
    }
    return "\(name):\(origin.port):\(addresses)"
  }

  func ask(_ origin: Origin, for flight: UInt64, at now: Instant) -> NameBook.Permission {
    name(of: origin).map { book.ask($0, for: flight, at: now) } ?? .go
  }

  func leave(_ origin: Origin, _ flight: UInt64) {
    if let name = name(of: origin) { book.leave(name, flight) }
  }

  /// `HOST:PORT` of a line in libcurl's syntax: `HOST:PORT:ADDRESS`, with a sign before it in some.
  private static func hostAndPort(_ line: String) -> String? {
    let text = line.drop { $0 == "+" || $0 == "-" }
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count >= 2 ? "\(parts[0].lowercased()):\(parts[1])" : nil
  }
}
