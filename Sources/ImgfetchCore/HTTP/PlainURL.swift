/// A URL that needs no changes: it is sent, stored and shown as typed, so one string serves all three.
///
/// Nearly every line of a list is such a URL, and one pass over its bytes shows it. Splitting and reassembling all URLs was a third of the
/// work of the thread that reads a list. Anything unusual takes the slow path. This must not accept a URL that the slow path would change.
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
