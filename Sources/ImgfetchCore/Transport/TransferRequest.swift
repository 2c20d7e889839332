/// One request to one URL, that is one hop. Its parts read as if they were its own.
@dynamicMemberLookup
package struct TransferRequest: Sendable {
  package let id: TransferID

  package struct Parts: Sendable {
    /// Sent exactly as it is here, with percent-escapes and dot segments; without user info.
    package let url: String
    /// All request fields except Host, in order. No others are sent.
    package var fields: [(name: String, value: String)]
    /// Fields that follow those, byte for byte: validators are sent back to their server as they were received, in
    /// whatever encoding.
    package var exactFields = HeaderFields()
    package var credentials: Credentials?
    /// The time allowed for name lookup, connection and TLS together.
    package var connectTimeout: Instant.Span
    /// The longest time without a header or body byte after the request was sent. It does not run while the transfer is
    /// paused.
    package var stallTimeout: Instant.Span
    /// The time by which the transfer must have ended.
    package var deadline: Instant?
    /// The file to put under the URL, or nil to request the URL.
    package var upload: Upload?
    /// Another method than GET or, with an upload, PUT. The answer to a HEAD has no body.
    package var method: String?
    /// The client's certificate, for a server that wants one.
    package var certificate: ClientCertificate?
    package var addressRule: AddressRule
    /// The addresses of the URL's host as `HOST:PORT:ADDRESS,…`, so that its name is not looked up. With nil libcurl
    /// looks it up, if it has to.
    package var addresses: String?
    /// True if each piece of the body is delivered as it comes, for a partial picture. Otherwise pieces are gathered.
    package var deliversAtOnce = false
    /// Returns true if no more of the body can be taken for now. Called for each piece, on the loop's thread. With
    /// nil, every piece is taken.
    package var isHeld: (@Sendable () -> Bool)?
  }
  private var parts: CopiedOnWrite<Parts>

  // Inlined, a key path that is written out is a field: nothing is left of it at run time.
  @inline(__always)
  package subscript<Value>(dynamicMember part: KeyPath<Parts, Value>) -> Value { parts.values[keyPath: part] }

  @inline(__always)
  package subscript<Value>(dynamicMember part: WritableKeyPath<Parts, Value>) -> Value {
    get { parts.values[keyPath: part] }
    set { parts.values[keyPath: part] = newValue }
  }

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

/// A rate limit over all transfers, kept as a debt that is paid off by time. A pure value.
///
/// Received bytes cannot be given back, so a turn may run into debt; nothing is received until it is paid. The average
/// rate is the requested one, whatever the sizes of the pieces.
struct RateBudget {
  private let rate: Int64
  /// The time at which all bytes received so far would have arrived at exactly the given rate.
  private var paidUntil: Instant?

  /// - Parameter rate: Bytes a second; 0 for no limit.
  init(rate: Int64) { self.rate = max(0, rate) }

  /// The bytes that may be received before time has to pass: a tenth of a second's worth, for an even flow, but at
  /// least libcurl's read of 1 KiB.
  var slice: Int64 { rate == 0 ? .max : max(1024, rate / 10) }

  /// Notes that bytes were received.
  mutating func spend(_ bytes: Int64, at now: Instant) {
    guard rate > 0, bytes > 0 else { return }
    let nanoseconds = Double(bytes) / Double(rate) * 1e9
    let start = max(paidUntil ?? now, now)
    paidUntil = start + Instant.Span(nanoseconds: nanoseconds >= 9e18 ? .max : Int64(nanoseconds))
  }

  /// The time until which nothing may be received, or nil if receiving may go on.
  func notBefore(at now: Instant) -> Instant? {
    guard let paidUntil, paidUntil > now else { return nil }
    return paidUntil
  }
}
