import CCurlShim
import Glibc

/// One of the loop's slots for transfers: a libcurl handle, used for one transfer after the other, and the state of the
/// current one.
///
/// It belongs to the loop's thread. libcurl holds a pointer to it as the data of its callbacks, which it makes only
/// during calls that the loop makes. The loop keeps every slot until its handle is cleaned up.
@safe
final class CurlTransfer {
  /// The reason why this side ended the transfer before libcurl reported its end.
  enum Ending {
    case stopped
    /// The body has all the bytes that were announced, which libcurl did not count.
    case whole
    /// The client stopped it, and wants the received bytes.
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
    /// True if the body's bytes are counted here, and not by libcurl.
    var isCounted = false
    /// The number of requests for a password that libcurl was left to answer.
    var challenges = 0
    var body = BodyCollector()
    var discarded: Int64 = 0
    /// The number of bytes of an upload that were sent.
    var sent: Int64 = 0
    var peeked = 0
    var isAwaitingPeek = false
    var isMultiplexed = false
    var isPaused = false
    var pauses = 0
    var remoteAddress: IPAddress?
    /// True if ``noteRequest()`` has found that the request was sent.
    var isRequestNoted = false
    /// The reason why the address rule refused the address, or the system refused a socket. libcurl only reports
    /// that it could not connect.
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

  init?(slot: Int, loop: LoopCore) {
    guard let handle = CurlHandle(slot: slot) else { return nil }
    self.handle = handle
    self.slot = slot
    self.loop = loop
    state = State(TransferRequest(id: TransferID(number: 0), url: ""), at: loop.now)
  }

  var id: TransferID { state.request.id }

  func begin(_ request: TransferRequest, at now: Instant) {
    state = State(request, at: now)
    isActive = true
    handle.clearError()
  }

  /// Frees the slot for another transfer.
  func end() { isActive = false }
}

// The reports of a transfer at the end of a turn, or when the transfer has ended.
extension CurlTransfer {
  /// The number of bytes to show in a peek, or nil if there are no more than were shown before.
  func takePeek() -> Int? {
    state.isAwaitingPeek = false
    let shown = min(state.body.bytes.count, Self.peekSize)
    guard isActive, state.ending == nil, state.plan == .receive, !state.body.isLarge, shown > state.peeked else {
      return nil
    }
    state.peeked = shown
    return shown
  }

  /// The report of an ended transfer: the rest of the body, and the kind of its end. Nil if it was cancelled.
  func conclude(_ code: CURLcode) -> (rest: [UInt8]?, isWhole: Bool, end: TransferEnd)? {
    if state.ending == nil, code == CURLE_OK, state.isHeadHeld { _ = reportHead() }
    switch state.ending {
    case .cancelled: return nil
    case .stopped: return (nil, false, .stopped)
    case .whole: return (state.body.handOver(), true, .complete)
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
    let code = code == CURLE_OK && state.isCounted && !state.body.isWhole ? CURLE_PARTIAL_FILE : code
    if state.plan == .receiveShort, code != CURLE_OK { return (nil, false, .stopped) }
    if code == CURLE_OK {
      if state.isHeadReported { return (state.body.handOver(), true, .complete) }
      return (nil, false, .failed(.headCutShort(receivedAnything: state.head.hasBegun)))
    }
    if loop.hasEndedFlood, state.request.url.hasPrefix("https:"), code != CURLE_OPERATION_TIMEDOUT {
      return (rest(), false, .failed(.flood(receivedAnything: state.head.hasBegun)))
    }
    if code == CURLE_OPERATION_TIMEDOUT, !state.isHeadReported { return (rest(), false, .failed(connectTimeout)) }
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

  private var unfitAddress: IPAddress? {
    let family = loop.options.addressFamily
    guard family != .any, let host = try? WebURL(state.request.url).host, let address = IPAddress(host: host) else {
      return nil
    }
    let isFit = if case .v4 = address { family == .v4 } else { family == .v6 }
    return isFit ? nil : address
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
      refusal: state.refusal, proxy: proxy, proxyVerdict: handle.number(CURLINFO_PROXY_ERROR),
      unfitAddress: unfitAddress,
      proxyCertificateVerdict: handle.number(CURLINFO_PROXY_SSL_VERIFYRESULT),
      certificateVerdict: handle.number(CURLINFO_SSL_VERIFYRESULT))
  }

  /// The socket of the connection that it used, if that is still open. Must be read before libcurl forgets the
  /// transfer.
  var socket: Int32? {
    var socket: curl_socket_t = -1
    return unsafe imgfetch_easy_get_socket(handle.easy, &socket) == CURLE_OK && socket >= 0 ? socket : nil
  }
}

// The callbacks that libcurl makes, on the loop's thread, during calls that the loop makes.
//
// Proof for all of them: `data` is the pointer that `configure` set. It refers to a CurlTransfer, which the loop
// keeps until after its handle is cleaned up, so it is alive whenever libcurl can call; or to the loop itself, which
// cleans up the multi handle, and so closes the last connection, before it goes. The bytes belong to libcurl and are
// read during the call only.
extension CurlTransfer {
  static let callbacks = unsafe imgfetch_callbacks(
    header: didReceiveLine, write: didReceiveBytes, open_socket: openSocket, prerequest: willRequest,
    progress: didProgress, close_socket: closeSocket)

