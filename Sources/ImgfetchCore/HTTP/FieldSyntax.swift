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

/// The first line of a response as libcurl passes it on: `HTTP/1.1 200 OK`, `HTTP/2 200`. The reason phrase is ignored.
package struct StatusLine: Hashable, Sendable {
  /// 1 with `minor` 0 or 1, 2 or 3 with 0.
  package var major: Int
  package var minor: Int
  /// 100 to 999.
  package var status: Int

  /// Nil if the line is not a status line.
  package init?(_ line: borrowing Span<UInt8>) {
    var end = line.count
    while end > 0, line[end - 1] <= 0x20 { end -= 1 }
    guard end > 5, line.extracting(..<5).isSame(as: "HTTP/".utf8Span.span) else { return nil }
    var index = 5

    guard let major = Self.digit(line[index]) else { return nil }
    index += 1
    var minor = 0
    if index + 1 < end, line[index] == UInt8(ascii: ".") {
      guard let digit = Self.digit(line[index + 1]) else { return nil }
      minor = digit
      index += 2
    }
    guard index < end, line[index] == 0x20 else { return nil }
    while index < end, line[index] == 0x20 { index += 1 }

    guard index + 3 <= end, index + 3 == end || line[index + 3] == 0x20 else { return nil }
    var status = 0
    for place in index..<index + 3 {
      guard let digit = Self.digit(line[place]) else { return nil }
      status = status * 10 + digit
    }
    guard status >= 100 else { return nil }
    self.major = major
    self.minor = minor
    self.status = status
  }

  private static func digit(_ byte: UInt8) -> Int? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }
}

/// The challenges of a 401 (RFC 9110 §11.6.1).
package enum Challenge {
  /// True if the response offers the Digest scheme.
  package static func offersDigest(_ fields: HeaderFields) -> Bool {
    var offers = false
    fields.forEach("www-authenticate") { line in
      var word: [UInt8] = []
      var isFirst = true
      var isQuoted = false
      var isEscaped = false
      // A challenge begins a list member. Its parameters are members too, but have a `=` where a challenge has a blank.
      for byte in line + [UInt8(ascii: ",")] {
        if isQuoted {
          isQuoted = isEscaped || byte != UInt8(ascii: "\"")
          isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        } else if byte == UInt8(ascii: "\"") {
          isQuoted = true
          isFirst = false
        } else if byte == UInt8(ascii: ",") || HeaderFields.isBlank(byte) {
          if isFirst, word.elementsEqual("digest".utf8) { offers = true }
          if byte == UInt8(ascii: ",") { isFirst = true } else if !word.isEmpty { isFirst = false }
          word = []
        } else {
          word.append(URLHost.lower(byte))
        }
      }
    }
    return offers
  }
}

/// The Retry-After field of a response: how long to wait before the next attempt.
package enum RetryAfter {
  /// Parses seconds (`120`) or a date, relative to `now`. A past date gives 0; other text gives nil.
  package static func parse(_ value: String, now: WallTime) -> Instant.Span? {
    if let seconds = DecimalNumber.clamped(value.utf8) {
      let (nanoseconds, over) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
      return Instant.Span(nanoseconds: over ? .max : nanoseconds)
    }
    guard let date = HTTPDate.parse(value, now: now) else { return nil }
    let (wait, over) = date.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
    if over { return Instant.Span(nanoseconds: date > now ? .max : 0) }
    return Instant.Span(nanoseconds: max(0, wait))
  }
}
