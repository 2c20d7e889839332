import CCurlShim
import Glibc

/// One of libcurl's easy handles, set up for one request after the other.
///
/// Options that are the same for all requests of a loop are set once. They stay, since the handle is reset only after
/// it has carried credentials or a body, or a request that was sent again. Every option that libcurl refuses is
/// reported by `check`.
@safe
struct CurlHandle: ~Copyable {
  let easy: UnsafeMutableRawPointer
  /// The buffer into which libcurl writes the text of an error.
  private let errorText: UnsafeMutablePointer<CChar>
  /// The number by which the loop finds the transfer of an ended handle.
  private let slot: Int
  private var requestLines: CurlList?
  /// The last list of addresses that was given to libcurl.
  private var addressLines: CurlList?
  private var times: (pipeWait: Int, connect: Int)?
  private var isConfigured = false
  private var hasTrustStore = false
  private var hasTrustStoreForProxy = false
  /// True if the previous request had credentials or a body, or was sent again.
  private var mustBeReset = false
  /// The position of libcurl in the file that it sends.
  private let source: UnsafeMutablePointer<imgfetch_source>
  private var origin = CurlOrigin()
  /// True if libcurl has the origin's parts, instead of a URL to parse.
  private var hasOrigin = false
  /// True if libcurl has the request's target, and does not write it itself.
  private var hasTarget = false
  /// The place that TLS sessions are looked up in.
  private var sessions: UnsafeMutableRawPointer?
  /// True if the connection is closed after the request.
  private var isLast = false

  /// Nil if libcurl has no memory for a handle.
  init?(slot: Int) {
    guard let easy = unsafe imgfetch_easy_init() else { return nil }
    unsafe self.easy = easy
    self.slot = slot
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    unsafe source = .allocate(capacity: 1)
    unsafe source.initialize(to: imgfetch_source())
  }

  deinit {
    unsafe imgfetch_easy_cleanup(easy)
    unsafe errorText.deallocate()
    unsafe source.deallocate()
  }

  /// The message that libcurl wrote about an error since the last ``clearError()``.
  var error: String {
    // Proof: libcurl ends its texts there with a NUL, within the buffer.
    unsafe String(cString: errorText)
  }

  func clearError() {
    // Proof: the buffer has CURL_ERROR_SIZE bytes.
    unsafe errorText[0] = 0
  }

  /// A number that libcurl knows about the last request; 0 where it does not know it.
  func number(_ info: CURLINFO) -> Int {
    var value = 0
    guard unsafe imgfetch_easy_get_long(easy, info, &value) == CURLE_OK else { return 0 }
    return value
  }

  /// A time in microseconds, or 0 if the event has not happened.
  func time(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    guard unsafe imgfetch_easy_get_offset(easy, info, &value) == CURLE_OK else { return 0 }
    return Int64(value)
  }

  /// A text that libcurl knows about the last request. Proof: it ends with a NUL, and is valid
  /// until the handle's next call.
  @unsafe
  func text<Result>(_ info: CURLINFO, _ use: (UnsafePointer<CChar>) -> Result?) -> Result? {
    unsafe imgfetch_easy_get_text(easy, info).flatMap(use)
  }

