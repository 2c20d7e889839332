extension WebURL {
  /// Parses `text`. Without `://` it begins with the host: `example.org/a.png` is `https://example.org/a.png`.
  ///
  /// - Throws: The reason why it cannot be fetched. A `%` that does not begin an escape is accepted and sent as typed.
  public init(_ text: String) throws(URLFailure) {
    let bytes = text.utf8Span.span
    if let plain = PlainURL(bytes) {
      self.init(Parts(plain, bytes, text))
    } else {
      self = try WebURL(bytes: bytes, typed: text)
    }
  }

  /// The same from bytes, which may not be UTF-8: those of a header field.
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

  /// The port, or nil if there is none; an empty port means the default, as in RFC 3986.
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

  /// An object of a bucket: the key follows the folder as it is, escaped, so that dot segments of a key are kept. Its
  /// canonical form is the one that is requested.
  init(folder: WebURL, key: String, typed: String, account: S3Account?) throws(URLFailure) {
    let url = folder.requestURL + key
    guard url.utf8.count <= Self.lengthLimit else { throw .tooLong }
    self.init(
      Parts(
        requestURL: url, canonical: nil, origin: folder.origin, typed: typed, userInfo: nil,
        path: folder.pathStart..<url.utf8.count, account: account))
  }

  /// The URL of an object below this one, a folder of a server, with the same credentials.
  ///
  /// - Parameters:
  ///   - path: the path from here, with its escapes, beginning with a slash.
  ///   - shown: the same without escapes, as keys of buckets are written, or nil if that makes no difference.
  func below(_ path: String, shownAs shown: String? = nil) -> WebURL? {
    func cut(_ text: String) -> String {
      var text = text
      while text.hasSuffix("/") { text.removeLast() }
      return text
    }
    let url = cut(requestURL) + path
    if S3Account.isAddress(typed) {
      let start = pathStart
      return WebURL(
        Parts(
          requestURL: url, canonical: nil, origin: origin, typed: cut(typed) + (shown ?? path), userInfo: nil,
          path: start..<url.utf8.count, account: account))
    }
    guard let userInfo else { return try? WebURL(url) }
    return try? WebURL("\(scheme)://\(userInfo)@\(url.dropFirst(scheme.count + 3))")
  }

  /// Resolves a reference in a response of this URL (RFC 3986 §5): an absolute URL, `//host/path`, `/path`, `path`,
  /// `?query` or nothing. The user info is kept where the authority is.
  ///
  /// White space around it is dropped, and other illegal bytes are escaped. A backslash is an ordinary byte, as in curl
  /// but not in browsers.
  ///
  /// - Throws: As ``init(_:)`` does; ``URLFailure/scheme(_:)`` for another scheme.
  public func resolving(_ reference: String) throws(URLFailure) -> WebURL {
    try resolving(bytes: reference.utf8Span.span)
  }

  /// The same for the bytes of a header field, which may not be UTF-8 and are escaped one by one.
  package func resolving(bytes: borrowing Span<UInt8>) throws(URLFailure) -> WebURL {
    guard bytes.count <= Self.lengthLimit else { throw .tooLong }
    var start = 0
    var end = bytes.count
    while start < end, bytes[start] <= 0x20 { start += 1 }
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }

    if let colon = URLSplit.schemeEnd(bytes, start..<end) {
      guard let isSecure = URLSplit.isWebScheme(bytes, start..<colon) else {
        throw .scheme(String(bytes, start..<colon).lowercased())
      }
      if colon + 1 < end, bytes[colon + 1] == UInt8(ascii: "/") {
        return try Self.assembled(prefix: "", bytes, start..<end)
      }
      guard isSecure == self.isSecure else { throw .noHost }
      // `https:a.png` has no host. Browsers, and RFC 3986 §5.2.2 for compatibility, take the rest as relative.
      start = colon + 1
    }
    let first = start < end ? bytes[start] : nil
    let second = start + 1 < end ? bytes[start + 1] : nil
    return try Self.assembled(prefix: prefix(beforeReference: first, second), bytes, start..<end)
  }

  /// Resolves a reference in a page of this URL as browsers do, by the URL standard: TABs and line breaks within it
  /// count for nothing, a backslash is a slash before the query, and any number of slashes precedes a host. User info
  /// is dropped: a page has no say in who asks.
  ///
  /// - Throws: As ``resolving(_:)`` does.
  package func resolving(link: borrowing Span<UInt8>) throws(URLFailure) -> WebURL {
    guard link.count <= Self.lengthLimit else { throw .tooLong }
    let url = try resolving(checkedLink: link)
    // A host that begins with a digit may be an address in an unusual spelling, which the resulting URL writes in the
    // usual one.
    if url.host.utf8.first.map({ $0 &- UInt8(ascii: "0") < 10 }) ?? false, let address = url.address,
      case let host = "\(address)", host != url.host
    {
      return try WebURL("\(Origin(isSecure: url.isSecure, host: host, port: url.port))\(url.requestTarget)")
    }
    guard url.userInfo != nil else { return url }
    return try WebURL(url.requestURL)
  }

  /// Resolves a reference whose host, if it has one of its own, has yet to be looked at.
  private func resolving(checkedLink link: borrowing Span<UInt8>) throws(URLFailure) -> WebURL {
    if LinkText.isPlain(link) { return try resolving(bytes: link) }
    if let url = PlainURL(link), LinkText.isPlain(link.extracting(url.path.lowerBound..<link.count)) {
      return WebURL(Parts(url, link, String(link, 0..<link.count)))
    }
    let plain = LinkText.plain(link, isSecure: isSecure)
    return try resolving(bytes: plain.span)
  }

  /// The part of this URL that precedes a relative reference with these first bytes.
  private func prefix(beforeReference first: UInt8?, _ second: UInt8?) -> String {
    let afterScheme = scheme.utf8.count + 3
    let authority =
      userInfo.map { "\(scheme)://\($0)@\(slice(from: afterScheme, to: pathStart))" } ?? slice(from: 0, to: pathStart)
    switch first {
    case UInt8(ascii: "/"): return second == UInt8(ascii: "/") ? "\(scheme):" : authority
    case UInt8(ascii: "?"): return authority + path
    case nil, UInt8(ascii: "#"): return authority + requestTarget
    default:
      let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? "/"
      return authority + folder
    }
  }

  private static func assembled(
    prefix: String, _ bytes: borrowing Span<UInt8>, _ range: Range<Int>
  ) throws(URLFailure) -> WebURL {
    var whole: [UInt8] = []
    whole.reserveCapacity(prefix.utf8.count + range.count)
    whole.append(copying: prefix.utf8Span.span)
    whole.append(copying: bytes.extracting(range))
    // Nearly every address in a page.
    if let plain = PlainURL(whole.span) {
      return WebURL(Parts(plain, whole.span, String(decoding: whole, as: UTF8.self)))
    }
    // An absolute URL is shown as it came, and so are the dot segments in it.
    if !prefix.isEmpty { whole = try withoutDotSegments(whole) }
    return try WebURL(bytes: whole.span, typed: String(decoding: whole, as: UTF8.self))
  }

  /// A URL that was put together, as a reader would write it: `/a/../b` is `/b`. Nearly all are so already.
  private static func withoutDotSegments(_ url: [UInt8]) throws(URLFailure) -> [UInt8] {
    let bytes = url.span
    let split = try URLSplit(bytes)
    guard URLTarget.hasDotSegments(split.path, of: bytes) else { return url }
    var written = Array(url[..<split.path.lowerBound])
    URLTarget.append(path: split.path, of: bytes, to: &written)
    return written + url[split.path.upperBound...]
  }
}

