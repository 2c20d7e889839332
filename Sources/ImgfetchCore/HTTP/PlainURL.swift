/// A URL that needs nothing done: it is sent, kept and shown as it was typed, so that one string serves for all of them.
///
/// Nearly every line of a list is one, and is known for it in one pass over its bytes; taking all URLs apart and putting them together
/// again was a third of what the thread that reads a list did. What is unusual in any way goes the long way, so this may refuse what it
/// likes, and accepts nothing that the long way would change.
struct PlainURL {
  let isSecure: Bool
  let host: Range<Int>
  let port: UInt16
  let path: Range<Int>

  /// Nil: not plain, or no URL at all.
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

  /// Where a name in lower case ends, with no label of it empty but perhaps the last.
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

  /// A port as it is written back: not the scheme's own, and without zeros before it.
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

  /// Where the path ends: at the `?`, or at the end. A segment that begins with a dot may be one that is resolved.
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
