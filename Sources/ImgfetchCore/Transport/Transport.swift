/// Sends requests, one URL each, and reports the responses to its client.
///
/// It follows no redirects, retries nothing and judges nothing: a transfer is one request and its response. All calls
/// must be made on the client's thread (the network loop's; a test's with a fake). Calls inside the client's methods
/// take effect after these have returned.
package protocol Transport: AnyObject {
  /// Starts a transfer. Its end is always reported by ``TransportClient/transfer(_:didEnd:)``, unless it is cancelled.
  func start(_ request: TransferRequest)

  /// Aborts a transfer. Nothing more is reported about it, not even its end. Unknown ones are ignored.
  func cancel(_ id: TransferID)

  /// Aborts a transfer, delivers the received part of its body, and ends it with ``TransferEnd/stopped``.
  func stop(_ id: TransferID)

  /// Delivers the received part of the body at once, and each later piece as it comes. Unknown transfers are ignored.
  func deliverAtOnce(_ id: TransferID)

  /// True if requests should carry the addresses of their hosts. Other hosts are looked up by the transport, which
  /// cannot tell a name that does not exist from a passing failure.
  var needsAddresses: Bool { get }

  /// The state of a transfer, or nil if it is unknown, or the transfer is not under way.
  func reading(of id: TransferID) -> TransferReading?

  /// Resumes receiving after the data that caused back-pressure has drained.
  func resumeReceiving()

  /// Limits the bytes that are received a second from now on, with 0 for no limit.
  func limit(bytesPerSecond: Int64)

  /// True if the client is told of connections (``TransportClient/connection(_:openedBy:)``).
  var tellsConnections: Bool { get }
}

/// The state of a transfer at one moment.
package struct TransferReading: Hashable, Sendable {
  /// The bytes of its body so far, or nil if its head has not come.
  package var received: Int64?
  /// The number of times that the transfer was not read because this side held it up.
  package var holdUps: Int
  /// True if the transfer is held up now.
  package var isHeld: Bool

  package init(received: Int64?, holdUps: Int = 0, isHeld: Bool = false) {
    self.received = received
    self.holdUps = holdUps
    self.isHeld = isHeld
  }
}

extension Transport {
  package func deliverAtOnce(_ id: TransferID) {}
  package func limit(bytesPerSecond: Int64) {}
  package func reading(of id: TransferID) -> TransferReading? { nil }
  package var needsAddresses: Bool { false }
  package var tellsConnections: Bool { false }
}

/// Receives the network loop's events, on the loop's thread only. It must not block, since all transfers wait
/// meanwhile.
package protocol TransportClient: AnyObject, SendableMetatype {
  /// The response's head has arrived. Interim responses are not reported.
  func transfer(_ id: TransferID, didReceiveHead head: ResponseHead) -> HeadDecision

  /// Delivers a part of the body. A body of up to 64 KiB comes whole, a larger one in pieces of about that size. The
  /// client owns the array. Exactly one part of a complete body has `isLast`; it may be empty.
  func transfer(_ id: TransferID, didReceive bytes: [UInt8], isLast: Bool)

  /// Reports the number of bytes of this body that have arrived, delivered or not, for progress reports.
  func transfer(_ id: TransferID, hasReceived count: Int64)

  /// The first bytes (up to 1 KiB) of a body that arrives slowly, so that an HTML page need not be waited for. Offered
  /// at the end of a turn, and again while more of them arrive; this does not deliver them. Returning false aborts the
  /// transfer: the received part is delivered, and the transfer ends with ``TransferEnd/stopped``.
  func transfer(_ id: TransferID, peek bytes: borrowing Span<UInt8>) -> Bool

  /// Reports that the transfer has ended, and its slot in the loop is free.
  func transfer(_ id: TransferID, didEnd end: TransferEnd)

  /// A transfer has begun to open a connection, which has this number until it is closed. If a transfer tries two,
  /// one is closed soon.
  func connection(_ number: Int32, openedBy id: TransferID)

  /// A transfer's request is about to go out, over a connection of its own or over an earlier one.
  func transferDidConnect(_ id: TransferID)

  /// A connection is closed. The number may be that of another one at once.
  func connectionClosed(_ number: Int32)

  /// True if a transfer's connection stays open after it, as far as the server allows that. Asked at each head.
  func keepsConnection(of id: TransferID) -> Bool

  /// All events of this turn have been reported; the time to wake others, once. Returns when the next turn is wanted at
  /// the latest, if ever.
  func turnDidEnd(at now: Instant) -> Instant?
}

extension TransportClient {
  package func connection(_ number: Int32, openedBy id: TransferID) {}
  package func transferDidConnect(_ id: TransferID) {}
  package func connectionClosed(_ number: Int32) {}
  package func keepsConnection(of id: TransferID) -> Bool { true }
}

