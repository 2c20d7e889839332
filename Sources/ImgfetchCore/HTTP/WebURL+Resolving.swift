extension WebURL {
  /// The URL that a reference found in an answer of this one leads to (RFC 3986 §5): a whole URL, `//host/path`, `/path`,
  /// `path`, `?query` or nothing. The user info stays where the authority does.
  ///
  /// White space around it is dropped, other bytes that do not belong are escaped as in a typed URL. A backslash is an
  /// ordinary byte, as for curl; that it should mean `/` is a browsers' custom.
  ///
  /// - Throws: as ``init(_:)`` does; a reference to another scheme is ``URLFailure/scheme(_:)``.
  public func resolving(_ reference: String) throws(URLFailure) -> WebURL {
    try resolving(bytes: reference.utf8Span.span)
  }

  /// The same for the bytes of a header field, which need not be UTF-8 and are escaped one by one.
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
      // `https:a.png` has no host; browsers, and RFC 3986 §5.2.2 for old times' sake, take the rest as relative.
      start = colon + 1
    }
    let first = start < end ? bytes[start] : nil
    let second = start + 1 < end ? bytes[start + 1] : nil
    return try Self.assembled(prefix: prefix(beforeReference: first, second), bytes, start..<end)
  }

  /// What of this URL stands before a relative reference that begins with these bytes.
  private func prefix(beforeReference first: UInt8?, _ second: UInt8?) -> String {
    let afterScheme = scheme.utf8.count + 3
    let authority = userInfo.map { "\(scheme)://\($0)@\(slice(afterScheme, pathStart))" } ?? slice(0, pathStart)
    switch first {
    case UInt8(ascii: "/"): return second == UInt8(ascii: "/") ? "\(scheme):" : authority
    case UInt8(ascii: "?"): return authority + path
    case nil, UInt8(ascii: "#"): return authority + requestTarget
    default:
      let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? "/"
      return authority + folder
    }
  }

  private func slice(_ start: Int, _ end: Int) -> String {
    String(decoding: requestURL.utf8.dropFirst(start).prefix(end - start), as: UTF8.self)
  }

  private static func assembled(
    prefix: String, _ bytes: borrowing Span<UInt8>, _ range: Range<Int>
  ) throws(URLFailure) -> WebURL {
    var whole = [UInt8](prefix.utf8)
    whole.reserveCapacity(whole.count + range.count)
    for index in range { whole.append(bytes[index]) }
    return try WebURL(bytes: whole.span, typed: String(decoding: whole, as: UTF8.self))
  }
}
