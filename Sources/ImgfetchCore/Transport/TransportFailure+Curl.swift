import CCurlShim

extension TransportFailure {
  /// The circumstances of a transfer that libcurl ended with an error.
  struct Context {
    var code: CURLcode
    /// libcurl's error text; may be empty.
    var text = ""
    /// The errno of the failed system call, if there is one.
    var systemError: Errno?
    /// True if the request was sent.
    var isConnected = false
    var hasHead = false
    var receivedAnything = false
    /// True if the connection had carried other responses before.
    var isConnectionReused = false
    var received: Int64 = 0
    var expected: Int64?
    /// The reason why the address rule refused the address.
    var refusal: String?
    /// The proxy for such URLs, unless their host is exempt.
    var proxy: ProxyAddress?
    /// libcurl's verdict on a proxy that speaks SOCKS (`CURLPX_…`); 0 for none.
    var proxyVerdict = 0
    /// The address in the URL, if it is not of the only family that is used.
    var unfitAddress: IPAddress?
    /// OpenSSL's verdict on the certificate of a proxy that is reached over TLS; 0 for none.
    var proxyCertificateVerdict = 0
    /// OpenSSL's verdict on the server's certificate (`X509_V_ERR_…`); 0 for none, or another TLS library.
    var certificateVerdict = 0

    /// True if libcurl has given up a request after several connections, which only its text tells, or found its
    /// session of HTTP/2 closed, of which it has nothing to tell.
    var isUnprocessed: Bool {
      (code == CURLE_SEND_ERROR && text.hasPrefix("Connection died, tried ")) || (code == CURLE_HTTP2 && text.isEmpty)
    }
  }

  /// Translates libcurl's error code.
  init(_ context: Context) {
    if let failure = Self.proxyFailure(context) ?? Self.secureFailure(context) {
      self = failure
    } else {
      let (kind, reason, isTransient) = Self.judge(context)
      self.init(
        kind, reason, receivedAnything: context.receivedAnything, isTransient: isTransient,
        isConnectionReused: context.isConnectionReused)
    }
    isUnprocessed = context.isUnprocessed && !context.receivedAnything
    curlCode = Int32(clamping: context.code.rawValue)
    systemError = context.systemError
  }

  /// No connection within the connect timeout.
  ///
  /// - Parameters:
  ///   - proxy: The proxy of the connection. It is not known whether the proxy or the server behind it is silent.
  ///   - lacksTLS: True if the server has accepted the connection, and not answered the TLS handshake.
  ///     A server without TLS may
  ///     wait for the rest of a supposed request.
  static func connectTimeout(
    _ span: Instant.Span, through proxy: ProxyAddress? = nil, lacksTLS: Bool = false
  ) -> TransportFailure {
    if lacksTLS, proxy == nil {
      return TransportFailure(
        .timeout, "the server accepts connections there, but did not begin TLS within \(span.inSeconds)",
        isTransient: true,
        cause: .plainServer)
    }
    let way = proxy.map { " through the proxy \($0)" } ?? ""
    return TransportFailure(
      .timeout, "no connection within \(span.inSeconds)\(way)", isTransient: true, cause: proxy.map { _ in .proxy })
  }

  /// The failure of a transfer without a byte within the stall timeout.
  static func stall(_ span: Instant.Span, receivedAnything: Bool) -> TransportFailure {
    let what = receivedAnything ? "nothing more came" : "no answer came"
    return TransportFailure(
      .timeout, "\(what) for \(span.inSeconds)", receivedAnything: receivedAnything, isTransient: true)
  }

  /// The failure of a server that has closed the connection within the header of its answer: libcurl counts what came
  /// as all of it.
  static func headCutShort(receivedAnything: Bool) -> TransportFailure {
    TransportFailure(
      .connect, "the connection was closed within the header of the answer", receivedAnything: receivedAnything,
      isTransient: true)
  }

  /// The failure of a server that has kept this side reading frames without content. Not
  /// transient: it would do so again.
  static func flood(receivedAnything: Bool) -> TransportFailure {
    TransportFailure(
      .protocolError, "the server sends frames of HTTP/2 without an end that bring nothing",
      receivedAnything: receivedAnything)
  }

  /// The overall time limit is reached. Not transient: another attempt has no time left either.
  static func deadline(receivedAnything: Bool) -> TransportFailure {
    TransportFailure(.timeout, "it was not done in the time allowed", receivedAnything: receivedAnything)
  }

