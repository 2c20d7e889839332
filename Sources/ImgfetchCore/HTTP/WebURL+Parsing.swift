extension WebURL {
  /// Takes `text` apart. What has no `://` is a host: `example.org/a.png` is `https://example.org/a.png`.
  ///
  /// - Throws: why it cannot be fetched. A `%` that begins no escape is no reason: it goes out as typed.
  public init(_ text: String) throws(URLFailure) {
    let bytes = text.utf8Span.span
    if let plain = PlainURL(bytes) {
      self.init(Parts(plain, bytes, text))
    } else {
      self = try WebURL(bytes: bytes, typed: text)
    }
  }

  /// The same from bytes, which need not be UTF-8: those of a header field are not always.
  init(bytes: borrowing Span<UInt8>, typed: String) throws(URLFailure) {
    let split = try URLSplit(bytes)
    if let info = split.userInfo, !RequestText.isCredential(escaped: bytes, info) { throw .badUserInfo }
    let host = try URLHost.normalised(bytes, split.host)
    let port = try Self.port(bytes, split.port) ?? Origin.defaultPort(isSecure: split.isSecure)

    var request: [UInt8] = []
    request.reserveCapacity(bytes.count + 16)
    let origin = Origin(isSecure: split.isSecure, host: host, port: port)
    origin.append(to: &request)
    let pathStart = request.count
    URLTarget.append(path: split.path, of: bytes, to: &request)
    let pathEnd = request.count
    if let query = split.query {
      request.append(UInt8(ascii: "?"))
      URLTarget.append(escaped: query, of: bytes, to: &request)
    }

    let requestURL = String(decoding: request, as: UTF8.self)
    let canonical = URLTarget.canonical(request, from: pathStart)
    self.init(
      Parts(
        requestURL: requestURL, canonical: canonical.map { String(decoding: $0, as: UTF8.self) },
        origin: origin, typed: typed,
        userInfo: split.userInfo.map { range in String(decoding: range.map { bytes[$0] }, as: UTF8.self) },
        path: pathStart..<pathEnd))
  }

  /// Nil where no port is named; an empty one is the default, as RFC 3986 has it.
  private static func port(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>?) throws(URLFailure) -> UInt16? {
    guard let range, !range.isEmpty else { return nil }
    var value: UInt32 = 0
    for index in range {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { throw .badPort }
      value = value * 10 + UInt32(digit)
      guard value <= UInt16.max else { throw .badPort }
    }
    guard value > 0 else { throw .badPort }
    return UInt16(truncatingIfNeeded: value)
  }
}