  /// Sets the handle up for the transfer's request. The callbacks that libcurl makes for it go to the
  /// transfer and to its loop.
  mutating func prepare(for transfer: CurlTransfer) throws(TransportFailure) {
    let (loop, request) = (transfer.loop, transfer.state.request)
    if mustBeReset {
      // The share and the connections stay; the credentials go, and the body of a PUT.
      unsafe imgfetch_easy_reset(easy)
      isConfigured = false
      (hasTrustStore, hasTrustStoreForProxy) = (false, false)
      mustBeReset = false
      (hasOrigin, hasTarget, isLast) = (false, false, false)
    }
    if isLast { try set(CURLOPT_FORBID_REUSE, 0) }
    isLast = false
    if !isConfigured { try configure(for: transfer) }
    let isSecure = request.url.hasPrefix("https:")
    let isDigest = request.credentials?.scheme == .digest
    if isDigest {
      // It signs what libcurl would send.
      try ask(forWhole: RequestText.quotable(request.url))
    } else if !isSecure, loop.options.httpProxy != nil {
      try ask(proxyFor: request.url, isForAllHosts: loop.options.noProxy?.isEmpty != false)
    } else {
      try ask(for: request.url)
    }
    if isSecure {
      if !hasTrustStore { try trust(loop.trustStore, loop.options) }
      useSessions(of: loop.sessions, for: request.url)
    }
    if !hasTrustStoreForProxy, loop.options.hasSecureProxy { try trustProxy(by: loop.trustStore) }
    if loop.options.httpProxy != loop.options.httpsProxy {
      try set(CURLOPT_PROXY, (isSecure ? loop.options.httpsProxy : loop.options.httpProxy) ?? "")
    }
    // Simultaneous requests to one host wait for its HTTP/2 connection instead of opening dozens. Without TLS there is
    // no HTTP/2 to wait for, and libcurl would notice only when the first response has ended (measured, 7.88).
    let pipeWait = isSecure && loop.options.httpVersion != .http1 ? 1 : 0
    // 0 would mean libcurl's default of five minutes.
    let milliseconds = max(1, min(request.connectTimeout.milliseconds, Int(Int32.max)))
    if times?.pipeWait != pipeWait || times?.connect != milliseconds {
      try set(CURLOPT_PIPEWAIT, pipeWait)
      try set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
      times = (pipeWait, milliseconds)
    }
    // Else a rule about addresses would be passed by on a connection that was opened under another one: only for a new
    // one does an older libcurl ask whether its address may be used.
    if !loop.announcesRequests { try set(CURLOPT_FRESH_CONNECT, request.addressRule.isAny ? 0 : 1) }
    let lines = try loop.fieldLines(for: request)
    if lines !== requestLines {
      try unsafe set(CURLOPT_HTTPHEADER, pointer: lines.list)
      requestLines = lines
    }
    try hand(loop.addressLines(for: request))
    if let credentials = request.credentials { try identify(credentials) }
    if let certificate = request.certificate { try show(certificate) }
    if let upload = request.upload { try send(upload) }
    if let method = request.method {
      mustBeReset = true
      if method == "HEAD" { try set(CURLOPT_NOBODY, 1) } else { try set(CURLOPT_CUSTOMREQUEST, method) }
    }
  }

  /// Notes that libcurl sends the request again, since the connection was lost before an answer. It does so five times,
  /// which it counts until the handle is reset: else the losses of earlier requests would count against a later one.
  mutating func noteRepetition() { mustBeReset = true }

  /// Has the handle use the TLS sessions that the store has for a URL's origin, and leave its own there.
  private mutating func useSessions(of store: SessionStore, for url: String) {
    let share = unsafe store.share(for: url)
    guard unsafe share != sessions else { return }
    // If this fails, TLS sessions are not shared; nothing else depends on it. Proof: the loop keeps the store until
    // the handle is gone.
    _ = unsafe imgfetch_easy_set_pointer(easy, CURLOPT_SHARE, share)
    unsafe sessions = share
  }

  /// Has the connection of the current request closed after it, unless other requests use it. If libcurl refuses that,
  /// the connection stays open.
  mutating func closeAfterwards() { isLast = unsafe imgfetch_easy_set_long(easy, CURLOPT_FORBID_REUSE, 1) == CURLE_OK }

  /// Shows a certificate to a server that wants one. Connections that have shown another one, or
  /// none, are not used for it.
  private mutating func show(_ certificate: ClientCertificate) throws(TransportFailure) {
    mustBeReset = true
    try set(CURLOPT_SSLCERT, certificate.file)
    try set(CURLOPT_SSLKEY, certificate.key)
    // Else OpenSSL asks for it at the terminal, and all transfers wait.
    try set(CURLOPT_KEYPASSWD, "")
  }

  /// Makes it a PUT of a file.
  private mutating func send(_ upload: Upload) throws(TransportFailure) {
    mustBeReset = true
    // Proof: the transfer's request keeps the file open until the handle is set up for another one, and `source`
    // lives as long as the handle.
    unsafe source.pointee = imgfetch_source(
      file: upload.file.file.raw, start: upload.start, length: upload.length, place: 0)
    try check(unsafe imgfetch_easy_set_source(easy, source), CURLOPT_READFUNCTION)
    // Sent bytes are a sign of life: a large file takes longer than a server may be silent.
    try set(CURLOPT_NOPROGRESS, 0)
  }

  /// Gives libcurl the addresses of a name. libcurl keeps addresses for all handles of the loop, for a minute, and
  /// takes a list when the next request begins, so each request brings its own. The user's addresses never expire, and
  /// are given once.
  private mutating func hand(_ addresses: (lines: CurlList, isUsers: Bool)?) throws(TransportFailure) {
    guard let addresses, !(addresses.isUsers && addresses.lines === addressLines) else { return }
    try unsafe set(CURLOPT_RESOLVE, pointer: addresses.lines.list)
    addressLines = addresses.lines
  }

