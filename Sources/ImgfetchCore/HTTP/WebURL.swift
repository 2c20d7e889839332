/// A URL of http or https, taken apart once and kept in the two forms that are needed: the one to send and the key's.
///
/// The request goes out as typed, or signed paths would break: only IDN, dot segments, the fragment and the bytes that
/// no request line may hold are changed. The canonical form, which the cache goes by, is normalised as far as RFC 3986
/// calls URLs equivalent. For most URLs the two are the same string.
///
/// Printing a URL never shows its user info: ``description`` has `***` for it.
public struct WebURL: Sendable {
  /// Servers take 8 to 16 KB, and each entry of the cache holds its key: what is longer than this is a mistake in a
  /// list (a `data:` body, a lost newline), better refused at once than sent.
  public static let lengthLimit = 65536

  /// Kept in one place for all copies: a URL goes through every room and many hands, and a copy should be one reference and not one
  /// for each of its strings.
  private let parts: Parts

  final class Parts: Sendable {
    let requestURL: String
    // Nil in these three: the same as `requestURL`, as they are for most URLs.
    let canonical: String?
    let typed: String?
    let display: String?
    let origin: Origin
    let userInfo: String?
    let path: Range<Int>

    init(requestURL: String, canonical: String?, origin: Origin, typed: String, userInfo: String?, path: Range<Int>) {
      self.requestURL = requestURL
      self.canonical = canonical
      self.origin = origin
      self.typed = typed
      // Worked out once: it is asked for with every event, report and entry.
      display = userInfo == nil && WebURL.isPlain(typed) ? typed : WebURL.masked(typed)
      self.userInfo = userInfo
      self.path = path
    }

    init(_ plain: PlainURL, _ bytes: borrowing Span<UInt8>, _ text: String) {
      requestURL = text
      (canonical, typed, display, userInfo) = (nil, nil, nil, nil)
      origin = Origin(isSecure: plain.isSecure, host: String(bytes, plain.host), port: plain.port)
      path = plain.path
    }
  }

  init(_ parts: Parts) { self.parts = parts }

  /// The URL to ask for, without user info and fragment.
  public var requestURL: String { parts.requestURL }
  /// The form that decides which URLs are the same: the cache's key before any ``KeyFilter``.
  ///
  /// Scheme and host in lower case, IDN as punycode, no default port, fragment or user info, dot segments resolved,
  /// percent-escapes in capitals and undone where they need not be, `/` for an empty path. It is ASCII, and never holds a
  /// space, a quotation mark or any of ``<>\^`{|}``.
  public var canonical: String { parts.canonical ?? parts.requestURL }
  /// The host in lower case: a name in punycode, an IPv4 address as typed, an IPv6 address without brackets.
  public var host: String { parts.origin.host }
  /// The port, the scheme's own where the URL names none.
  public var port: UInt16 { parts.origin.port }
  /// Whether the scheme is https.
  public var isSecure: Bool { parts.origin.isSecure }

  /// The URL as typed, for people: user info is `***`, control characters are escaped.
  public var display: String { parts.display ?? parts.requestURL }

  /// Whether ``display`` is ``requestURL``.
  var isShownAsSent: Bool { parts.display == nil }

  /// As it was typed or resolved; it may hold a password.
  var typed: String { parts.typed ?? parts.requestURL }
  /// As typed, escapes and all.
  var userInfo: String? { parts.userInfo }
  /// Where the path begins in `requestURL`, in bytes.
  var pathStart: Int { parts.path.lowerBound }
  /// Where the path ends in `requestURL`: at the `?`, or at the end.
  var pathEnd: Int { parts.path.upperBound }

  /// Whom the request goes to.
  public var origin: Origin { parts.origin }

  /// `http` or `https`.
  public var scheme: String { isSecure ? "https" : "http" }

  /// The path and query as they are sent in a request line.
  public var requestTarget: String { slice(from: pathStart, to: requestURL.utf8.count) }

  /// The path as it is sent; it begins with `/`.
  public var path: String { slice(from: pathStart, to: pathEnd) }

  /// What stands behind the `?`, as it is sent; nil where there is none.
  public var query: String? {
    pathEnd < requestURL.utf8.count ? slice(from: pathEnd + 1, to: requestURL.utf8.count) : nil
  }

  /// The user's name, percent-decoded; nil where the URL has no user info.
  public var user: String? { userInfoParts?.user }

  /// The password, percent-decoded; nil where the user info has no `:`.
  public var password: String? { userInfoParts?.password }

  /// The address that the host is, if it is none of a name; every form that the system's resolver knows counts.
  package var address: IPAddress? { IPAddress(host: host) }

  /// The last segment of the path, percent-decoded; empty where the path ends with `/`. It may hold anything, `/` and
  /// NUL too: whoever makes a file name of it cleans it. Bytes that are not UTF-8 become U+FFFD.
  public var lastPathSegment: String {
    let bytes = requestURL.utf8Span.span
    var start = pathEnd
    var isEscaped = false
    while start > pathStart, bytes[start - 1] != UInt8(ascii: "/") {
      start -= 1
      if bytes[start] == PercentCoding.percent { isEscaped = true }
    }
    if !isEscaped { return String(bytes, start..<pathEnd) }
    return String(decoding: PercentCoding.decoded(bytes, start..<pathEnd), as: UTF8.self)
  }

  private func slice(from start: Int, to end: Int) -> String {
    String(requestURL.utf8Span.span, start..<end)
  }

  private var userInfoParts: (user: String, password: String?)? {
    guard let userInfo else { return nil }
    let bytes = userInfo.utf8Span.span
    var colon = 0
    while colon < bytes.count, bytes[colon] != UInt8(ascii: ":") { colon += 1 }
    func text(_ range: Range<Int>) -> String { String(decoding: PercentCoding.decoded(bytes, range), as: UTF8.self) }
    return (text(0..<colon), colon < bytes.count ? text(colon + 1..<bytes.count) : nil)
  }
}

extension WebURL: Hashable {
  /// Equal are URLs that make the same request with the same credentials; how they were typed does not count.
  public static func == (left: WebURL, right: WebURL) -> Bool {
    left.requestURL == right.requestURL && left.userInfo == right.userInfo
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(requestURL)
    hasher.combine(userInfo)
  }
}

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
