/// The reason why a transfer failed, or could not be started.
package struct TransportFailure: Error, Hashable, Sendable {
  package enum Kind: Sendable {
    /// The host's name could not be resolved.
    case name
    /// There was no connection, or it was lost before a response began.
    case connect
    /// The TLS connection failed.
    case tls
    case timeout
    /// The response ended early.
    case truncated
    case refusedAddress
    /// The request could have been read as something else than one request.
    case refusedRequest
    /// The response is not valid HTTP.
    case protocolError
    /// The response's body comes in a coding that is refused.
    case coding
    /// The response's header is too large.
    case limit
    /// This side is out of file descriptors, threads or memory.
    case resources
    /// This side failed: libcurl is missing, or refused an option or the URL.
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
    /// The server answers only those who show a certificate.
    case wantsCertificate
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
  /// True if the server has closed the connections that the request went over before it was processed. Servers close a
  /// connection after so many requests, and refuse those that are on their way.
  package var isUnprocessed = false
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
    case .connect: return isUnprocessed || !isConnectionReused
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