  /// Asks the URL's origin for path and query as they stand. From a URL libcurl 8 leaves out a `?` with nothing behind
  /// it, and a URL's signature may be over that.
  private mutating func ask(for url: String) throws(TransportFailure) {
    guard let target = RequestText.target(of: url) else { return try ask(forWhole: url) }
    if !origin.holds(url, upTo: target.start) {
      guard origin.become(url, upTo: target.start) else { return try ask(forWhole: url) }
      hasOrigin = false
    }
    if !hasOrigin {
      // Where libcurl tries again over another connection, it may start from the text.
      try set(CURLOPT_URL, origin.text)
      try unsafe set(CURLOPT_CURLU, pointer: UnsafeMutableRawPointer(origin.parts))
      hasOrigin = true
    }
    try set(CURLOPT_REQUEST_TARGET, target.text)
    hasTarget = true
  }

  /// Asks a proxy, which wants the whole URL. Only libcurl knows the hosts that are exempt from it,
  /// which want the target alone.
  private mutating func ask(proxyFor url: String, isForAllHosts: Bool) throws(TransportFailure) {
    try ask(forWhole: url)
    guard isForAllHosts, let target = RequestText.target(of: url), target.text.hasSuffix("?") else { return }
    try set(CURLOPT_REQUEST_TARGET, String(url.utf8Span.span, 0..<target.start) + target.text)
    hasTarget = true
  }

  /// Has libcurl parse the URL and write the request's target.
  private mutating func ask(forWhole url: String) throws(TransportFailure) {
    if hasOrigin { try unsafe set(CURLOPT_CURLU, pointer: nil) }
    if hasTarget { try set(CURLOPT_REQUEST_TARGET, nil) }
    (hasOrigin, hasTarget) = (false, false)
    try set(CURLOPT_URL, url)
  }

