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
  /// The time by which the transfer must have ended.
  package var deadline: Instant? {
    get { parts.values.deadline }
    set { parts.values.deadline = newValue }
  }
  /// The file to put under the URL, or nil to request the URL.
  package var upload: Upload? {
    get { parts.values.upload }
    set { parts.values.upload = newValue }
  }
  /// The client's certificate, for a server that wants one.
  package var certificate: ClientCertificate? {
    get { parts.values.certificate }
    set { parts.values.certificate = newValue }
  }
  /// Another method than GET or, with an upload, PUT. The answer to a HEAD has no body.
  package var method: String? {
    get { parts.values.method }
    set { parts.values.method = newValue }
  }
  package var addressRule: AddressRule {
    get { parts.values.addressRule }
    set { parts.values.addressRule = newValue }
  }
  /// The addresses of the URL's host as `HOST:PORT:ADDRESS,…`, so that its name is not looked up. With nil libcurl
  /// looks it up, if it has to.
  package var addresses: String? {
    get { parts.values.addresses }
    set { parts.values.addresses = newValue }
  }
  /// True if each piece of the body is delivered as it comes, for a partial picture. Otherwise pieces are gathered.
  package var deliversAtOnce: Bool {
    get { parts.values.deliversAtOnce }
    set { parts.values.deliversAtOnce = newValue }
  }

  /// Returns true if no more of the body can be taken for now. Called for each piece, on the loop's thread. With
  /// nil, every piece is taken.
  package var isHeld: (@Sendable () -> Bool)? {
    get { parts.values.isHeld }
    set { parts.values.isHeld = newValue }
  }

  private struct Parts: Sendable {
    let url: String
    var fields: [(name: String, value: String)]
    var exactFields = HeaderFields()
    var credentials: Credentials?
    var connectTimeout: Instant.Span
    var stallTimeout: Instant.Span
    var deadline: Instant?
    var upload: Upload?
    var method: String?
    var certificate: ClientCertificate?
    var addressRule: AddressRule
    var addresses: String?
    var deliversAtOnce = false
    var isHeld: (@Sendable () -> Bool)?
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
  func resumption(at now: Instant) -> Instant? {
    guard let paidUntil, paidUntil > now else { return nil }
    return paidUntil
  }
}