  private static func judge(_ facts: Context) -> (Kind, reason: String, isTransient: Bool) {
    // If a name has several addresses, one may have been refused by the rule while another one failed by itself.
    if let refusal = facts.refusal, facts.code == CURLE_COULDNT_CONNECT || facts.code == CURLE_ABORTED_BY_CALLBACK {
      return (.refusedAddress, refusal, false)
    }
    // Which of the two it is depends on the version of libcurl.
    if let address = facts.unfitAddress, [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT].contains(facts.code) {
      let (own, wanted) = if case .v4 = address { ("4", "6") } else { ("6", "4") }
      return (.connect, "its address is one of IPv\(own), and only IPv\(wanted) is used (-\(wanted))", false)
    }
    switch facts.code {
    case CURLE_COULDNT_RESOLVE_HOST: return (.name, "the host name could not be resolved", false)
    case CURLE_COULDNT_CONNECT where facts.systemError == .tooManyOpenFiles:
      return (.resources, "no connection could be opened: too many open files (see 'ulimit -n')", true)
    case CURLE_COULDNT_CONNECT where facts.systemError == .invalidArgument:
      // Only an address that is good on one link alone can be wrong in this way.
      let remedy = "an address of a link needs the name of its interface, as in [fe80::1%25eth0]"
      return (.connect, "invalid argument: \(remedy)", true)
    case CURLE_COULDNT_CONNECT:
      return (.connect, facts.systemError.map { lowered($0.description) } ?? "no connection could be made", true)
    case CURLE_OPERATION_TIMEDOUT: return (.timeout, "it took too long", true)
    case CURLE_PARTIAL_FILE: return (.truncated, brokenOff(facts), true)
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM: return lost(facts)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
      // Bytes that arrive on a reused connection before the status line may be the body of a response
      // that should have had none.
      return (
        .protocolError, "the answer is not HTTP as it should be: \(words(facts))",
        facts.isConnectionReused && !facts.hasHead
      )
    case CURLE_URL_MALFORMAT: return (.other, "the URL is refused: \(words(facts))", false)
    case CURLE_OUT_OF_MEMORY where facts.isConnected && !facts.hasHead, Self.tooLarge:
      // libcurl limits a header line to 100 KB, and reports a longer one by either code, depending on its version.
      return (.limit, "the answer is refused: a line of its header is longer than 100 KB", false)
    case CURLE_OUT_OF_MEMORY: return (.resources, "there is not enough memory", true)
    default: return (.other, words(facts), false)
    }
  }

  /// CURLE_TOO_LARGE, since 8.6.
  private static let tooLarge = CURLcode(100)

  /// A connection that was lost. The message depends on whether a response had begun.
  private static func lost(_ facts: Context) -> (Kind, reason: String, isTransient: Bool) {
    if facts.hasHead { return (.truncated, brokenOff(facts), true) }
    // What libcurl's callbacks refuse is a header of more than 128 KiB. Any request of the connection may be told so,
    // and all are lost with it.
    if facts.text.holds(" returned -902:") {
      return (.limit, "a header of more than 128 KiB came over its connection", true)
    }
    if facts.code == CURLE_GOT_NOTHING {
      return (.connect, "the server closed the connection without an answer", true)
    }
    let cause = facts.systemError.map { lowered($0.description) } ?? words(facts)
    return (.connect, "the connection was lost before an answer came (\(cause))", true)
  }

  private static func brokenOff(_ facts: Context) -> String {
    if let expected = facts.expected { return "the answer was broken off after \(facts.received) of \(expected) bytes" }
    return "the answer was broken off after \(facts.received) bytes"
  }

  /// libcurl's error text without its full stop; its code where the text is empty.
  static func words(_ facts: Context) -> String {
    var text = facts.text
    while let last = text.unicodeScalars.last, last == "." || last.value <= 0x20 { text.unicodeScalars.removeLast() }
    return text.isEmpty ? "libcurl gave up with its code \(facts.code.rawValue)" : text
  }

  /// The text with its first letter in lower case: the system's messages begin with a capital, our clauses do not.
  static func lowered(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }
}

// The reasons why a TLS connection failed, and their remedies.
extension TransportFailure {
  /// The failure of TLS, or nil if it did not fail.
  static func secureFailure(_ facts: Context) -> TransportFailure? {
    if isForWantOfCertificate(facts) {
      return TransportFailure(
        .tls, "the secure connection failed: the server wants a client certificate", cause: .wantsCertificate)
    }
    switch facts.code {
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_USE_SSL_FAILED:
      break
    default: return nil
    }
    if let loss = lossInHandshake(facts) {
      return TransportFailure(.connect, "the connection was lost within the TLS handshake (\(loss))", isTransient: true)
    }
    let (reason, cause) = judgeCertificate(facts) ?? judgeHandshake(facts)
    let way = facts.proxyCertificateVerdict != 0 ? " to \(facts.proxy.map { "the proxy \($0)" } ?? "the proxy")" : ""
    return TransportFailure(
      .tls, "the secure connection\(way) failed: \(reason)", receivedAnything: facts.receivedAnything, cause: cause)
  }

