extension WebURL: CustomStringConvertible, CustomDebugStringConvertible {
  /// Whether there is nothing to escape in a text, as in nearly every URL.
  static func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8Span.span
    for index in bytes.indices where bytes[index] < 0x20 || bytes[index] >= 0x7F { return false }
    return true
  }

  /// The same as ``display``, but always with the scheme, which may be left out when one types.
  public var displayWithScheme: String {
    let display = display
    let bytes = display.utf8Span.span
    guard let colon = URLSplit.schemeEnd(bytes, bytes.indices), colon + 1 < bytes.count,
      bytes[colon + 1] == UInt8(ascii: "/")
    else { return requestURL }
    return display
  }

  /// The same as ``display``, so that a URL in a log line or an assertion never shows a password.
  public var description: String { display }

  /// The same as ``display``.
  public var debugDescription: String { display }

  /// A text that may be a URL, fit to be shown: what would be its user info is `***`, control characters are escaped.
  /// For what could not be parsed, which may hold a password all the same.
  public static func masked(_ text: String) -> String {
    let bytes = text.utf8Span.span
    var start = 0
    while start < bytes.count, bytes[start] <= 0x20 { start += 1 }
    if let colon = URLSplit.schemeEnd(bytes, start..<bytes.count), colon + 1 < bytes.count,
      bytes[colon + 1] == UInt8(ascii: "/")
    {
      start = colon + 1
    }
    while start < bytes.count, bytes[start] == UInt8(ascii: "/") { start += 1 }
    var end = start
    var mark: Int?
    var colon: Int?
    while end < bytes.count, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?"),
      bytes[end] != UInt8(ascii: "#")
    {
      if bytes[end] == UInt8(ascii: "@") { mark = end }
      if bytes[end] == UInt8(ascii: ":"), colon == nil { colon = end }
      end += 1
    }
    if mark == nil, let colon, bytes[start] != UInt8(ascii: "["), !isPort(bytes, colon + 1..<end) {
      // No host and port: it may be a password that holds a `/`, `?` or `#`, so everything up to the last `@` goes.
      for index in end..<bytes.count where bytes[index] == UInt8(ascii: "@") { mark = index }
    }
    guard let mark else { return PercentCoding.escapingControls(text) }
    let head = String(bytes, 0..<start)
    let tail = String(bytes, mark..<bytes.count)
    return PercentCoding.escapingControls(head + "***" + tail)
  }

  private static func isPort(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    for index in range where bytes[index] &- UInt8(ascii: "0") >= 10 { return false }
    return true
  }
}
