import CCurlShim

/// One of the loop's slots for transfers: a libcurl handle, used for one transfer after the other, and the state of the
/// current one.
///
/// It belongs to the loop's thread. libcurl holds a pointer to it as the data of its callbacks, which it makes only
/// during calls that the loop makes. The loop keeps every slot until its handle is cleaned up.
@safe
final class CurlTransfer {
  /// Why this side ended the transfer before libcurl reported its end.
  enum Ending {
    case stopped
    /// The client stopped it, and wants what was received.
    case stoppedByClient
    case cancelled
    /// The body was not wanted, and was too long to be read to its end.
    case discarded
    case failed(TransportFailure)
  }

  enum Plan { case undecided, receive, receiveShort, discard }

  /// The longest body that is read, although it is not the image, to keep the connection: one piece. More would not be
  /// worth it.
  static let shortLimit = Int64(BodyCollector.pieceSize)
  /// The longest peek. An image, or an HTML page, is recognised by far fewer bytes.
  static let peekSize = 1024

  /// The state of one transfer; each begins with a new one.
  struct State {
    var request: TransferRequest
    var deadlines: TransferDeadlines
    var ending: Ending?
    var plan = Plan.undecided
    var head = HeadReader()
    var isHeadReported = false
    /// A Digest challenge that libcurl may still answer. It is reported only if no other response follows.
    var isHeadHeld = false
    var body = BodyCollector()
    var discarded: Int64 = 0
    /// How much of an upload is out.
    var sent: Int64 = 0
    var peeked = 0
    var isAwaitingPeek = false
    var isMultiplexed = false
    var isPaused = false
    var remoteAddress: IPAddress?
    /// Whether ``noteRequest()`` has found that the request was sent.
    var isRequestNoted = false
    /// Why the address rule refused the address, or the system refused a socket. libcurl only reports that it could not
    /// connect.
    var refusal: String?
    var socketError: Errno?

    init(_ request: TransferRequest, at now: Instant) {
      self.request = request
      deadlines = TransferDeadlines(request, at: now)
      body.deliversAtOnce = request.deliversAtOnce
    }
  }

  /// The slot's number, which libcurl returns when the transfer has ended.
  let slot: Int
  /// The loop and its slots refer to each other until the loop is closed. A weak reference would be looked up in every
  /// callback.
  let loop: LoopCore
  private(set) var isActive = false
  var state: State
  var handle: CurlHandle

  init?(slot: Int, loop: LoopCore, sessions: UnsafeMutableRawPointer?) {
    guard let handle = unsafe CurlHandle(slot: slot, sessions: sessions) else { return nil }
    self.handle = handle
    self.slot = slot
    self.loop = loop
    state = State(TransferRequest(id: TransferID(number: 0), url: ""), at: loop.now)
  }

  var id: TransferID { state.request.id }

  /// Begins a transfer.
  func begin(_ request: TransferRequest, at now: Instant) {
    state = State(request, at: now)
    isActive = true
    handle.clearError()
  }

  /// Frees the slot for another transfer.
  func end() { isActive = false }
}

// What the loop reads from a transfer at the end of a turn, or when the transfer has ended.
extension CurlTransfer {
  /// How many bytes to show in a peek; nil if there are no more than were shown before.
  func takePeek() -> Int? {
    state.isAwaitingPeek = false
    let shown = min(state.body.bytes.count, Self.peekSize)
    guard isActive, state.ending == nil, state.plan == .receive, !state.body.isLarge, shown > state.peeked else {
      return nil
    }
    state.peeked = shown
    return shown
  }

  /// What to report of an ended transfer: the rest of the body, and how it ended. Nil if it was cancelled.
  func conclude(_ code: CURLcode) -> (rest: [UInt8]?, isWhole: Bool, end: TransferEnd)? {
    if state.ending == nil, code == CURLE_OK, state.isHeadHeld { _ = reportHead() }
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
      if state.isHeadReported { return (state.body.handOver(), true, .complete) }
      let failure = TransportFailure(.protocolError, "no answer came", receivedAnything: state.head.hasBegun)
      return (nil, false, .failed(failure))
    }
    if code == CURLE_OPERATION_TIMEDOUT, !state.isHeadReported {
      return (rest(), false, .failed(connectTimeout))
    }
    return (rest(), false, .failed(TransportFailure(context(code))))
  }

  /// No connection in time. If some hosts are exempt from the proxy, it is not known whether this transfer used it.
  var connectTimeout: TransportFailure {
    let hasExceptions = loop.options.noProxy?.isEmpty == false
    // libcurl has the number of our end as soon as the server has accepted.
    let isAccepted = handle.number(CURLINFO_LOCAL_PORT) > 0
    return .connectTimeout(
      state.request.connectTimeout, through: hasExceptions ? nil : proxy,
      lacksTLS: isAccepted && proxy == nil && state.request.url.hasPrefix("https:"))
  }

  private var proxy: ProxyAddress? {
    let isSecure = state.request.url.hasPrefix("https:")
    return (isSecure ? loop.options.httpsProxy : loop.options.httpProxy).flatMap { ProxyAddress($0) }
  }

  var receivedAnything: Bool { state.head.hasBegun }

  private func rest() -> [UInt8]? { state.body.bytes.isEmpty ? nil : state.body.handOver() }

  private func context(_ code: CURLcode) -> TransportFailure.Context {
    let number = handle.number(CURLINFO_OS_ERRNO)
    let systemError = number > 0 ? Errno(rawValue: Int32(truncatingIfNeeded: number)) : nil
    return TransportFailure.Context(
      code: code,
      text: handle.error,
      systemError: state.socketError ?? systemError,
      isConnected: state.remoteAddress != nil, hasHead: state.isHeadReported, receivedAnything: state.head.hasBegun,
      // Without any connection, no connection was made either.
      isConnectionReused: state.remoteAddress != nil && handle.number(CURLINFO_NUM_CONNECTS) == 0,
      received: state.body.received, expected: state.body.expected,
      refusal: state.refusal, proxy: proxy, certificateVerdict: handle.number(CURLINFO_SSL_VERIFYRESULT))
  }

  /// The socket of the connection that it used, if that is still open. Must be read before libcurl forgets the
  /// transfer.
  var socket: Int32? {
    var socket: curl_socket_t = -1
    return unsafe imgfetch_easy_get_socket(handle.easy, &socket) == CURLE_OK && socket >= 0 ? socket : nil
  }
}