/// The use of a body, decided from the head of its response.
package enum HeadDecision: Sendable {
  /// Receive it.
  case receive
  /// Receive it if it is short and fast: all of it within 64 KiB and the stall timeout. Else the transfer is aborted
  /// and ends with ``TransferEnd/stopped``, whatever went wrong.
  case receiveShort
  /// Drop it. A short body is read to its end, which keeps the connection; a longer one is aborted. Both end with
  /// ``TransferEnd/complete``.
  case discard
  /// Abort the transfer now; it ends with ``TransferEnd/stopped``.
  case stop
}

/// The end of a transfer.
package enum TransferEnd: Sendable {
  /// The whole response arrived, or all of it that was wanted.
  case complete
  /// This side aborted the transfer.
  case stopped
  case failed(TransportFailure)
}

/// The head of a response.
package struct ResponseHead: Sendable {
  package enum HTTPVersion: Sendable { case http1_0, http1_1, http2 }

  package var status: Int
  package var httpVersion: HTTPVersion
  package var fields: HeaderFields
  /// The body's length as announced, if the announcement is valid. A body of any other length is a failure of the
  /// transfer.
  package var contentLength: Int64?
  /// The server's address, or the proxy's if there is one.
  package var remoteAddress: IPAddress?
  /// True if the connection had been used before.
  package var isConnectionReused = false
  /// True if the body's end is told by something else than the connection's.
  var isEndTold = false

  package init(
    status: Int, httpVersion: HTTPVersion = .http1_1, fields: HeaderFields = HeaderFields(), contentLength: Int64? = nil
  ) {
    self.status = status
    self.httpVersion = httpVersion
    self.fields = fields
    self.contentLength = contentLength
  }

  /// True if the transport notices a body that ends too early: by its length, its last chunk, or the end of its stream.
  package var hasCertainEnd: Bool {
    isEndTold || contentLength != nil || httpVersion == .http2 || fields.first("Transfer-Encoding") != nil
  }
}

/// The reason why a transfer failed, or could not be started.
package struct TransportFailure: Error, Hashable, Sendable {
  package enum Kind: Sendable {
    /// The host's name could not be resolved.
    case name
    /// There was no connection, or it was lost before a response began.
    case connect
    /// The TLS connection failed.
    case tls
    /// A timeout expired.
    case timeout
    /// The response ended early.
    case truncated
    /// The address rule refused the address.
    case refusedAddress
    /// The request could have been read as something else than one request.
    case refusedRequest
    /// The response is not valid HTTP.
    case protocolError
    /// The response's body comes in a coding that is refused.
    case coding
    /// The response's header is too large.
    case limit
    /// This side is out of file descriptors or memory.
    case resources
    /// This side failed: libcurl is missing or refused an option or the URL, or memory has run out.
    case other
  }

  /// A cause that the user can do something about.
  package enum Cause: Sendable {
    /// The authority that signed the certificate is not trusted.
    case unknownAuthority
    /// The trusted certificates could not be read.
    case noAuthorities
    /// The server does not speak TLS on this port.
    case plainServer
    /// The proxy failed.
    case proxy
  }

  package let kind: Kind
  /// A clause for the user.
  package let reason: String
  /// True if any byte of a response had arrived.
  package let receivedAnything: Bool
  /// True if the same request may succeed later.
  package let isTransient: Bool
  package let cause: Cause?
  /// True if the connection had carried other responses before. Its loss says nothing of the server, which may close a
  /// connection that it thinks idle.
  package let isConnectionReused: Bool
  /// libcurl's code, or nil if libcurl was not involved.
  package var curlCode: Int32?
  /// The error of the system call that failed, if libcurl told it.
  package var systemError: Errno?

  /// The failure of a process that has no descriptors or no memory left for the network.
  static let lackOfResources = TransportFailure(
    .resources,
    "the network cannot be used: too many files are open for this process, or memory has run out (see 'ulimit -n')")

  /// The failure of a process that may not have as much memory as libcurl and its libraries need.
  static let lackOfMemory = TransportFailure(
    .resources, "the network cannot be used: this process may not have the memory that libcurl needs (see 'ulimit -v')")

  /// True if the origin has given no sign of life.
  package var isSilence: Bool {
    guard isTransient, !receivedAnything else { return false }
    switch kind {
    case .connect: return !isConnectionReused
    case .timeout: return true
    // Without the proxy the origin cannot be asked.
    case .name: return cause == .proxy
    case .tls, .truncated, .refusedAddress, .refusedRequest, .protocolError, .coding, .limit, .resources, .other:
      return false
    }
  }

  package init(
    _ kind: Kind, _ reason: String, receivedAnything: Bool = false, isTransient: Bool = false, cause: Cause? = nil,
    isConnectionReused: Bool = false
  ) {
    self.kind = kind
    self.reason = reason
    self.receivedAnything = receivedAnything
    self.isTransient = isTransient
    self.cause = cause
    self.isConnectionReused = isConnectionReused
  }
}

