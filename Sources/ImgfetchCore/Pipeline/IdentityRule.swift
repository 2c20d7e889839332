/// Which origin gets which credentials.
///
/// A pure value. What the user gave for the run belongs to the origin of its first URL. A netrc file and the user info of URLs name
/// their hosts themselves. The target of a redirect gets nothing, unless it has the same origin: callers hand in the URL of the
/// request, never one that a server named.
struct IdentityRule {
  let identity: FetchIdentity
  /// The origin of the first URL; nil until there was one.
  private(set) var home: Origin?

  init(_ identity: FetchIdentity) { self.identity = identity }

  typealias Header = (name: String, value: String?)

  /// Header fields that are credentials.
  static let secretFields: Set<String> = ["authorization", "proxy-authorization", "cookie", "cookie2"]

  /// Whether there is anything that belongs to one origin only.
  func isBound(with headers: [Header]) -> Bool {
    identity.login != nil || identity.bearer != nil || !identity.cookies.isEmpty
      || headers.contains { $0.value != nil && Self.secretFields.contains($0.name.lowercased()) }
  }

  /// Notes a URL of the run. The first one decides.
  mutating func bind(to origin: Origin) {
    if home == nil { home = origin }
  }

  /// The credentials for the origin of `url`, a URL that the user gave.
  ///
  /// The most specific wins: the URL's own user info, then a field written out, then the run's name or token, then the netrc file.
  func credentials(to url: WebURL, _ headers: [Header]) -> OriginCredentials {
    // A signature is all that such a store knows: two kinds of credentials in one request are refused.
    if let account = url.account { return OriginCredentials(account: account) }
    let isHome = url.origin == home
    var credentials = OriginCredentials(jar: identity.jar == nil ? nil : identity.jarName)
    func given(_ name: String) -> [String] {
      isHome ? headers.compactMap { $0.name.lowercased() == name ? $0.value : nil } : []
    }
    let cookies = (isHome ? identity.cookies : []) + given("cookie")
    credentials.cookie = cookies.isEmpty ? nil : cookies.joined(separator: "; ")
    credentials.further = ["proxy-authorization", "cookie2"].flatMap { name in given(name).map { (name, $0) } }
    if let user = url.user, !user.isEmpty || url.password != nil {
      let password = url.password ?? identity.netrc?.login(for: url.host, user: user)?.password
      credentials.login = Login(user: user, password: password ?? "")
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

/// The credentials that one origin gets.
struct OriginCredentials {
  /// For Basic or Digest.
  var login: Login?
  /// Who signs the request.
  var account: S3Account?
  /// The Authorization field, where it is neither of those.
  var authorization: String?
  /// Cookies that do not come from the jar.
  var cookie: String?
  /// Which jar adds to them; nil: none.
  var jar: String?
  /// What the jar adds for one URL.
  var jarCookies: String?
  /// Other fields that are credentials.
  var further: [(name: String, value: String)] = []

  /// Whether there are none.
  var isEmpty: Bool {
    login == nil && account == nil && authorization == nil && cookie == nil && jar == nil && further.isEmpty
  }

  /// The fields that are sent, without the login, of which the transport makes a field.
  var fields: [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    if let authorization { fields.append(("Authorization", authorization)) }
    let cookies = [jarCookies, cookie].compactMap(\.self)
    if !cookies.isEmpty { fields.append(("Cookie", cookies.joined(separator: "; "))) }
    return fields + further
  }
}

/// Which requests say who asks a store: those to the origins of the stores that the user has named, for what is in them. An image of the
/// same origin is asked for as any other.
struct StoreRule: Sendable {
  private let identity: StoreIdentity
  private let origins: Set<Origin>

  init(_ identity: StoreIdentity = StoreIdentity(), _ stores: [WebURL] = []) {
    self.identity = identity
    origins = Set(stores.map(\.origin))
  }

  /// Says who asks, in a request to a URL.
  func identify(_ request: inout TransferRequest, to url: WebURL) {
    guard origins.contains(url.origin) else { return }
    if url.isSecure, let file = identity.certificate {
      request.certificate = ClientCertificate(file: file, key: identity.key)
    }
    guard let bearer = identity.bearer, request.credentials == nil, url.account == nil, !url.isOfBucket,
      !request.fields.contains(where: { $0.name.lowercased() == "authorization" })
    else { return }
    request.fields.append(("Authorization", "Bearer \(bearer)"))
  }
}
