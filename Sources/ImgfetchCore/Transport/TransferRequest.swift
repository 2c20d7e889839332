/// Names a transfer. The client numbers its transfers itself, and never twice.
package struct TransferID: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) { self.number = number }
}

/// One request to one URL: a hop.
package struct TransferRequest: Sendable {
  package let id: TransferID
  /// Exactly as it is to go out, percent-escapes and dot segments included; without user info.
  package var url: String { parts.values.url }
  /// All request fields besides Host, in order. None is added: what is not here is not sent.
  package var fields: [(name: String, value: String)] {
    get { parts.values.fields }
    set { parts.values.fields = newValue }
  }
  /// Fields that go out behind those, byte for byte: validators go back to their server as they came, in whatever
  /// encoding that was.
  package var exactFields: HeaderFields {
    get { parts.values.exactFields }
    set { parts.values.exactFields = newValue }
  }
  package var credentials: Credentials? {
    get { parts.values.credentials }
    set { parts.values.credentials = newValue }
  }
  /// How long the name, the connection and TLS may take together.
  package var connectTimeout: Instant.Span {
    get { parts.values.connectTimeout }
    set { parts.values.connectTimeout = newValue }
  }
  /// How long nothing may come once the request is out: neither a header nor a byte. It stands still while we pause.
  package var stallTimeout: Instant.Span {
    get { parts.values.stallTimeout }
    set { parts.values.stallTimeout = newValue }
  }
  /// When it must be over, whatever comes.
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

/// Who asks.
package struct Credentials: Hashable, Sendable {
  package enum Scheme: Sendable {
    /// Sent with the request.
    case basic
    /// For a request that a 401 with a Digest challenge came back to. It costs a round trip more, for a challenge of
    /// its own; that first 401 is not told to the client.
    case digest
  }

  package var user: String
  package var password: String
  package var scheme: Scheme

  package init(user: String, password: String, scheme: Scheme = .basic) {
    self.user = user
    self.password = password
    self.scheme = scheme
  }
}

/// Which addresses may be connected to. It is asked when a socket opens, and again before a request goes out over a
/// connection that was open already: that one may have been opened under another rule.
package enum AddressRule: Sendable {
  case any
  /// Only addresses that are reachable from anywhere.
  case publicOnly
  /// What it answers is why the address is refused, as a clause; nil: it may be connected to.
  case custom(@Sendable (IPAddress) -> String?)

  /// Why the address is refused; nil if it is not.
  package func objection(to address: IPAddress) -> String? {
    switch self {
    case .any: nil
    case .publicOnly: AddressClass.isGloballyReachable(address) ? nil : "its address \(address) is not a public one"
    case .custom(let judge): judge(address)
    }
  }
}
