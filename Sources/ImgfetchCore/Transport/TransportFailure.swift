/// Why a transfer failed, or could not be started.
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
    /// The response's header is too large.
    case limit
    /// This side is out of file descriptors or memory.
    case resources
    /// This side could not do it: libcurl is missing or refused an option or the URL, or memory has run out.
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
  /// Whether any byte of a response had arrived.
  package let receivedAnything: Bool
  /// Whether the same request may succeed later.
  package let isTransient: Bool
  package let cause: Cause?
  /// Whether the connection had carried other responses before. Its loss says nothing of the server: it may close one that it thinks idle.
  package let isConnectionReused: Bool

  /// Whether the origin has given no sign of life.
  package var isSilence: Bool {
    guard isTransient, !receivedAnything else { return false }
    switch kind {
    case .connect: return !isConnectionReused
    case .timeout: return true
    case .name, .tls, .truncated, .refusedAddress, .refusedRequest, .protocolError, .limit, .resources, .other:
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
