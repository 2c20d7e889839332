import CCurlShim
import Glibc

// How a handle is set up. Every refusal of libcurl's passes through `check`.
extension CurlTransfer {
  /// Sets the handle up for the request it has begun. What is the same for all transfers is set once: it stays, since
  /// the handle is reset only after it has carried somebody's credentials.
  func prepare(_ options: NetworkOptions) throws(TransportFailure) {
    if carriedCredentials {
      // The share and the connections stay, nothing of the identity does.
      unsafe imgfetch_easy_reset(easy)
      isConfigured = false
      hasTrustStore = false
      hasURL = false
      carriedCredentials = false
    }
    if !isConfigured { try configure(options) }
    let request = state.request
    let isSecure = request.url.hasPrefix("https:")
    try set(request, isProxied: !isSecure && options.httpProxy?.isEmpty == false)
    if isSecure, !hasTrustStore { try trust(loop.trustStore, options) }
    if options.httpProxy != options.httpsProxy {
      try set(CURLOPT_PROXY, (isSecure ? options.httpsProxy : options.httpProxy) ?? "")
    }
    // A burst for one host waits for its HTTP/2 connection, and does not open dozens. Without TLS there is none to wait for, and
    // libcurl would notice only when the first answer has ended (measured, 7.88).
    let pipeWait = isSecure && options.httpVersion != .http1 ? 1 : 0
    // 0 would mean libcurl's own five minutes.
    let milliseconds = max(1, min(request.connectTimeout.milliseconds, Int(Int32.max)))
    if times?.pipeWait != pipeWait || times?.connect != milliseconds {
      try set(CURLOPT_PIPEWAIT, pipeWait)
      try set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
      times = (pipeWait, milliseconds)
    }
    let lines = try loop.fieldLines(for: request)
    if lines !== requestLines {
      try unsafe set(CURLOPT_HTTPHEADER, pointer: lines.list)
      requestLines = lines
    }
    if let credentials = request.credentials { try identify(credentials) }
  }

  private func set(_ request: TransferRequest, isProxied: Bool) throws(TransportFailure) {
    // What a proxy is asked for after a challenge libcurl spells anew: from the text it signs what it sends then, and from a URL that is
    // taken apart what it had.
    let isDigest = request.credentials?.scheme == .digest
    let text = isDigest ? RequestText.quotable(request.url) : request.url
    let isTakenApart = !(isProxied && isDigest) && url.become(text)
    // Before the text: later libcurls (seen with 8.12) drop the text when this is set, even to nothing.
    if isTakenApart != hasURL {
      try unsafe set(CURLOPT_CURLU, pointer: isTakenApart ? UnsafeMutableRawPointer(url.handle) : nil)
      hasURL = isTakenApart
    }
    // In any case: where 7.88 asks a second time it looks at the text too, and would look at the one before.
    try set(CURLOPT_URL, text)
  }

  private func configure(_ options: NetworkOptions) throws(TransportFailure) {
    requestLines = nil
    times = nil
    var callbacks = Self.callbacks
    // Proof: unretained, for the reasons that stand beside the callbacks.
    try check(
      unsafe imgfetch_easy_set_callbacks(
        easy, &callbacks, Unmanaged.passUnretained(self).toOpaque(), Unmanaged.passUnretained(loop).toOpaque()),
      CURLOPT_WRITEFUNCTION)
    try unsafe set(CURLOPT_PRIVATE, pointer: UnsafeMutableRawPointer(bitPattern: slot))
    try unsafe set(CURLOPT_ERRORBUFFER, pointer: errorText)
    // No signal handler for its timers, and none against SIGPIPE: all signals are blocked on this thread.
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    // The path has been resolved where it is typed; whoever signed it signed these very bytes.
    try set(CURLOPT_PATH_AS_IS, 1)
    // A resolver that hangs would hold the end of the process up. Older than 7.87 it does; that is no reason to fail.
    _ = unsafe imgfetch_easy_set_long(easy, CURLOPT_QUICK_EXIT, 1)
    try set(CURLOPT_TCP_NODELAY, 1)
    try set(CURLOPT_BUFFERSIZE, loop.receiveSize)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(
      CURLOPT_HTTP_VERSION,
      options.httpVersion == .http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
    switch options.ipVersion {
    case .any: break
    case .v4: try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .v6: try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
    // Where these are not set libcurl looks into the environment.
    try set(CURLOPT_PROXY, options.httpProxy ?? "")
    try set(CURLOPT_NOPROXY, options.noProxy ?? "")
    if let resolve = loop.resolveList { try unsafe set(CURLOPT_RESOLVE, pointer: resolve.list) }
    isConfigured = true
  }

  private func trust(_ store: TrustStore, _ options: NetworkOptions) throws(TransportFailure) {
    if options.isInsecure {
      try set(CURLOPT_SSL_VERIFYPEER, 0)
      try set(CURLOPT_SSL_VERIFYHOST, 0)
    }
    switch store {
    case .builtIn: break
    case .elsewhere(let file, let folder):
      // What is not set stays what libcurl was built with, as with curl.
      if let file { try set(CURLOPT_CAINFO, file) }
      if let folder { try set(CURLOPT_CAPATH, folder) }
    case .file(let path):
      try set(CURLOPT_CAINFO, path)
      try set(CURLOPT_CAPATH, nil)
    case .folder(let path):
      try set(CURLOPT_CAINFO, nil)
      try set(CURLOPT_CAPATH, path)
    }
    hasTrustStore = true
  }

  private func identify(_ credentials: Credentials) throws(TransportFailure) {
    // Checked where they are read, too. This is the place that no login goes around, a library user's neither.
    guard RequestText.isCredential(credentials.user), RequestText.isCredential(credentials.password) else {
      throw TransportFailure(.refusedRequest, "the name or password holds control characters")
    }
    carriedCredentials = true
    try set(CURLOPT_USERNAME, credentials.user)
    try set(CURLOPT_PASSWORD, credentials.password)
    // Both bits at once would have libcurl ask without any first, for the better of the two.
    try set(CURLOPT_HTTPAUTH, credentials.scheme == .digest ? 1 << 1 : 1 << 0)
    // Asked for here alone, as it is called for each read.
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

  /// Proof, for each caller: what the pointer leads to lives until the option is set anew or the handle is gone.
  @unsafe
  private func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) throws(TransportFailure) {
    try check(unsafe imgfetch_easy_set_pointer(easy, option, pointer), option)
  }

  private func check(_ code: CURLcode, _ option: CURLoption) throws(TransportFailure) {
    guard code != CURLE_OK else { return }
    throw TransportFailure(.other, "libcurl refuses its option \(option.rawValue) (code \(code.rawValue))")
  }
}