/// A URL that needs no changes: it is sent, stored and shown as typed, so one string serves all three.
///
/// Nearly every line of a list is such a URL, and one pass over its bytes shows it. Splitting and reassembling all URLs
/// was a third of the work of the thread that reads a list. Anything unusual takes the slow path. This must not accept
/// a URL that the slow path would change.
struct PlainURL {
  let isSecure: Bool
  let host: Range<Int>
  let port: UInt16
  let path: Range<Int>

  /// Nil if the URL is not plain or not valid.
  init?(_ bytes: borrowing Span<UInt8>) {
    guard bytes.count <= WebURL.lengthLimit, let scheme = Self.scheme(bytes) else { return nil }
    isSecure = scheme.isSecure
    guard let hostEnd = Self.hostEnd(bytes, from: scheme.end) else { return nil }
    host = scheme.end..<hostEnd
    var index = hostEnd
    if index < bytes.count, bytes[index] == UInt8(ascii: ":") {
      guard let named = Self.port(bytes, from: index + 1, isSecure: isSecure) else { return nil }
      (port, index) = named
    } else {
      port = Origin.defaultPort(isSecure: isSecure)
    }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "/"), let end = Self.pathEnd(bytes, from: index)
    else { return nil }
    path = index..<end
    for index in end..<bytes.count where !PercentCoding.isLegalInTarget(bytes[index]) { return nil }
  }

  private static func scheme(_ bytes: borrowing Span<UInt8>) -> (isSecure: Bool, end: Int)? {
    guard bytes.count > 8, bytes[0] == UInt8(ascii: "h"), bytes[1] == UInt8(ascii: "t"), bytes[2] == UInt8(ascii: "t"),
      bytes[3] == UInt8(ascii: "p")
    else { return nil }
    let isSecure = bytes[4] == UInt8(ascii: "s")
    let colon = isSecure ? 5 : 4
    guard bytes[colon] == UInt8(ascii: ":"), bytes[colon + 1] == UInt8(ascii: "/"),
      bytes[colon + 2] == UInt8(ascii: "/")
    else { return nil }
    return (isSecure, colon + 3)
  }

  /// The end of a host name in lower case. No label may be empty, except the last.
  private static func hostEnd(_ bytes: borrowing Span<UInt8>, from start: Int) -> Int? {
    var index = start
    var previous = UInt8(ascii: ".")
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: ".") {
        if previous == UInt8(ascii: ".") { return nil }
      } else if !PercentCoding.isUnreserved(byte) || byte &- UInt8(ascii: "A") < 26 {
        break
      }
      previous = byte
      index += 1
    }
    return index > start && index - start <= URLHost.lengthLimit ? index : nil
  }

  /// A port in canonical form: not the scheme's default, and without leading zeros.
  private static func port(
    _ bytes: borrowing Span<UInt8>, from start: Int, isSecure: Bool
  ) -> (port: UInt16, end: Int)? {
    var value: UInt32 = 0
    var index = start
    while index < bytes.count, index - start < 5, bytes[index] &- UInt8(ascii: "0") < 10 {
      value = value * 10 + UInt32(bytes[index] &- UInt8(ascii: "0"))
      if value == 0 { return nil }
      index += 1
    }
    guard let port = UInt16(exactly: value), port > 0 else { return nil }
    return port == Origin.defaultPort(isSecure: isSecure) ? nil : (port, index)
  }

  /// The end of the path: the `?`, or the end of the URL. A segment that begins with a dot may be a dot segment.
  private static func pathEnd(_ bytes: borrowing Span<UInt8>, from start: Int) -> Int? {
    var index = start
    var previous: UInt8 = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "?") { return index }
      guard PercentCoding.isLegalInTarget(byte), byte != UInt8(ascii: ".") || previous != UInt8(ascii: "/") else {
        return nil
      }
      previous = byte
      index += 1
    }
    return index
  }
}