/// The options that apply to all transfers of a network loop.
package struct NetworkOptions: Sendable {
  package enum HTTPVersionChoice: Sendable {
    /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
    case automatic
    case http1
  }

  package enum IPVersionChoice: Sendable { case any, v4, v6 }

  package var libcurl = LibcurlChoice.system
  package var httpVersion = HTTPVersionChoice.automatic
  package var ipVersion = IPVersionChoice.any
  /// The proxy for http URLs, or nil for none. The environment is not read.
  package var httpProxy: String?
  /// The proxy for https URLs.
  package var httpsProxy: String?
  /// Hosts that are connected to without the proxy, separated by commas, in libcurl's syntax.
  package var noProxy: String?
  /// A file of certificates (PEM) that are trusted instead of the system's.
  package var caFile: String?
  /// The system's certificates, if they are not in the usual place: a file, and a folder of hashed names.
  package var systemCAFile: String?
  package var systemCAFolder: String?
  /// True if servers' certificates are accepted unchecked.
  package var isInsecure = false
  /// Names that are not looked up, as `HOST:PORT:ADDR` in libcurl's syntax.
  package var resolve: [String] = []
  /// Bytes a second over all transfers; 0 for no limit.
  package var limitRate: Int64 = 0
  /// A safety net below the client's own limits: transfers beyond it wait inside libcurl while their connect
  /// timeout runs. 0 for no limit.
  package var maxConnectionsPerHost = 0
  /// 128 is what common servers allow on one HTTP/2 connection; at a latency of 50 ms it is twice as fast as 64.
  package var maxConcurrentStreams = 128

  package init() {}

  /// The line with its host as URLs have it, in lower case and in ASCII; as it is where that is not known.
  package static func spelledAsInURLs(resolve line: String) -> String {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let host = try? WebURL("http://\(parts[0])/").host else { return line }
    return "\(host):\(parts[1])"
  }

  /// The addresses of a name that may be used.
  var addressFamily: AddressFamily {
    switch ipVersion {
    case .any: .any
    case .v4: .v4
    case .v6: .v6
    }
  }

  /// True if requests of that scheme go to a proxy, except to the hosts in ``noProxy``.
  func hasProxy(isSecure: Bool) -> Bool { (isSecure ? httpsProxy : httpProxy)?.isEmpty == false }
}

/// The certificates that servers' certificates are checked against.
enum TrustStore: Equatable {
  /// One file of certificates, and nothing else.
  case file(String)
  /// A folder with a link for each certificate, named by the hash of its subject. Only the one that is needed is read,
  /// in under 3 ms; the file that libcurl reads by default holds all of them and takes 20.
  case folder(String)
  /// libcurl's built-in default.
  case builtIn
  /// The system's store, with a file or a folder in another place than usual.
  case elsewhere(file: String?, folder: String?)

  /// The system's store.
  static func ofSystem() -> TrustStore {
    let path = "/etc/ssl/certs"
    guard let names = try? Descriptor.folder(path).names() else { return .builtIn }
    return names.contains(where: isHashedName) ? .folder(path) : .builtIn
  }

  /// The file with all of the system's certificates, of Debian, Arch and Alpine, of Fedora and RHEL, or of openSUSE.
  /// Nil means that none of these is there.
  static var usualFile: String? {
    [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ].first(where: ProcessEnvironment.isFile)
  }

  /// The store that the options name.
  static func named(by options: NetworkOptions) -> TrustStore {
    if let file = options.caFile { return .file(file) }
    guard options.systemCAFile != nil || options.systemCAFolder != nil else { return ofSystem() }
    var folder = options.systemCAFolder
    if folder == nil, case .folder(let usual) = ofSystem() { folder = usual }
    return .elsewhere(file: options.systemCAFile, folder: folder)
  }

  /// True if a name is eight hex digits and `.0`.
  static func isHashedName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.count == 10, bytes[8] == UInt8(ascii: "."), bytes[9] == UInt8(ascii: "0") else { return false }
    return bytes.prefix(8).allSatisfy {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
    }
  }
}

/// The User-Agent that is sent by default.
enum UserAgent {
  /// The text of the User-Agent.
  ///
  /// - Parameter contact: the operator's address, which becomes a comment (RFC 9110 §5.6.5), in which parentheses and
  ///   backslashes are escaped.
  static func text(contact: String?) -> String {
    let product = "\(ImgfetchVersion.productToken)/\(ImgfetchVersion.number)"
    guard let contact, !contact.isEmpty else { return product }
    var comment = ""
    for scalar in contact.unicodeScalars {
      if scalar == "(" || scalar == ")" || scalar == "\\" { comment.unicodeScalars.append("\\") }
      comment.unicodeScalars.append(scalar)
    }
    return "\(product) (\(comment))"
  }
}
