/// Who gets to know what of who asks: credentials by origin.
///
/// A pure value. What the user gave for the run belongs to the origin of its first URL; a netrc file and the user info of
/// URLs name their hosts themselves. Nothing is told to where a redirect leads, unless that is the same origin: whoever asks
/// for what is told hands in the URL that was asked for, never one that a server named.
struct IdentityRule {
  let identity: FetchIdentity
  /// The origin of the first URL, once there was one.
  private(set) var home: Origin?

  init(_ identity: FetchIdentity) { self.identity = identity }

  typealias Header = (name: String, value: String?)

  /// Header fields that are credentials, whoever writes them.
  static let secretFields: Set<String> = ["authorization", "proxy-authorization", "cookie", "cookie2"]

  /// Whether there is anything that belongs to one origin only.
  func isBound(with headers: [Header]) -> Bool {
    identity.login != nil || identity.bearer != nil || !identity.cookies.isEmpty
      || headers.contains { $0.value != nil && Self.secretFields.contains($0.name.lowercased()) }
  }

  /// This is a URL of the run; the first decides.
  mutating func bind(to origin: Origin) {
    if home == nil { home = origin }
  }

  /// What is told to the origin of `url`, a URL that the user gave.
  ///
  /// The more particular goes first: the URL's own user info, then a field written out, then the run's name or token, then
  /// the netrc file.
  func introduction(to url: WebURL, _ headers: [Header]) -> Introduction {
    let isHome = url.origin == home
    var introduction = Introduction(jar: identity.jar == nil ? nil : identity.jarName)
    func given(_ name: String) -> [String] {
      isHome ? headers.compactMap { $0.name.lowercased() == name ? $0.value : nil } : []
    }
    let cookies = (isHome ? identity.cookies : []) + given("cookie")
    introduction.cookie = cookies.isEmpty ? nil : cookies.joined(separator: "; ")
    introduction.further = ["proxy-authorization", "cookie2"].flatMap { name in given(name).map { (name, $0) } }
    if let user = url.user, !user.isEmpty || url.password != nil {
      let password = url.password ?? identity.netrc?.login(for: url.host, user: user)?.password
      introduction.login = Login(user: user, password: password ?? "")
    } else if let written = given("authorization").first {
      introduction.authorization = written
    } else if isHome, let login = identity.login {
      introduction.login = login
    } else if isHome, let bearer = identity.bearer {
      introduction.authorization = "Bearer \(bearer)"
    } else {
      introduction.login = identity.netrc?.login(for: url.host)
    }
    return introduction
  }
}

/// What one origin is told of who asks.
struct Introduction {
  /// For Basic, or Digest.
  var login: Login?
  /// The Authorization field, where it is neither of those.
  var authorization: String?
  /// Cookies that do not come from the jar.
  var cookie: String?
  /// Which jar adds to them; nil: none.
  var jar: String?
  /// What it adds for one URL.
  var jarCookies: String?
  /// Other fields that are credentials.
  var further: [(name: String, value: String)] = []

  /// Nobody in particular.
  var isEmpty: Bool {
    login == nil && authorization == nil && cookie == nil && jar == nil && further.isEmpty
  }

  /// The fields that go out, but for the login, which the transport makes a field of.
  var fields: [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    if let authorization { fields.append(("Authorization", authorization)) }
    let cookies = [jarCookies, cookie].compactMap(\.self)
    if !cookies.isEmpty { fields.append(("Cookie", cookies.joined(separator: "; "))) }
    return fields + further
  }
}
