import CCurlShim

// What the loop asks of a transfer at the end of a turn, or at its own.
extension CurlTransfer {
  /// The bytes to show in a peek, if there are more than were shown.
  func takePeek() -> Int? {
    state.isAwaitingPeek = false
    let shown = min(state.body.bytes.count, Self.peekSize)
    guard isActive, state.ending == nil, state.plan == .receive, !state.body.isLarge, shown > state.peeked else {
      return nil
    }
    state.peeked = shown
    return shown
  }

  /// What is to be told of a transfer that is over: the rest of the body, and how it ended. Nil: it was cancelled.
  func conclude(_ code: CURLcode) -> (rest: [UInt8]?, isWhole: Bool, end: TransferEnd)? {
    if state.ending == nil, code == CURLE_OK, state.isHeadHeld { _ = tellHead() }
    switch state.ending {
    case .cancelled: return nil
    case .stopped: return (nil, false, .stopped)
    case .stoppedByClient: return (rest(), false, .stopped)
    case .discarded: return (nil, false, .complete)
    case .failed(let failure):
      switch state.plan {
      case .discard: return (nil, false, .complete)
      case .receiveShort: return (nil, false, .stopped)
      case .undecided, .receive: return (rest(), false, .failed(failure))
      }
    case nil: break
    }
    if state.plan == .discard { return (nil, false, .complete) }
    if state.plan == .receiveShort, code != CURLE_OK { return (nil, false, .stopped) }
    if code == CURLE_OK {
      if state.isHeadTold { return (state.body.handOver(), true, .complete) }
      let failure = TransportFailure(.protocolError, "no answer came", receivedAnything: state.head.hasBegun)
      return (nil, false, .failed(failure))
    }
    if code == CURLE_OPERATION_TIMEDOUT, !state.isHeadTold {
      return (rest(), false, .failed(connectTimeout))
    }
    return (rest(), false, .failed(TransportFailure(circumstances(code))))
  }

  /// No connection in time. Where there are exceptions, it is not known whether it was to go through the proxy.
  var connectTimeout: TransportFailure {
    let hasExceptions = loop.options.noProxy?.isEmpty == false
    return .connectTimeout(state.request.connectTimeout, through: hasExceptions ? nil : proxy)
  }

  private var proxy: ProxyAddress? {
    let isSecure = state.request.url.hasPrefix("https:")
    return (isSecure ? loop.options.httpsProxy : loop.options.httpProxy).flatMap { ProxyAddress($0) }
  }

  var receivedAnything: Bool { state.head.hasBegun }

  private func rest() -> [UInt8]? { state.body.bytes.isEmpty ? nil : state.body.handOver() }

  private func circumstances(_ code: CURLcode) -> TransportFailure.Circumstances {
    let number = number(CURLINFO_OS_ERRNO)
    let systemError = number > 0 ? Errno(rawValue: Int32(truncatingIfNeeded: number)) : nil
    return TransportFailure.Circumstances(
      code: code,
      // Proof: libcurl ends what it writes there with a NUL, within the buffer.
      text: unsafe String(cString: errorText),
      systemError: state.socketError ?? systemError,
      isConnected: state.remoteAddress != nil, hasHead: state.isHeadTold, receivedAnything: state.head.hasBegun,
      // Where there is no connection at all, none was made either.
      isConnectionReused: state.remoteAddress != nil && self.number(CURLINFO_NUM_CONNECTS) == 0,
      received: state.body.received, expected: state.body.expected,
      refusal: state.refusal, proxy: proxy, certificateVerdict: self.number(CURLINFO_SSL_VERIFYRESULT))
  }

  /// The socket of the connection that it used, if that is still open; to be asked before libcurl forgets the transfer.
  var socket: Int32? {
    var socket: curl_socket_t = -1
    return unsafe imgfetch_easy_get_socket(easy, &socket) == CURLE_OK && socket >= 0 ? socket : nil
  }

  func number(_ info: CURLINFO) -> Int {
    var value = 0
    return unsafe imgfetch_easy_get_long(easy, info, &value) == CURLE_OK ? value : 0
  }
}
