import Synchronization

// Who asks: what keys are salted with, and what goes along with a request. Nothing of this is ever printed or stored.
extension Engine {
  /// What is known of who asks, while a run goes on.
  struct IdentityState {
    var rule: IdentityRule
    var jar: CookieJar?
    var hasWarned = false
    /// Under which salts are made; nil: not asked for yet.
    var secret: [UInt8]?
  }

  /// The first URL of the run was read, whether or not it is asked for: what belongs to one origin belongs to its.
  func bindIdentity(to url: WebURL) { identity.withLock { $0.rule.bind(to: url.origin) } }

  /// The cookies as answers have left them; nil: nothing has changed.
  var changedCookies: CookieJar? { identity.withLock { $0.jar?.isChanged == true ? $0.jar : nil } }

  /// What decides where the answer to a request is kept, and who else it answers.
  func key(of request: FetchRequest) -> CacheKey {
    let url = request.options.keyFilter.key(for: request.url)
    let headers = request.options.headers
    let isPlain = !configuration.hasIdentity && headers.isEmpty && request.url.user == nil
    if isPlain && !request.mirrors.contains(where: { $0.user != nil }) { return CacheKey(url: url) }
    let (introduction, isForeign) = identity.withLock { state in
      state.rule.bind(to: request.url.origin)
      let isForeign =
        !state.hasWarned && state.rule.home != request.url.origin && state.rule.isBound(with: headers)
      if isForeign { state.hasWarned = true }
      return (state.rule.introduction(to: request.url, headers), isForeign ? state.rule.home : nil)
    }
    if let home = isForeign {
      hooks.warn?("what says who asks is for \(home), the origin of the first URL; other origins are not told")
    }
    let material = Salting.material(
      introduction, headers, request.options.policy, configuration.network, mirrors: request.mirrors)
    return CacheKey(url: url, salt: material.map(salt))
  }

  /// The key of a hop that a redirect or a mirror led to. Another origin is told nothing of who asks, and so answers
  /// everybody alike.
  func key(of flight: Flight, at url: WebURL) -> CacheKey {
    let key = flight.options.keyFilter.key(for: url)
    if url.origin == flight.request.url.origin { return CacheKey(url: key, salt: flight.key.salt) }
    let material = Salting.material(Introduction(), [], flight.options.policy, configuration.network)
    return CacheKey(url: key, salt: material.map(salt))
  }

  /// What goes along with a request of a flight to `url`, where a flight or one of its mirrors has got to; `start` is where
  /// that set out from. To another origin than that nothing does.
  func introduction(of flight: Flight, at url: WebURL, from start: WebURL) -> Introduction? {
    guard configuration.hasIdentity || !flight.isAnonymous, url.origin == start.origin else { return nil }
    let request = flight.request
    if start.origin != request.url.origin {
      // A mirror elsewhere gets what the user wrote into its URL, and nothing else.
      guard let user = start.user else { return nil }
      return Introduction(login: Login(user: user, password: start.password ?? ""))
    }
    guard configuration.hasIdentity || request.url.user != nil || !request.options.headers.isEmpty else { return nil }
    let now = clock.wallTime()
    return identity.withLock { state in
      var introduction = state.rule.introduction(to: request.url, request.options.headers)
      introduction.jarCookies = introduction.jar == nil ? nil : state.jar?.field(for: url, at: now)
      return introduction
    }
  }

  /// The fields of a request to `url` as a cache may write them down, for answers that vary by them: of those that may be
  /// somebody's secret not the values but salts.
  func cacheFields(of flight: Flight, at url: WebURL) -> HeaderFields {
    var fields = RequestForm.plainFields(flight.request, for: url, configuration)
    if let introduction = introduction(of: flight, at: url, from: flight.request.url) {
      fields += introduction.fields
      if let login = introduction.login { fields.append(("Authorization", "\(login.user):\(login.password)")) }
    }
    let secrets = Set(fields.map { $0.name.lowercased() }.filter(Salting.mayBeSecret)).sorted()
    if secrets.isEmpty { return HeaderFields(fields) }
    let given = HeaderFields(fields)
    var shown = HeaderFields(fields.filter { !Salting.mayBeSecret($0.name) })
    for name in secrets {
      // Salted in the form in which equal ones are equal bytes, since nothing can be compared afterwards but the bytes.
      let equal = Variance(HeaderFields([(name: "vary", value: name)])).selecting(from: given)
      shown.append(name, String(salt(of: equal.encoded()), radix: 16))
    }
    return shown
  }

  /// Those fields of the request that the answer's Vary names, for who looks at it under HTTP's rules later.
  func selectingFields(of flight: Flight, for head: AnswerHead) -> [(String, String)] {
    guard head.fields.contains("vary") else { return [] }
    return Variance(head.fields).selecting(from: cacheFields(of: flight, at: head.url)).map { ($0.name, $0.value) }
  }

  /// Cookies that an answer sets, of an origin that the run's own were shown to.
  func takeCookies(_ fields: HeaderFields, from url: WebURL) {
    guard configuration.identity.jar != nil, fields.contains("set-cookie") else { return }
    let now = clock.wallTime()
    identity.withLock { $0.jar?.take(fields, from: url, at: now) }
  }

  /// 64 bits of an HMAC under the cache's secret: they tell askers apart and tell nothing about them.
  private func salt(of material: [UInt8]) -> UInt64 {
    SHA256.keyed(secret(), material).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Without a cache that can be written, a secret of this run alone.
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
