/// Where a redirect leads, or why it is not followed.
///
/// Each hop is a request of its own: it must be http or https, may not step down from https to http, is counted, and meets the
/// host rules like the first. To another origin go only the fields that say nothing about who asks.
struct RedirectRule {
  enum Decision: Equatable {
    case follow(WebURL)
    /// An answer like any other, if its status is accepted.
    case notARedirect
    case refuse(reason: String)
  }

  static let statuses = StatusSet(bounds: [301, 303, 307, 308])

  /// What may go along to another origin.
  static let harmlessFields: Set<String> = ["accept", "accept-language", "user-agent"]

  static func decide(
    status: Int, location: String?, from url: WebURL, hops: Int, options: FetchOptions
  ) -> Decision {
    guard statuses.contains(status), let location else { return .notARedirect }
    guard hops < options.maximumRedirects else {
      if options.acceptedStatuses.contains(status) { return .notARedirect }
      return .refuse(
        reason: options.maximumRedirects == 0
          ? "redirects (\(status)), and no redirect may be followed"
          : "redirects more than \(options.maximumRedirects) times")
    }
    let target: WebURL
    do { target = try url.resolving(location) } catch {
      return .refuse(reason: "redirects (\(status)) to what is not followed: \(error)")
    }
    if url.scheme == "https" && target.scheme == "http" {
      return .refuse(reason: "redirects (\(status)) from https to http (\(target.display)), which is not followed")
    }
    return .follow(target)
  }

  /// What helps where a redirect was refused after so many others.
  static func remedy(hops: Int, _ options: FetchOptions) -> FetchError.Remedy? {
    hops < options.maximumRedirects ? nil : .allowMoreRedirects
  }

  /// The fields that go out to `target`, of those that the first origin got.
  static func fields(
    _ fields: [(name: String, value: String)], from first: Origin, to target: Origin
  ) -> [(name: String, value: String)] {
    first == target ? fields : fields.filter { harmlessFields.contains($0.name.lowercased()) }
  }
}

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
