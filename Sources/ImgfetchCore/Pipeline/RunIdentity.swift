import Synchronization

/// The identity of this run: it salts keys, and gives requests their credentials. None of it is ever printed or stored.
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

  /// Binds the credentials that belong to one origin to that of the first URL of the run, which was read,
  /// whether or not it is asked for.
  func bind(to url: WebURL) { identity.withLock { $0.rule.bind(to: url.origin) } }

  /// The cookies as answers have left them, or nil if nothing has changed.
  var changedCookies: CookieJar? { identity.withLock { $0.jar?.isChanged == true ? $0.jar : nil } }

  /// A key of the program's own has the mark of a given key, which no URL has.
  private func keyURL(for url: WebURL, _ shared: SharedOptions) -> String {
    if let keyHook, shared.values.isOwn, let key = keyHook(url) { return KeyFilter(replacement: key).key(for: url) }
    return shared.values.keyFilter.key(for: url)
  }

  /// The key of a request, which decides where the answer is kept, and which other requests it answers.
  func key(of request: FetchRequest) -> CacheKey {
    let url = keyURL(for: request.url, request.shared)
    let headers = request.shared.values.headers
    if !hasIdentity && request.isUsual { return CacheKey(url: url) }
    let (credentials, isForeign) = identity.withLock { state in
      // A list that brings its own credentials leaves the run's to the first image.
      if request.stream == nil || !request.hasOwnCredentials { state.rule.bind(to: request.url.origin) }
      let isForeign =
        !state.hasWarned && state.rule.home != request.url.origin && state.rule.isBound(with: headers)
      if isForeign { state.hasWarned = true }
      return (state.rule.credentials(to: request.url, headers), isForeign ? state.rule.home : nil)
    }
    if let home = isForeign {
      warn?("what says who asks is for \(home), the origin of the first URL; other origins are not told")
    }
    let material = Salting.material(
      credentials, headers, request.options.policy, configuration.network, asking: request.options,
      mirrors: request.mirrors)
    return CacheKey(url: url, salt: material.map(salt))
  }

  /// True if a request whose key has no salt has nothing else in it that identifies the asker.
  func isPublic(_ request: FetchRequest) -> Bool {
    let identity = configuration.identity
    return identity.cookies.isEmpty && identity.jar == nil && !request.hasOwnCredentials
      && request.options.headers.allSatisfy { !Salting.mayBeSecret($0.name) }
  }

  /// The key of a hop that a redirect or a mirror led to. Another origin gets no credentials, so its
  /// answer is the same for all.
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
    let secrets = Set(fields.map { $0.name.lowercased() }.filter(Salting.mayBeSecret)).sorted()
    if secrets.isEmpty { return HeaderFields(fields) }
    let given = HeaderFields(fields)
    var shown = HeaderFields(fields.filter { !Salting.mayBeSecret($0.name) })
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

  /// 64 bits of an HMAC under the cache's secret. They tell users apart and reveal nothing about them.
  private func salt(of material: [UInt8]) -> UInt64 {
    SHA256.keyed(secret(), material).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

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

  /// Header fields that are credentials.
  static let secretFields = FetchOptions.secretFields
  /// Header fields that identify the request, or the program's operator, and do not affect the answer.
  static let tracingFields = FetchOptions.tracingFields

  /// True if anything belongs to one origin only.
  func isBound(with headers: [Header]) -> Bool {
    identity.login != nil || identity.bearer != nil || !identity.cookies.isEmpty || identity.certificate != nil
      || headers.contains { $0.value != nil && Self.secretFields.contains($0.name.lowercased()) }
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
    // A signature is all that such a store knows: two kinds of credentials in one request are refused.
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
  /// The login for Basic or Digest.
  var login: Login?
  /// The account that signs the request.
  var account: S3Account?
  /// The Authorization field, where it is neither of those.
  var authorization: String?
  /// The certificate for a server that wants one.
  var certificate: ClientCertificate?
  /// Cookies that do not come from the jar.
  var cookie: String?
  /// The jar that adds to the cookies, or nil for none.
  var jar: String?
  /// The cookies that the jar adds for one URL.
  var jarCookies: String?
  /// Other fields that are credentials.
  var further: [(name: String, value: String)] = []

  /// True if there are none.
  var isEmpty: Bool {
    login == nil && account == nil && authorization == nil && certificate == nil && cookie == nil && jar == nil
      && further.isEmpty
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

/// Decides which requests carry the identity for a store: those for its objects, to the origins of the stores that the
/// user has named. An image of the same origin is requested like any other.
struct StoreRule: Sendable {
  private let identity: StoreIdentity
  private let origins: Set<Origin>

  init(_ identity: StoreIdentity = StoreIdentity(), _ stores: [WebURL] = []) {
    self.identity = identity
    origins = Set(stores.map(\.origin))
  }

  /// Adds the identity to a request to a URL.
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

/// The record of URLs in one run: those that have failed for good, and the keys for which the origin was asked or
/// another process waited for.
///
/// May be called from any thread.
final class RunRecord: Sendable {
  private struct State {
    /// The failures for good, in 16 bytes each. Here and below the keys are those of ``RunDigest``. They are numbers
    /// because the runtime looks up how to hash the keys of a table at its first use, and knows that for numbers.
    var failed: [UInt64: RememberedFailure] = [:]
    /// The number of failures above which expired ones are dropped.
    var mostFailed = RunRecord.leastFailed
    /// Keys that were asked of the origin, under policies that do so once a run.
    var asked: Set<UInt64> = []
    /// Keys for which another process was waited for once.
    var waited: Set<UInt64> = []
  }

  private let state = Guarded(State())
  /// The time for which a failure counts, or nil for ever.
  private let failureAge: Instant.Span?
  private let clock: any Clock
  private let begun: Instant
  private static let leastFailed = 1024
  // Read for each image by several threads. Beside the lock, so that they do not queue for it.
  private let hasFailures = Atomic<Bool>(false)

  init(failureAge: Instant.Span? = nil, clock: any Clock = SystemClock()) {
    self.failureAge = failureAge
    self.clock = clock
    begun = clock.now()
  }

  /// The earlier failure of a key, if there is one.
  ///
  /// - Parameter demands: the hash of the accepted answers: another request may accept one that this does not.
  func failure(of key: CacheKey, demands: Int) -> RememberedFailure? {
    guard hasFailures.load(ordering: .acquiring) else { return nil }
    let digest = RunDigest(key, demands: demands).value
    guard let failure = state.withLock({ $0.failed[digest] }), counts(failure, at: age) else { return nil }
    return failure
  }

  func remember(_ error: FetchError, for key: CacheKey, demands: Int) {
    let now = age
    guard let remembered = RememberedFailure(error, at: now) else { return }
    let digest = RunDigest(key, demands: demands).value
    state.withLock { state in
      if failureAge != nil, state.failed.count >= state.mostFailed {
        state.failed = state.failed.filter { counts($0.value, at: now) }
        state.mostFailed = max(Self.leastFailed, 2 * state.failed.count)
      }
      state.failed[digest] = remembered
    }
    hasFailures.store(true, ordering: .releasing)
  }

  /// Forgets the failure of a key whose image is there by now.
  func forgetFailure(of key: CacheKey, demands: Int) {
    guard hasFailures.load(ordering: .acquiring) else { return }
    let digest = RunDigest(key, demands: demands).value
    state.withLock { _ = $0.failed.removeValue(forKey: digest) }
  }

  /// Tenths of a second since the record was begun. They fill 32 bits in 13 years.
  private var age: UInt32 { UInt32(clamping: (clock.now() - begun).nanoseconds / 100_000_000) }

  private func counts(_ failure: RememberedFailure, at age: UInt32) -> Bool {
    guard let failureAge else { return true }
    return Int64(age) - Int64(failure.noted) < failureAge.nanoseconds / 100_000_000
  }

  /// True if this is the first time in this run that the origin is asked for the key.
  func isFirstAsking(of key: CacheKey) -> Bool {
    let digest = RunDigest(key).value
    return state.withLock { $0.asked.insert(digest).inserted }
  }

  /// Forgets that the origin was asked, because it gave no answer: this does not count as the one time of this run.
  func forgetAsking(of key: CacheKey) {
    if state.withLock({ $0.asked.isEmpty }) { return }
    let digest = RunDigest(key).value
    state.withLock { _ = $0.asked.remove(digest) }
  }

  /// True if this is the first time in this run that another process is waited for, for this key.
  func isFirstWaiting(for key: CacheKey) -> Bool {
    let digest = RunDigest(key).value
    return state.withLock { $0.waited.insert(digest).inserted }
  }
}

/// 64 bits that stand for a URL in the tables of one run, which may hold millions and spend 16 bytes on each.
///
/// The hash that names a cache's files has no key. Two URLs that share half of it can be searched for at leisure,
/// and a server that gives one line of a list could make another line's image count as failed. This hash (SipHash)
/// has a key that is new in each process and never leaves it. Two URLs share a digest by chance only: once in 37
/// million runs of a million URLs.
///
/// It is made where a table is asked: after the first failure, under policies that ask once a run, and before another
/// process is waited for. A list in which nothing fails makes none.
struct RunDigest {
  let value: UInt64

  /// Creates the digest of a key, and of the demands on its answer.
  init(_ key: CacheKey, demands: Int = 0) {
    var hasher = Hasher()
    hasher.combine(key.url)
    hasher.combine(key.salt)
    hasher.combine(key.variant)
    hasher.combine(demands)
    value = UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

/// The URLs that failed for good, in this run or (on disk, if that is asked for) in an earlier one.
struct KnownFailures: Sendable {
  let record: RunRecord
  let disk: DiskCache?
  /// Decides whether a failure is remembered. With nil, all are.
  let isRemembered: (@Sendable (FetchError) -> Bool)?

  /// The earlier failure because of which a flight's URL is not asked for again, or nil if it may be.
  ///
  /// - Parameter stored: the time at which the present image was stored. An earlier failure is over.
  func failure(of flight: Flight, stored: WallTime?) -> FetchError? {
    let options = flight.options
    if options.retriesFailed { return nil }
    let key = flight.urlKey
    if let failure = record.failure(of: key, demands: flight.shared.demands) {
      return failure.error(for: flight.request.url)
    }
    guard options.policy.storesOnDisk, let span = options.skipsFailedFor,
      let note = disk?.failureNote(of: key, within: span.inSeconds), note.failed > stored ?? WallTime(nanoseconds: .min)
    else { return nil }
    return note.error(for: flight.request.url)
  }

  /// True if a later run need not ask either, for a while.
  private static func isWorthNoting(_ error: FetchError) -> Bool {
    error.kind == .notImage || (error.kind == .http && FailureNote.gone.contains(error.status ?? 0))
  }

  /// Remembers that a flight failed.
  func note(_ error: FetchError, of flight: Flight) {
    let options = flight.options
    let key = flight.urlKey
    record.forgetAsking(of: flight.key)
    // It is the last mirror's, and another request may name other mirrors.
    if !flight.leader.request.mirrors.isEmpty { return }
    if let isRemembered, !isRemembered(error) { return }
    record.remember(error, for: key, demands: flight.shared.demands)
    if options.policy.storesOnDisk, let span = options.skipsFailedFor, Self.isWorthNoting(error) {
      // No image is no image, whatever status came with it.
      disk?.noteFailure(of: key, status: error.kind == .http ? error.status ?? 200 : 200, for: span.inSeconds)
    }
  }

  /// Forgets the failure of a URL that has given an image.
  func forget(_ flight: Flight) {
    record.forgetFailure(of: flight.urlKey, demands: flight.shared.demands)
    if flight.options.skipsFailedFor != nil { disk?.removeFailureNote(of: flight.urlKey) }
  }
}

extension FailureNote {
  func error(for url: WebURL) -> FetchError {
    let isGone = Self.gone.contains(status)
    let reason =
      (isGone ? "the server answered \(AnswerRule.phrase(status))" : "it was no image") + " in an earlier run"
    return FetchError(isGone ? .http : .notImage, url.display, reason, status: status, remedy: .askAgain)
  }

  /// Statuses that say more than "not now, not you".
  fileprivate static let gone = [404, 410]
}
