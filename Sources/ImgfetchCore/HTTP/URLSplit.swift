/// The positions of a URL's parts in its bytes. Nothing is decoded, and only the scheme is judged.
struct URLSplit {
  var isSecure = true
  var userInfo: Range<Int>?
  var host = 0..<0
  var port: Range<Int>?
  var path = 0..<0
  var query: Range<Int>?

  init(_ bytes: borrowing Span<UInt8>) throws(URLFailure) {
    guard bytes.count <= WebURL.lengthLimit else { throw .tooLong }
    var start = 0
    var end = bytes.count
    while start < end, bytes[start] <= 0x20 { start += 1 }
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
    guard start < end else { throw .empty }

    let scheme = try Self.scheme(bytes, start..<end)
    isSecure = scheme?.isSecure ?? true
    let authority = Self.skipSlashes(bytes, (scheme?.end ?? start)..<end, atLeast: scheme == nil ? 2 : 1)
    var authorityEnd = authority
    while authorityEnd < end, !Self.endsAuthority(bytes[authorityEnd]) { authorityEnd += 1 }
    splitAuthority(bytes, authority..<authorityEnd)
    if host.isEmpty { throw .noHost }
    if scheme == nil, userInfo == nil, let port, !port.isEmpty, !Self.isDigit(bytes[port.lowerBound]) {
      // `data:image/png;…` and `about:blank` are not a host with a port. The error must name the scheme.
      if Self.isWebScheme(bytes, host) != nil { throw .noHost }
      throw host.count <= 32 ? .scheme(String(bytes, host).lowercased()) : .badPort
    }
    splitTarget(bytes, authorityEnd..<end)
  }

  /// The scheme before `://`. After http and https a single slash is accepted, as curl and browsers do.
  private static func scheme(
    _ bytes: borrowing Span<UInt8>, _ range: Range<Int>
  ) throws(URLFailure) -> (isSecure: Bool, end: Int)? {
    guard let colon = schemeEnd(bytes, range), colon + 1 < range.upperBound, bytes[colon + 1] == UInt8(ascii: "/")
    else { return nil }
    if let isSecure = isWebScheme(bytes, range.lowerBound..<colon) { return (isSecure, colon + 1) }
    guard colon + 2 < range.upperBound, bytes[colon + 2] == UInt8(ascii: "/") else { return nil }
    throw .scheme(String(bytes, range.lowerBound..<colon).lowercased())
  }

  /// The place of the `:` after a valid scheme (RFC 3986), or nil if the text begins otherwise.
  static func schemeEnd(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
    var index = range.lowerBound
    while index < range.upperBound {
      switch bytes[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        if index == range.lowerBound { return nil }
      case UInt8(ascii: ":"): return index > range.lowerBound ? index : nil
      default: return nil
      }
      index += 1
    }
    return nil
  }

  /// Returns true if the scheme in `range` is https and false if it is http, or nil for any other.
  static func isWebScheme(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool? {
    // Setting bit 5 turns capitals into small letters, and no other byte into a letter of these names.
    guard range.count == 4 || range.count == 5,
      bytes[range.lowerBound] | 0x20 == UInt8(ascii: "h"), bytes[range.lowerBound + 1] | 0x20 == UInt8(ascii: "t"),
      bytes[range.lowerBound + 2] | 0x20 == UInt8(ascii: "t"), bytes[range.lowerBound + 3] | 0x20 == UInt8(ascii: "p")
    else { return nil }
    if range.count == 4 { return false }
    return bytes[range.lowerBound + 4] | 0x20 == UInt8(ascii: "s") ? true : nil
  }

  /// One to three slashes may come before the authority; two or three where there is no scheme.
  private static func skipSlashes(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, atLeast least: Int) -> Int {
    var index = range.lowerBound
    while index < range.upperBound, index - range.lowerBound < 3, bytes[index] == UInt8(ascii: "/") { index += 1 }
    return index - range.lowerBound >= least ? index : range.lowerBound
  }

  private mutating func splitAuthority(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    var start = range.lowerBound
    var index = range.upperBound
    while index > range.lowerBound {
      index -= 1
      // The last `@` ends the user info, since a password may contain one.
      guard bytes[index] == UInt8(ascii: "@") else { continue }
      userInfo = range.lowerBound..<index
      start = index + 1
      break
    }
    var hostEnd = start
    if start < range.upperBound, bytes[start] == UInt8(ascii: "[") {
      while hostEnd < range.upperBound, bytes[hostEnd] != UInt8(ascii: "]") { hostEnd += 1 }
    }
    while hostEnd < range.upperBound, bytes[hostEnd] != UInt8(ascii: ":") { hostEnd += 1 }
    host = start..<hostEnd
    guard hostEnd < range.upperBound else { return }
    port = hostEnd + 1..<range.upperBound
    // For an IPv6 address without brackets the error shows all of it.
    for index in hostEnd + 1..<range.upperBound where bytes[index] == UInt8(ascii: ":") {
      host = start..<range.upperBound
      port = nil
      return
    }
  }

  private mutating func splitTarget(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    var pathEnd = range.lowerBound
    while pathEnd < range.upperBound, bytes[pathEnd] != UInt8(ascii: "?"), bytes[pathEnd] != UInt8(ascii: "#") {
      pathEnd += 1
    }
    path = range.lowerBound..<pathEnd
    guard pathEnd < range.upperBound, bytes[pathEnd] == UInt8(ascii: "?") else { return }
    var queryEnd = pathEnd + 1
    while queryEnd < range.upperBound, bytes[queryEnd] != UInt8(ascii: "#") { queryEnd += 1 }
    query = pathEnd + 1..<queryEnd
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
