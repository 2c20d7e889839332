import CCurlShim

extension TransportFailure {
  /// What is known of a transfer that libcurl has ended with an error.
  struct Circumstances {
    var code: CURLcode
    /// libcurl's own words; may be empty.
    var text = ""
    /// The error of the system call behind it, if there is one.
    var systemError: Errno?
    /// Whether the request went out.
    var isConnected = false
    var hasHead = false
    var receivedAnything = false
    /// Whether other answers came over the same connection before.
    var isConnectionReused = false
    var received: Int64 = 0
    var expected: Int64?
    /// Why the address was refused by our rule.
    var refusal: String?
    /// The proxy that such URLs go through, unless their host is an exception.
    var proxy: ProxyAddress?
    /// What OpenSSL thought of the server's certificate (`X509_V_ERR_…`); 0: nothing, or it is another library.
    var certificateVerdict = 0
  }

  /// The failure behind a code of libcurl's.
  init(_ circumstances: Circumstances) {
    if let failure = Self.proxyFailure(circumstances) ?? Self.secureFailure(circumstances) {
      self = failure
      return
    }
    let (kind, reason, isTransient) = Self.judge(circumstances)
    self.init(kind, reason, receivedAnything: circumstances.receivedAnything, isTransient: isTransient)
  }

  /// No connection within the time for it.
  ///
  /// - Parameter proxy: what it was to go through; whether that or what lies behind it is silent cannot be told.
  static func connectTimeout(_ span: Instant.Span, through proxy: ProxyAddress? = nil) -> TransportFailure {
    let way = proxy.map { " through the proxy \($0)" } ?? ""
    return TransportFailure(
      .timeout, "no connection within \(seconds(span))\(way)", isTransient: true, cause: proxy.map { _ in .proxy })
  }

  /// Nothing came for so long.
  static func stall(_ span: Instant.Span, receivedAnything: Bool) -> TransportFailure {
    let what = receivedAnything ? "nothing more came" : "no answer came"
    return TransportFailure(
      .timeout, "\(what) for \(seconds(span))", receivedAnything: receivedAnything, isTransient: true)
  }

  /// The whole took too long. Not transient: another attempt has no time left either.
  static func deadline(receivedAnything: Bool) -> TransportFailure {
    TransportFailure(.timeout, "it was not done in the time allowed", receivedAnything: receivedAnything)
  }

  private static func seconds(_ span: Instant.Span) -> String {
    let tenths = (span.milliseconds + 50) / 100
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }

  private static func judge(_ facts: Circumstances) -> (Kind, reason: String, isTransient: Bool) {
    // Of several addresses of a name one may have been refused, and another one failed for reasons of its own.
    if let refusal = facts.refusal, facts.code == CURLE_COULDNT_CONNECT || facts.code == CURLE_ABORTED_BY_CALLBACK {
      return (.refusedAddress, refusal, false)
    }
    switch facts.code {
    case CURLE_COULDNT_RESOLVE_HOST: return (.name, "the host name could not be resolved", false)
    case CURLE_COULDNT_CONNECT where facts.systemError == .tooManyOpenFiles:
      return (.resources, "no connection could be opened: too many open files (see 'ulimit -n')", true)
    case CURLE_COULDNT_CONNECT:
      return (.connect, facts.systemError.map { lowered($0.description) } ?? "no connection could be made", true)
    case CURLE_OPERATION_TIMEDOUT:
      return (.timeout, "it took too long", true)
    case CURLE_PARTIAL_FILE: return (.truncated, brokenOff(facts), true)
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return lost(facts)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
      // What stands on a used connection before an answer may be the body of an answer that should have had none.
      return (
        .protocolError, "the answer is not HTTP as it should be: \(words(facts))",
        facts.isConnectionReused && !facts.hasHead
      )
    case CURLE_URL_MALFORMAT: return (.other, "the URL is refused: \(words(facts))", false)
    case CURLE_OUT_OF_MEMORY where facts.isConnected && !facts.hasHead, Self.tooLarge:
      // libcurl gathers a line of a header in 100 KB and calls more of it by either name, depending on its version.
      return (.limit, "the answer is refused: a line of its header is longer than 100 KB", false)
    case CURLE_OUT_OF_MEMORY: return (.other, "there is not enough memory", true)
    default: return (.other, words(facts), false)
    }
  }

  /// CURLE_TOO_LARGE, since 8.6.
  private static let tooLarge = CURLcode(100)

  /// A connection that ended early. Whether an answer had begun decides what the user lost.
  private static func lost(_ facts: Circumstances) -> (Kind, reason: String, isTransient: Bool) {
    if facts.hasHead { return (.truncated, brokenOff(facts), true) }
    if facts.code == CURLE_GOT_NOTHING {
      return (.connect, "the server closed the connection without an answer", true)
    }
    let cause = facts.systemError.map { lowered($0.description) } ?? words(facts)
    return (.connect, "the connection was lost before an answer came (\(cause))", true)
  }

  private static func brokenOff(_ facts: Circumstances) -> String {
    if let expected = facts.expected {
      return "the answer was broken off after \(facts.received) of \(expected) bytes"
    }
    return "the answer was broken off after \(facts.received) bytes"
  }

  /// libcurl's words where it found some, without its full stop.
  static func words(_ facts: Circumstances) -> String {
    var text = facts.text
    while let last = text.unicodeScalars.last, last == "." || last.value <= 0x20 { text.unicodeScalars.removeLast() }
    return text.isEmpty ? "libcurl gave up with its code \(facts.code.rawValue)" : text
  }

  /// The system's sentences begin with a capital, our clauses do not.
  static func lowered(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }
}
