import Synchronization

/// A flight in the network stage: what happens to it next, and what belongs to it there.
///
/// Belongs to the network's thread. A reference, because each step of libcurl's looks at it, and a copy would
/// retain all that it holds.
final class ActiveDownload {
  let flight: Flight
  let claim: Claim
  var machine: DownloadMachine
  /// The request that is out.
  var transfer: TransferID?
  var body: BodyQueue?
  /// A complete answer that is not the image, but is kept all the same.
  var sideAnswer: SideAnswer?
  /// The credentials of the current request, or nil if it has none.
  var credentials: OriginCredentials?
  /// The length of the whole body, or nil if the server does not say.
  var total: Int64?
  /// The time at which the current request went out, or its connection began to be opened.
  var sent = Instant(nanoseconds: 0)
  /// True if the current request has gone out.
  var isSent = false
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
  /// The last URL that the program has allowed the flight to go on to, or nil if there was none.
  var permitted: WebURL?
  /// True if the current request answers a challenge.
  var asksByDigest = false
  /// A bucket's description of an error, or nil if none is read.
  var errorDocument: [UInt8]?

  var id: UInt64 { flight.id }

  /// - Parameter deadline: the end of the flight's time, or nil if it has no limit.
  init(_ flight: Flight, _ claim: Claim, _ retry: RetryRule, until deadline: Instant?) {
    self.flight = flight
    self.claim = claim
    machine = DownloadMachine(DownloadStart(flight, claim, retry, until: deadline))
    body = claim.beginning
  }

  /// Records the flight's cost until now.
  func noteProgress() {
    let cost = machine.traffic
    flight.traffic.downloaded = cost.downloaded
    flight.traffic.attempts = cost.attempts
    flight.traffic.lastAsked = machine.trail.url
    flight.traffic.redirects = machine.trail.hops
    flight.mayPass = machine.mayPass
    if let failures = machine.mirrorFailures { flight.mirrorFailures = failures }
  }

  /// The remains, if the download ends now without an image.
  var remains: DownloadRemains { DownloadRemains(claim: claim, sideAnswer: sideAnswer, mirrors: machine.mirrors) }

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