  /// True if the server has broken the connection off for want of a client's certificate. With TLS 1.3 it does so once
  /// the handshake is over for this side, so that libcurl speaks of a connection that was lost. The texts are those of
  /// OpenSSL and GnuTLS.
  private static func isForWantOfCertificate(_ facts: Context) -> Bool {
    let codes = [CURLE_SSL_CONNECT_ERROR, CURLE_SEND_ERROR, CURLE_RECV_ERROR]
    return !facts.hasHead && codes.contains(facts.code)
      && ["alert certificate required", "Certificate is required"].contains { facts.text.holds($0) }
  }

  /// The way in which a connection was lost within the handshake, or nil if TLS itself failed. Servers that restart, or
  /// have too much to do, close connections so. The texts are those of libcurl, OpenSSL and GnuTLS.
  private static func lossInHandshake(_ facts: Context) -> String? {
    guard facts.code == CURLE_SSL_CONNECT_ERROR else { return nil }
    if facts.text.holds("Connection reset by peer") { return "connection reset by peer" }
    for start in ["Recv failure: ", "Send failure: "] where facts.text.hasPrefix(start) {
      return lowered(String(words(facts).dropFirst(start.count)))
    }
    let isClosed = ["SSL_ERROR_SYSCALL", "unexpected eof", "non-properly terminated"].contains { facts.text.holds($0) }
    return isClosed ? "the server closed it" : nil
  }

  /// Judges a certificate's failure by OpenSSL's error numbers, which are the same in every version (x509_vfy.h). For
  /// other libraries libcurl's text decides.
  private static func judgeCertificate(_ facts: Context) -> (String, Cause?)? {
    guard facts.code == CURLE_PEER_FAILED_VERIFICATION else { return nil }
    let isServers = facts.certificateVerdict != 0
    let owner = isServers ? "the server" : "the proxy"
    return switch isServers ? facts.certificateVerdict : facts.proxyCertificateVerdict {
    case 18: ("\(owner)'s certificate is signed by itself, and not among those that are trusted", .unknownAuthority)
    case 19: ("the authority behind \(owner)'s certificate is not among those that are trusted", .unknownAuthority)
    case 2, 20, 21:
      (
        "the certificate of the authority that signed \(owner)'s is missing: it is not among those that are trusted, and "
          + "\(owner) does not send it", .unknownAuthority
      )
    case 9: ("\(owner)'s certificate is not valid yet, by this machine's clock", nil)
    case 10: ("\(owner)'s certificate has expired, by this machine's clock", nil)
    default: nil
    }
  }

  private static func judgeHandshake(_ facts: Context) -> (String, Cause?) {
    if facts.code == CURLE_SSL_CACERT_BADFILE {
      return ("the certificates to trust cannot be read: \(words(facts))", .noAuthorities)
    }
    // The texts of OpenSSL and GnuTLS for a response that is not a TLS record.
    let isPlain = ["wrong version number", "packet length too long", "unexpected TLS packet"].contains {
      facts.text.holds($0)
    }
    if isPlain { return ("the server answers there, but not over TLS", .plainServer) }
    if facts.text.holds("match target host") || facts.text.holds("matches target host") {
      return ("the certificate is for another host (\(words(facts)))", nil)
    }
    let isUnknown = facts.code == CURLE_PEER_FAILED_VERIFICATION && facts.text.holds("self-signed certificate")
    return (words(facts), isUnknown ? .unknownAuthority : nil)
  }
}

