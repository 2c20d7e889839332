/// Decides which text from outside may go into a request. Text that can end a line of it could start another request.
package enum RequestText {
  /// RFC 5234's CTL.
  static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

  /// True if the text is a valid field value (RFC 9110 §5.5): no control characters but TAB.
  package static func isFieldValue(_ text: String) -> Bool { isFieldValue(text.utf8Span.span) }

  static func isFieldValue(_ bytes: borrowing Span<UInt8>) -> Bool {
    for index in bytes.indices where isControl(bytes[index]) && bytes[index] != 0x09 { return false }
    return true
  }

  /// Path and query of a URL as a request line has them, an empty query's `?` too, and where they begin in the URL. Nil
  /// for a URL in which something has to be escaped first, and for one whose host is anything but a name or an address.
  static func target(of url: String) -> (start: Int, text: String)? {
    let bytes = url.utf8Span.span
    var start = bytes.place(of: UInt8(ascii: ":"), from: 0)
    guard start < bytes.count else { return nil }
    while start < bytes.count, bytes[start] == UInt8(ascii: ":") || bytes[start] == UInt8(ascii: "/") { start += 1 }
    while start < bytes.count, isOfHost(bytes[start]) { start += 1 }
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: "#") {
      guard 0x21...0x7E ~= bytes[end] else { return nil }
      end += 1
    }
    if start < end, bytes[start] == UInt8(ascii: "/") { return (start, String(bytes, start..<end)) }
    return start == end || bytes[start] == UInt8(ascii: "?") ? (start, "/" + String(bytes, start..<end)) : nil
  }

  /// True if the byte may occur in a host with its port, which excludes the escape of an address's zone
  /// and the end of user info.
  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "@"): false
    default: 0x21...0x7E ~= byte
    }
  }

  /// True if the text can be a name or a password: no control characters (RFC 7617 §2).
  package static func isCredential(_ text: String) -> Bool { !text.utf8.contains(where: isControl) }

  /// The same for the user info of a URL, which may contain escapes.
  static func isCredential(escaped bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    for index in range {
      if isControl(PercentCoding.escape(in: bytes, at: index, before: range.upperBound) ?? bytes[index]) {
        return false
      }
    }
    return true
  }

  package static func isCredential(escaped text: String) -> Bool {
    let bytes = text.utf8Span.span
    return isCredential(escaped: bytes, bytes.indices)
  }

  /// The URL with quotation marks and backslashes escaped. libcurl writes its path between quotation marks into a
  /// Digest field without escaping it. RFC 3986 requires these characters to be escaped in any request.
  static func quotable(_ url: String) -> String {
    func endsQuotation(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
    guard url.utf8.contains(where: endsQuotation) else { return url }
    var bytes: [UInt8] = []
    for byte in url.utf8 {
      if endsQuotation(byte) { PercentCoding.append(escapeOf: byte, to: &bytes) } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
