/// Why a transfer failed, or why there can be none.
package struct TransportFailure: Error, Hashable, Sendable {
  package enum Kind: Sendable {
    /// The host's name could not be resolved.
    case name
    /// No connection, or it was lost before an answer began.
    case connect
    /// The secure connection failed.
    case tls
    /// Nothing came for too long.
    case timeout
    /// The answer was broken off.
    case truncated
    /// The address may not be connected to.
    case refusedAddress
    /// What was to be sent could have become something else than one request.
    case refusedRequest
    /// The other side does not speak HTTP as it should.
    case protocolError
    /// There is more of the answer's header than is taken.
    case limit
    /// There are not enough open files, or not enough memory, on this side.
    case resources
    /// This side could not do it: libcurl is missing, an option or URL is refused by it, memory has run out.
    case other
  }

  /// What is behind it, where there is something to be done about that.
  package enum Cause: Sendable {
    /// The authority that signed the certificate is not trusted.
    case unknownAuthority
    /// The certificates to trust could not be read.
    case noAuthorities
    /// The server speaks, but not TLS.
    case plainServer
    /// It was the proxy that failed.
    case proxy
  }

  package let kind: Kind
  /// A clause for the user.
  package let reason: String
  /// Whether any byte of an answer had come.
  package let receivedAnything: Bool
  /// Whether the same request may well succeed later.
  package let isTransient: Bool
  package let cause: Cause?

  package init(
    _ kind: Kind, _ reason: String, receivedAnything: Bool = false, isTransient: Bool = false, cause: Cause? = nil
  ) {
    self.kind = kind
    self.reason = reason
    self.receivedAnything = receivedAnything
    self.isTransient = isTransient
    self.cause = cause
  }
}