  private static let didReceiveLine:
    @convention(c) (UnsafeMutablePointer<CChar>, Int, Int, UnsafeMutableRawPointer) -> Int = { bytes, _, count, data in
      let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data)
      return unsafe transfer._withUnsafeGuaranteedRef { transfer in
        let start = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
        let line = unsafe UnsafeBufferPointer(start: start, count: count)
        return transfer.take(line: unsafe line.span) ? count : 0
      }
    }

  private static let didReceiveBytes:
    @convention(c) (UnsafeMutablePointer<CChar>, Int, Int, UnsafeMutableRawPointer) -> Int = { bytes, _, count, data in
      let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data)
      return unsafe transfer._withUnsafeGuaranteedRef { transfer in
        let start = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
        switch unsafe transfer.take(chunk: UnsafeBufferPointer(start: start, count: count)) {
        case .taken: return count
        case .pause: return Int(CURL_WRITEFUNC_PAUSE)
        // Any count but the one received makes libcurl abort; for an empty chunk that is 1.
        case .abort: return count == 0 ? 1 : 0
        }
      }
    }

  private static let openSocket:
    @convention(c) (UnsafeMutableRawPointer, curlsocktype, UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t = {
      data, _, address in
      let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue()
      if let refusal = unsafe transfer.objection(to: address) {
        transfer.state.refusal = refusal
        return -1
      }
      let wanted = unsafe address.pointee
      do throws(SystemError) {
        let socket = try Descriptor.socket(family: wanted.family, type: wanted.socktype, protocol: wanted.protocol)
        let number = socket.release()  // libcurl closes it.
        transfer.loop.watch.opened(number)
        transfer.loop.client?.connection(number, openedBy: transfer.id)
        return number
      } catch {
        transfer.state.socketError = error.code
        return -1
      }
    }

  private static let willRequest:
    @convention(c) (
      UnsafeMutableRawPointer, UnsafeMutablePointer<CChar>, UnsafeMutablePointer<CChar>, Int32, Int32
    ) -> Int32 = { data, remote, _, _, _ in
      let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue()
      let address = unsafe transfer.loop.address(spelt: remote)
      return transfer.connected(to: address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

  private static let didProgress: @convention(c) (UnsafeMutableRawPointer, Int, Int, Int, Int) -> Int32 = {
    data, _, received, _, sent in
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue()
    transfer.noteSent(Int64(sent))
    return transfer.noteRequest() && transfer.noteProgress(Int64(received)) ? 0 : 1
  }

  private static let closeSocket: @convention(c) (UnsafeMutableRawPointer, curl_socket_t) -> Int32 = { data, socket in
    let loop = unsafe Unmanaged<LoopCore>.fromOpaque(data).takeUnretainedValue()
    loop.watch.forget(socket)
    loop.shared.forget(socket)
    loop.client?.connectionClosed(socket)
    return close(socket)
  }

  /// Proof: behind `addr` libcurl provides as many bytes as the address family has.
  private func objection(to address: UnsafeMutablePointer<curl_sockaddr>) -> String? {
    if case .any = state.request.addressRule { return nil }
    let start = unsafe UnsafeRawPointer(address) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
    let bytes: [UInt8]
    switch unsafe address.pointee.family {
    case AF_INET:
      bytes = unsafe withUnsafeBytes(of: start.loadUnaligned(as: sockaddr_in.self).sin_addr) { unsafe Array($0) }
    case AF_INET6:
      bytes = unsafe withUnsafeBytes(of: start.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { unsafe Array($0) }
    default: bytes = []
    }
    guard let parsed = IPAddress(bytes: bytes) else { return "its address could not be determined" }
    return state.request.addressRule.objection(to: parsed)
  }
}
