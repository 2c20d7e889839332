/// Which text from outside may go into a request. Text that can end a line of it could start another request.
package enum RequestText {
  /// RFC 5234's CTL.
  static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

  /// Whether the text is a valid field value (RFC 9110 §5.5): no control characters but TAB.
  package static func isFieldValue(_ text: String) -> Bool { isFieldValue(text.utf8Span.span) }

  static func isFieldValue(_ bytes: borrowing Span<UInt8>) -> Bool {
    for index in bytes.indices where isControl(bytes[index]) && bytes[index] != 0x09 { return false }
    return true
  }

  /// Whether the text can be a name or a password: no control characters (RFC 7617 §2). libcurl copies the name into a
  /// Digest field.
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

/// Numbers in header fields: digits only, without sign or space.
enum DecimalNumber {
  /// Nil if it is not a number or does not fit.
  static func exactly(_ digits: some Sequence<UInt8>) -> Int? {
    value(of: digits).flatMap { $0.over ? nil : $0.number }
  }

  /// Nil if it is not a number. One that does not fit becomes the greatest that does, as RFC 9111 §1.2.2 requires for
  /// seconds.
  static func clamped(_ digits: some Sequence<UInt8>) -> Int? {
    value(of: digits).map { $0.over ? .max : $0.number }
  }

  private static func value(of digits: some Sequence<UInt8>) -> (number: Int, over: Bool)? {
    var number = 0
    var over = false
    var isEmpty = true
    for byte in digits {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      isEmpty = false
      let (tenfold, overTen) = number.multipliedReportingOverflow(by: 10)
      let (sum, overSum) = tenfold.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      over = over || overTen || overSum
      number = over ? 0 : sum
    }
    return isEmpty ? nil : (number, over)
  }
}
