/// A flight in the network stage: what happens to it next, and what belongs to it there.
///
/// Belongs to the network's thread. A reference, because each step of libcurl's looks at it, and a copy would retain all that it holds.
final class ActiveDownload {
  let flight: Flight
  var machine: DownloadMachine
  /// The request that is out.
  var transfer: TransferID?
  /// Where the body goes.
  var body: BodyQueue?
  /// The credentials of the request that is out; nil: it has none.
  var credentials: OriginCredentials?
  /// Whether an answer to the request that is out has begun.
  var isAnswered = false
  /// Whether it waits for the time of its next attempt, whose name is not known.
  var isResting = false
  /// Whether the request that is out answers a challenge.
  var asksByDigest = false
  /// What a bucket says of an error; nil: it is not listened to.
  var errorDocument: [UInt8]?

  var id: UInt64 { flight.id }

  init(_ flight: Flight, _ retry: RetryRule) {
    self.flight = flight
    machine = DownloadMachine(DownloadStart(flight, retry))
    body = flight.claim.beginning
  }

  /// Records in the flight what it has cost until now.
  func noteTraffic() {
    let asked = flight.traffic.asked
    flight.traffic = machine.traffic
    flight.traffic.asked = asked
  }

  /// Which addresses may be connected to for the next request.
  var addressRule: AddressRule {
    if flight.options.publicAddressesOnly { return .publicOnly }
    guard machine.trail.isFromPublic else { return .any }
    return .custom { address in
      AddressClass.isGloballyReachable(address)
        ? nil : "a public address redirects to \(address), which is not one; that is not followed"
    }
  }
}

extension DownloadStart {
  fileprivate init(_ flight: Flight, _ retry: RetryRule) {
    self.init(flight.leader.request.url, flight.shared, at: flight.hop.url, mirrors: flight.hop.mirrors)
    hops = flight.hop.hops
    isFromPublic = flight.hop.isFromPublic
    caching = flight.hop.rules.onNetwork(flight.hop.fallback)
    asksConditionally = flight.validators != nil
    resumption = flight.claim.beginning?.resumption
    costBefore = flight.traffic
    // The first request behind a redirect belongs to the attempt that led there.
    if flight.hop.hops > 0, !flight.isAskedAgain { costBefore.attempts = max(0, costBefore.attempts - 1) }
    self.retry = retry
  }
}
