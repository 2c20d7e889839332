import Synchronization

/// Decides which origin gets which credentials.
///
/// A pure value. The user's credentials for the run belong to the origin of its first URL. A netrc file and the user
/// info of URLs name their hosts themselves. The target of a redirect gets nothing, unless it has the same origin:
/// callers hand in the URL of the request, never one that a server named.
struct IdentityRule {
  let identity: FetchIdentity
  /// The origin of the first URL, or nil until there was one.
  private(set) var home: Origin?

  init(_ identity: FetchIdentity) { self.identity = identity }

  typealias Header = (name: String, value: String?)

  /// True if there are credentials that belong to one origin only.
  func isBound(with headers: [Header]) -> Bool {
    identity.login != nil || identity.bearer != nil || !identity.cookies.isEmpty || identity.certificate != nil
      || headers.contains { $0.value != nil && FieldNature.of($0.name).contains(.credential) }
  }

  /// Notes a URL of the run. The first one decides.
  mutating func bind(to origin: Origin) {
    if home == nil { home = origin }
  }

  /// The credentials for the origin of `url`, a URL that the user gave.
  ///
  /// The most specific wins: the URL's own user info, then a field written out, then the run's name or
  /// token, then the netrc file.
  func credentials(to url: WebURL, _ headers: [Header]) -> OriginCredentials {
    // Such a store knows nothing but signatures, and refuses requests with two kinds of credentials.
    if let account = url.account { return OriginCredentials(account: account) }
    let isHome = url.origin == home
    var credentials = OriginCredentials(jar: identity.jar == nil ? nil : identity.jarName)
    if isHome, url.isSecure, let file = identity.certificate {
      credentials.certificate = ClientCertificate(file: file, key: identity.certificateKey)
    }
    func given(_ name: String) -> [String] {
      isHome ? headers.compactMap { $0.name.lowercased() == name ? $0.value : nil } : []
    }
    let cookies = (isHome ? identity.cookies : []) + given("cookie")
    credentials.cookie = cookies.isEmpty ? nil : cookies.joined(separator: "; ")
    credentials.further = ["proxy-authorization", "cookie2"].flatMap { name in given(name).map { (name, $0) } }
    if let login = url.login(identity.netrc) {
      credentials.login = login
    } else if let written = given("authorization").first {
      credentials.authorization = written
    } else if isHome, let login = identity.login {
      credentials.login = login
    } else if isHome, let bearer = identity.bearer {
      credentials.authorization = "Bearer \(bearer)"
    } else {
      credentials.login = identity.netrc?.login(for: url.host)
    }
    return credentials
  }
}