// Failures of a proxy, which must be named: the user would look for the fault at the server.
extension TransportFailure {
  /// The failure of the proxy, or nil if it did not fail, or if that is not known.
  static func proxyFailure(_ facts: Context) -> TransportFailure? {
    func failure(_ kind: Kind, _ reason: String, isTransient: Bool) -> TransportFailure {
      TransportFailure(
        kind, reason, receivedAnything: facts.receivedAnything, isTransient: isTransient, cause: .proxy)
    }
    let name = facts.proxy.map { "the proxy \($0)" } ?? "the proxy"
    switch facts.code {
    case CURLE_COULDNT_RESOLVE_PROXY:
      // libcurl does not tell a name that does not exist from a passing failure.
      return failure(.name, "the host name of \(name) could not be resolved", isTransient: true)
    case CURLE_COULDNT_CONNECT where facts.text.hasPrefix("Unsupported proxy"):
      let schemes = "http, https, socks4, socks4a, socks5 and socks5h"
      return failure(.connect, "\(name) has a scheme that is none of \(schemes)", isTransient: false)
    case CURLE_COULDNT_CONNECT:
      // libcurl names the host that it tried, which is the server if it is exempt from the proxy.
      guard facts.refusal == nil, let proxy = facts.proxy, isAbout(proxy, facts.text) else { return nil }
      let reason = facts.systemError.map { lowered($0.description) } ?? "no connection could be made"
      return failure(.connect, "\(name) cannot be reached: \(reason)", isTransient: true)
    case CURLE_PROXY where facts.proxyVerdict == Int(CURLPX_RESOLVE_HOST.rawValue):
      // The look-up is this side's, and so is its failure. libcurl does not tell whether it may pass.
      return TransportFailure(
        .name, "the host name could not be resolved here, as \(name) wants it (socks5h leaves names to the proxy)",
        isTransient: true)
    case CURLE_PROXY:
      let (reason, isFinal) = socksRefusal(facts)
      return failure(.connect, "\(name) failed: \(reason)", isTransient: !isFinal)
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
      let isRefusal = facts.text.hasPrefix("CONNECT tunnel failed") || facts.text.hasPrefix("Received HTTP code")
      guard !facts.hasHead, isRefusal else { return nil }
      return failure(.connect, "\(name) refused: \(words(facts))", isTransient: isPassing(facts.text))
    default: return nil
    }
  }

  /// The answer of a proxy that speaks SOCKS, in words, and true if it would answer the same again. libcurl tells most
  /// of these as a number.
  private static func socksRefusal(_ facts: Context) -> (reason: String, isFinal: Bool) {
    switch CURLproxycode(UInt32(clamping: facts.proxyVerdict)) {
    case CURLPX_USER_REJECTED: ("it does not accept the name and password", true)
    case CURLPX_NO_AUTH: ("it wants a name and password, or another kind of authentication", true)
    case CURLPX_REPLY_NOT_ALLOWED: ("it does not allow connections to this host and port", true)
    case CURLPX_REPLY_NETWORK_UNREACHABLE: ("it cannot reach the host's network", false)
    case CURLPX_REPLY_HOST_UNREACHABLE: ("it cannot reach the host", false)
    case CURLPX_REPLY_CONNECTION_REFUSED: ("the host refuses its connection", false)
    case CURLPX_REPLY_TTL_EXPIRED: ("its way to the host is too long", false)
    case CURLPX_REPLY_GENERAL_SERVER_FAILURE, CURLPX_REQUEST_FAILED: ("it could not make the connection", false)
    case CURLPX_REPLY_COMMAND_NOT_SUPPORTED: ("it makes no connections", true)
    case CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED: ("it does not know this kind of address", true)
    default: (words(facts), false)
    }
  }

  /// True if a proxy's refusal of CONNECT may pass, by the status with which libcurl's text ends.
  private static func isPassing(_ text: String) -> Bool {
    PassingStatuses.all.contains { text.hasSuffix(" \($0)") || text.hasPrefix("Received HTTP code \($0) ") }
  }

  /// True if libcurl's text ("Failed to connect to HOST port PORT after …") names the proxy.
  private static func isAbout(_ proxy: ProxyAddress, _ text: String) -> Bool {
    let name = " \(proxy.host) port \(proxy.port)"
    return text.holds(name + " ") || text.holds(name + ":")
  }
}

/// A proxy's host and port: the parts of its URL that may be shown.
struct ProxyAddress: Equatable, CustomStringConvertible {
  let host: String
  let port: Int

  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Parses a proxy's URL as libcurl does: the scheme and the port may be missing.
  init?(_ url: String) {
    let parts = url.split(separator: "/", omittingEmptySubsequences: false)
    let hasScheme = parts.count > 2 && parts[0].hasSuffix(":") && parts[1].isEmpty
    guard let authority = hasScheme ? parts[2] : parts.first, !authority.isEmpty else { return nil }
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    var host = place
    // libcurl's defaults: 443 for a proxy that is reached over TLS, 1080 for any other.
    var port = hasScheme && parts[0].lowercased() == "https:" ? 443 : 1080
    if let colon = place.lastIndex(of: ":"), let number = Int(place[place.index(after: colon)...]),
      place.first != "[" || place[..<colon].last == "]"
    {
      host = place[..<colon]
      port = number
    }
    if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
    self.host = String(host)
    self.port = port
  }
}
