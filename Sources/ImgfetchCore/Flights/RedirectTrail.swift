/// The redirects that a flight has followed: its present URL, and the way to it.
struct RedirectTrail: Sendable {
  private(set) var url: WebURL
  /// Redirects until here.
  private(set) var hops: Int
  /// True if an answer on the way came from a public address. From there, no redirect may lead to an
  /// address of another kind.
  private(set) var isFromPublic: Bool
  /// The kind of the addresses that answered on the way, or nil before the first answer.
  private var address: Provenance.Address?
  /// The origins that redirected on the way.
  private var passed: [String] = []
  /// The reason why the image may not go into a remote cache, found in the redirects on the way, or nil if it may.
  private(set) var sharingObstacle: String?

  init(url: WebURL, hops: Int, isFromPublic: Bool) {
    self.url = url
    self.hops = hops
    self.isFromPublic = isFromPublic
  }

  mutating func follow(to target: WebURL) {
    if target.origin != url.origin {
      let origin = url.origin.description
      if !passed.contains(origin) { passed.append(origin) }
    }
    hops += 1
    url = target
  }

  mutating func note(_ kind: Provenance.Address) { address = address?.followed(by: kind) ?? kind }

  mutating func noteRedirect(_ fields: HeaderFields, isPublic: Bool) {
    if isPublic { isFromPublic = true }
    sharingObstacle = sharingObstacle ?? PersonalMark.first(in: fields).map { "a redirect's \($0)" }
  }

  /// The way of an answer that comes now.
  var provenance: Provenance {
    // The origin of an answer is later read from its URL. If the URL is not shown as it was sent, that is not reliable.
    let origins = url.isShownAsSent ? passed : passed + [url.origin.description]
    return Provenance(address ?? .unknown, otherOrigins: origins)
  }
}
