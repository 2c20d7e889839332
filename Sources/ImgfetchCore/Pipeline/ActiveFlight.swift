/// A flight on the network's thread: what happens next to it, and what belongs to it there.
///
/// A reference and not a value: each step of libcurl's looks at it, and a copy would retain all that it holds.
final class ActiveFlight {
  let departure: Departure
  var machine: FlightMachine
  /// The request that is out.
  var transfer: TransferID?
  /// Where its body goes.
  var reception: Reception?
  /// An answer that is not what the asker gets, and is kept all the same.
  var aside: Aside?
  /// What the request that is out says of the user; nil: nothing.
  var introduction: Introduction?
  /// Whether the request that is out answers a challenge.
  var asksByDigest = false
  /// Another process has the key: how its part is waited for.
  var busy: BusyPart?

  var id: UInt64 { departure.flight.id }

  init(_ departure: Departure, _ retry: RetryRule) {
    self.departure = departure
    machine = FlightMachine(FlightStart(departure, retry))
    aside = departure.aside
    reception = departure.reception
  }

  /// What it set out with and what has come beside the image, for the stage that goes on from here.
  var handedOn: Departure {
    guard aside != nil || departure.aside != nil else { return departure }
    var handedOn = departure
    handedOn.aside = aside
    return handedOn
  }

  /// Has the flight know what it has cost until now.
  func noteTraffic() { departure.flight.note(machine.traffic) }

  /// Which addresses may be connected to for the next request.
  var addressRule: AddressRule {
    if departure.flight.options.publicAddressesOnly { return .publicOnly }
    guard machine.way.isFromPublic else { return .any }
    return .custom { address in
      AddressClass.isGloballyReachable(address)
        ? nil : "a public address redirects to \(address), which is not one; that is not followed"
    }
  }
}

extension FlightStart {
  fileprivate init(_ departure: Departure, _ retry: RetryRule) {
    self.init(departure.flight.request, at: departure.hop.url, mirrors: departure.hop.mirrors)
    hops = departure.hop.hops
    isFromPublic = departure.hop.isFromPublic
    caching = departure.hop.rules.onNetwork(departure.hop.fallback)
    asksConditionally = departure.validators != nil
    resumption = departure.reception?.resumption
    costBefore = departure.costBefore
    costBefore.downloaded += departure.hop.costBefore.downloaded
    costBefore.attempts += departure.hop.attemptsBefore
    self.retry = retry
  }
}