  private mutating func configure(for transfer: CurlTransfer) throws(TransportFailure) {
    let (loop, options) = (transfer.loop, transfer.loop.options)
    requestLines = nil
    addressLines = nil
    times = nil
    var callbacks = CurlTransfer.callbacks
    if !loop.announcesRequests { unsafe callbacks.prerequest = nil }
    // Proof: unretained, for the reasons given beside the callbacks.
    try check(
      unsafe imgfetch_easy_set_callbacks(
        easy, &callbacks, Unmanaged.passUnretained(transfer).toOpaque(), Unmanaged.passUnretained(loop).toOpaque()),
      CURLOPT_WRITEFUNCTION)
    try unsafe set(CURLOPT_PRIVATE, pointer: UnsafeMutableRawPointer(bitPattern: slot))
    try unsafe set(CURLOPT_ERRORBUFFER, pointer: errorText)
    // Where requests are not announced, this is the first call after one was sent.
    if !loop.announcesRequests { try set(CURLOPT_NOPROGRESS, 0) }
    // libcurl installs no signal handlers, for its timers or against SIGPIPE: all signals are blocked on this thread.
    try set(CURLOPT_NOSIGNAL, 1)
    try allowProtocols()
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    // Content codings are undone elsewhere, piece by piece. Transfer codings are refused when their field comes: to
    // switch those off as well would leave the chunks of HTTP/1.1 to be undone here.
    try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    // Dot segments were resolved when the URL was parsed. Signed URLs are signed over exactly these bytes.
    try set(CURLOPT_PATH_AS_IS, 1)
    // A hanging resolver would delay the end of the process. Versions before 7.87 lack the option,
    // which is no reason to fail.
    _ = unsafe imgfetch_easy_set_long(easy, CURLOPT_QUICK_EXIT, 1)
    // A SOCKS proxy gets a name and a password, or nothing. Kerberos would be asked for a ticket on this thread, and
    // the proxy's part of that awaited on it, with all transfers standing still.
    _ = unsafe imgfetch_easy_set_long(easy, CURLOPT_SOCKS5_AUTH, 1 << 0)
    try set(CURLOPT_TCP_NODELAY, 1)
    unsafe imgfetch_easy_release_buffers(easy)
    // libcurl refuses it while a handle that was reset still has the buffer of its last transfer, as after one that
    // shared its HTTP/2 connection. That buffer does.
    _ = unsafe imgfetch_easy_set_long(easy, CURLOPT_BUFFERSIZE, loop.receiveSize)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(
      CURLOPT_HTTP_VERSION,
      options.httpVersion == .http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
    switch options.addressFamily {
    case .any: break
    case .v4: try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .v6: try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
    // If these are not set, libcurl reads the environment.
    try set(CURLOPT_PROXY, options.httpProxy ?? "")
    try set(CURLOPT_NOPROXY, options.noProxy ?? "")
    isConfigured = true
  }

  /// Versions before 7.85 take the protocols by their numbers only: 1 and 2 are http and https.
  private func allowProtocols() throws(TransportFailure) {
    let code = unsafe "http,https".withCString { unsafe imgfetch_easy_set_text(easy, CURLOPT_PROTOCOLS_STR, $0) }
    if code == CURLE_OK { return }
    try set(CURLOPT_PROTOCOLS, 1 | 2)
  }

  private mutating func trust(_ store: TrustStore, _ options: NetworkOptions) throws(TransportFailure) {
    if options.isInsecure {
      try set(CURLOPT_SSL_VERIFYPEER, 0)
      try set(CURLOPT_SSL_VERIFYHOST, 0)
    }
    try trust(store, file: CURLOPT_CAINFO, folder: CURLOPT_CAPATH)
    hasTrustStore = true
  }

  private mutating func trustProxy(by store: TrustStore) throws(TransportFailure) {
    try trust(store, file: CURLOPT_PROXY_CAINFO, folder: CURLOPT_PROXY_CAPATH)
    hasTrustStoreForProxy = true
  }

  /// Sets the certificates that those of the servers, or of a proxy, are checked against.
  private func trust(
    _ store: TrustStore, file fileOption: CURLoption, folder folderOption: CURLoption
  ) throws(TransportFailure) {
    switch store {
    case .builtIn:
      // What a libcurl from elsewhere was built with is right for its own system.
      if CurlLibrary.isFromFile, let file = TrustStore.usualFile { try set(fileOption, file) }
    case .elsewhere(let file, let folder):
      // Unset options keep libcurl's built-in values, as with curl.
      if let file { try set(fileOption, file) }
      if let folder { try set(folderOption, folder) }
    case .file(let path):
      try set(fileOption, path)
      try set(folderOption, nil)
    case .folder(let path):
      try set(fileOption, nil)
      try set(folderOption, path)
    }
  }

  private mutating func identify(_ credentials: Credentials) throws(TransportFailure) {
    // Also checked where they are read. All credentials pass here, those of a library's user too.
    guard RequestText.isCredential(credentials.user), RequestText.isCredential(credentials.password) else {
      throw TransportFailure(.refusedRequest, "the name or password holds control characters")
    }
    mustBeReset = true
    try set(CURLOPT_USERNAME, credentials.user)
    try set(CURLOPT_PASSWORD, credentials.password)
    // With both bits libcurl would first send a request without credentials, to learn which scheme the server offers.
    try set(CURLOPT_HTTPAUTH, credentials.scheme == .digest ? 1 << 1 : 1 << 0)
    // Only for Digest, since libcurl calls it for each read.
    if credentials.scheme == .digest { try set(CURLOPT_NOPROGRESS, 0) }
  }

  private func set(_ option: CURLoption, _ value: Int) throws(TransportFailure) {
    try check(unsafe imgfetch_easy_set_long(easy, option, value), option)
  }

  private func set(_ option: CURLoption, _ text: String?) throws(TransportFailure) {
    guard let text else { return try check(unsafe imgfetch_easy_set_text(easy, option, nil), option) }
    // Proof: libcurl copies the text during the call.
    let code = unsafe text.withCString { characters -> CURLcode? in
      unsafe strlen(characters) == text.utf8.count ? imgfetch_easy_set_text(easy, option, characters) : nil
    }
    guard let code else { throw TransportFailure(.other, "a URL, name or path holds a NUL character") }
    try check(code, option)
  }

  /// Proof, for each caller: what the pointer refers to lives until the option is set again or
  /// the handle is cleaned up.
  @unsafe
  private func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) throws(TransportFailure) {
    try check(unsafe imgfetch_easy_set_pointer(easy, option, pointer), option)
  }

  private func check(_ code: CURLcode, _ option: CURLoption) throws(TransportFailure) {
    guard code != CURLE_OK else { return }
    throw TransportFailure(.other, "libcurl refuses its option \(option.rawValue) (code \(code.rawValue))")
  }
}
