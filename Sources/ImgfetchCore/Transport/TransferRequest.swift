/// Identifies a transfer. The client numbers its transfers itself and never reuses a number.
package struct TransferID: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) { self.number = number }
}

/// One request to one URL, that is one hop.
package struct TransferRequest: Sendable {
  package let id: TransferID
  /// Sent exactly as it is here, with percent-escapes and dot segments; without user info.
  package var url: String { parts.values.url }
  /// All request fields except Host, in order. No others are sent.
  package var fields: [(name: String, value: String)] {
    get { parts.values.fields }
    set { parts.values.fields = newValue }
  }
  /// Fields that follow those, byte for byte: validators are sent back to their server as they were received, in
  /// whatever encoding.
  package var exactFields: HeaderFields {
    get { parts.values.exactFields }
    set { parts.values.exactFields = newValue }
  }
  package var credentials: Credentials? {
    get { parts.values.credentials }
    set { parts.values.credentials = newValue }
  }
  /// The time allowed for name lookup, connection and TLS together.
  package var connectTimeout: Instant.Span {
    get { parts.values.connectTimeout }
    set { parts.values.connectTimeout = newValue }
  }
  /// The longest time without a header or body byte after the request was sent. It does not run while the transfer is
  /// paused.
  package var stallTimeout: Instant.Span {
    get { parts.values.stallTimeout }
    set { parts.values.stallTimeout = newValue }
  }
  /// When the transfer must have ended.
  package var deadline: Instant? {
    get { parts.values.deadline }
    set { parts.values.deadline = newValue }
  }
  package var addressRule: AddressRule {
    get { parts.values.addressRule }
    set { parts.values.addressRule = newValue }
  }

  private struct Parts: Sendable {
    let url: String
    var fields: [(name: String, value: String)]
    var exactFields = HeaderFields()
    var credentials: Credentials?
    var connectTimeout: Instant.Span
    var stallTimeout: Instant.Span
    var deadline: Instant?
    var addressRule: AddressRule
  }
  private var parts: CopiedOnWrite<Parts>

  package init(
    id: TransferID, url: String, fields: [(name: String, value: String)] = [],
    connectTimeout: Instant.Span = .seconds(10),
    stallTimeout: Instant.Span = .seconds(15), addressRule: AddressRule = .any
  ) {
    self.id = id
    parts = CopiedOnWrite(
      Parts(
        url: url, fields: fields, connectTimeout: connectTimeout, stallTimeout: stallTimeout, addressRule: addressRule))
  }
}

/// A user name and password for a request.
package struct Credentials: Hashable, Sendable {
  package enum Scheme: Sendable {
    /// Sent with the request at once.
    case basic
    /// For a request that was answered by a 401 with a Digest challenge. It takes another round trip, for its own
    /// challenge. That first 401 is not reported to the client.
    case digest
  }

  package var user: String
  package var password: String
  package var scheme = Scheme.basic
}

/// Which addresses may be connected to. It is applied when a socket opens, and again before a request is sent over a
/// connection that was already open, perhaps under another rule.
package enum AddressRule: Sendable {
  case any
  /// Only globally reachable addresses.
  case publicOnly
  /// A closure that returns why the address is refused, as a clause, or nil to allow it.
  case custom(@Sendable (IPAddress) -> String?)

  /// Why the address is refused; nil if it is allowed.
  package func objection(to address: IPAddress) -> String? {
    switch self {
    case .any: nil
    case .publicOnly: AddressClass.isGloballyReachable(address) ? nil : "its address \(address) is not a public one"
    case .custom(let judge): judge(address)
    }
  }
}
