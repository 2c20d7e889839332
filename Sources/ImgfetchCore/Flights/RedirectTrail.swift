/// The way of a flight over redirects: where it has got to, and by way of what.
struct RedirectTrail: Sendable {
  private(set) var url: WebURL
  /// Redirects until here.
  private(set) var hops: Int
  /// Whether an answer on the way came from a public address: from there it may lead to no other kind.
  private(set) var isFromPublic: Bool
  /// What kind of addresses answered on the way; nil: none has.
  private var address: Provenance.Address?
  /// The origins that redirected on the way.
  private var passed: [String] = []

  init(url: WebURL, hops: Int, isFromPublic: Bool) {
    self.url = url
    self.hops = hops
    self.isFromPublic = isFromPublic
  }

  /// On to where a redirect leads.
  mutating func follow(to target: WebURL) {
    if target.origin != url.origin {
      let origin = url.origin.description
      if !passed.contains(origin) { passed.append(origin) }
    }
    hops += 1
    url = target
  }

  /// An address answered.
  mutating func note(_ kind: Provenance.Address) { address = address?.followed(by: kind) ?? kind }

  /// A public address redirects.
  mutating func notePublicRedirect() { isFromPublic = true }

  /// The way that an answer has come which comes now.
  var provenance: Provenance {
    // Where an answer came from is read off its URL later on, which only a URL that is shown as it was sent says surely.
    let origins = url.isShownAsSent ? passed : passed + [url.origin.description]
    return Provenance(address ?? .unknown, otherOrigins: origins)
  }
}
