import Synchronization

/// The identity of this run: it salts keys, and gives requests their credentials. None of its secrets is ever printed.
/// Caches keep salts of them only; a program may keep the cookies (``changedCookies``).
///
/// May be called from any thread. Its state is behind one lock.
final class RunIdentity: Sendable {
  private struct State {
    var rule: IdentityRule
    var jar: CookieJar?
    var hasWarned = false
    /// The key of all salts, or nil until it is needed.
    var secret: [UInt8]?
  }

  private let configuration: PipelineConfiguration
  private let hasIdentity: Bool
  private let clock: any Clock
  private let disk: DiskCache?
  private let warn: (@Sendable (String) -> Void)?
  private let keyHook: (@Sendable (WebURL) -> String?)?
  private let identity: Guarded<State>

  init(
    _ configuration: PipelineConfiguration, disk: DiskCache?, clock: any Clock, warn: (@Sendable (String) -> Void)?,
    keyHook: (@Sendable (WebURL) -> String?)? = nil
  ) {
    self.keyHook = keyHook
    self.configuration = configuration
    self.disk = disk
    self.clock = clock
    self.warn = warn
    hasIdentity = configuration.hasIdentity
    identity = Guarded(State(rule: IdentityRule(configuration.identity), jar: configuration.identity.jar))
  }

  /// Binds the credentials that belong to one origin to that of the first URL that the run has read, even if that URL
  /// is not requested.
  func bind(to url: WebURL) { identity.withLock { $0.rule.bind(to: url.origin) } }

  /// The cookies after the answers, or nil if nothing has changed.
  var changedCookies: CookieJar? { identity.withLock { $0.jar?.isChanged == true ? $0.jar : nil } }

  /// The URL, or a key of the program's own, which has the mark of a given key that no URL has.
  private func keyURL(for url: WebURL, _ shared: SharedOptions) -> String {
    if let keyHook, shared.purpose.concernsProgram, let key = keyHook(url) {
      return KeyFilter(replacement: key).key(for: url)
    }
    return shared.values.keyFilter.key(for: url)
  }

  /// The key of a request, which decides where the answer is kept, and which other requests it answers.
  func key(of request: FetchRequest) -> CacheKey {
    let url = keyURL(for: request.url, request.shared)
    let headers = request.shared.values.headers
    if !hasIdentity && request.isUsual { return CacheKey(url: url) }
    let (credentials, isForeign) = identity.withLock { state in
      // A list that brings its own credentials leaves the run's to the first image.
      if request.purpose.stream == nil || !request.hasOwnCredentials { state.rule.bind(to: request.url.origin) }
      let isForeign =
        !state.hasWarned && state.rule.home != request.url.origin && state.rule.isBound(with: headers)
      if isForeign { state.hasWarned = true }
      return (state.rule.credentials(to: request.url, headers), isForeign ? state.rule.home : nil)
    }
    if let home = isForeign {
      warn?("credentials are sent to \(home), the origin of the first URL, and to no other")
    }
    let material = Salting.material(
      credentials, headers, request.options.policy, configuration.network, asking: request.options,
      mirrors: request.mirrors)
    return CacheKey(url: url, salt: material.map(salt))
  }

  /// True if a request whose key has no salt also has nothing else that identifies the requester.
  func isPublic(_ request: FetchRequest) -> Bool {
    let identity = configuration.identity
    return identity.cookies.isEmpty && identity.jar == nil && !request.hasOwnCredentials
      && request.options.headers.allSatisfy { FieldNature.of($0.name).contains(.shown) }
  }

  /// The key of a hop that a redirect or a mirror led to. Another origin gets no credentials, so its answer is the same
  /// for all.
  func key(of flight: Flight, at url: WebURL) -> CacheKey {
    let key = keyURL(for: url, flight.shared)
    if url.origin == flight.request.url.origin { return CacheKey(url: key, salt: flight.key.salt) }
    let material = Salting.material(
      OriginCredentials(), [], flight.options.policy, configuration.network, asking: flight.options)
    return CacheKey(url: key, salt: material.map(salt))
  }

  /// The credentials for a request to `url`, to which `start` (the request's URL or one of its mirrors) has led. Nil
  /// means none, as for every origin but that of `start`.
  func credentials(of request: FetchRequest, at url: WebURL, from start: WebURL) -> OriginCredentials? {
    guard hasIdentity || !request.isAnonymous, url.origin == start.origin else { return nil }
    // Only URLs that the user gave have an account. A redirect's target has none, even on the same origin.
    if let account = url.account { return OriginCredentials(account: account) }
    if start.origin != request.url.origin {
      // A mirror elsewhere gets what the user wrote into its URL, and nothing else.
      guard let user = start.user else { return nil }
      return OriginCredentials(login: Login(user: user, password: start.password ?? ""))
    }
    guard request.url.account == nil, hasIdentity || request.url.user != nil || !request.options.headers.isEmpty
    else { return nil }
    let now = clock.wallTime()
    return identity.withLock { state in
      var credentials = state.rule.credentials(to: request.url, request.options.headers)
      credentials.jarCookies = credentials.jar == nil ? nil : state.jar?.field(for: url, at: now)
      return credentials
    }
  }

  /// The fields of a request to `url` as a cache may store them, for answers that vary by them. Values that may be
  /// secret are replaced by salts.
  func cacheFields(of request: FetchRequest, at url: WebURL) -> HeaderFields {
    var fields = RequestForm.plainFields(request, for: url, configuration)
    if let credentials = credentials(of: request, at: url, from: request.url) {
      fields += credentials.fields
      if let keys = credentials.account?.keys { fields.append(("Authorization", keys.accessKey)) }
      if let login = credentials.login { fields.append(("Authorization", "\(login.user):\(login.password)")) }
    }
    let secrets = Set(fields.map { $0.name.lowercased() }.filter { !FieldNature.of($0).contains(.shown) }).sorted()
    if secrets.isEmpty { return HeaderFields(fields) }
    let given = HeaderFields(fields)
    var shown = HeaderFields(fields.filter { FieldNature.of($0.name).contains(.shown) })
    for name in secrets {
      // Salted in the form in which equal values are equal bytes, because only the bytes can be compared afterwards.
      let equal = Variance(HeaderFields([(name: "vary", value: name)])).selecting(from: given)
      shown.append(name, String(salt(of: equal.encoded()), radix: 16))
    }
    return shown
  }

  /// The fields of the request that the answer's Vary names, for a later look under HTTP's rules.
  func selectingFields(of request: FetchRequest, for head: AnswerHead) -> [(String, String)] {
    guard head.fields.contains("vary") else { return [] }
    return Variance(head.fields).selecting(from: cacheFields(of: request, at: head.url)).map { ($0.name, $0.value) }
  }

  /// Takes the cookies that an answer sets, from an origin that got the run's own.
  func takeCookies(_ fields: HeaderFields, from url: WebURL) {
    guard configuration.identity.jar != nil, fields.contains("set-cookie") else { return }
    let now = clock.wallTime()
    identity.withLock { $0.jar?.take(fields, from: url, at: now) }
  }

  private func salt(of material: [UInt8]) -> UInt64 { Salting.salt(material, under: secret()) }

  /// The cache's secret, or one of this run alone if no cache can be written.
  private func secret() -> [UInt8] {
    if let known = identity.withLock({ $0.secret }) { return known }
    let read = disk.flatMap { try? $0.secret() }
    return identity.withLock { state in
      if let known = state.secret { return known }
      var random = SystemRandomNumberGenerator()
      let secret = read ?? (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      state.secret = secret
      return secret
    }
  }
}
