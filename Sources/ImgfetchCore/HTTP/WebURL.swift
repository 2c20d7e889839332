/// An http or https URL, parsed once and kept in two forms: the one to send and the canonical one.
///
/// The request is sent as typed, since changes would break signed paths: only IDN, dot segments, the fragment and bytes
/// that are illegal in a request line are changed. The canonical form, which the cache key is made from, is normalised
/// as far as RFC 3986 calls URLs equivalent. For most URLs both are the same string.
///
/// Printing a URL never shows its user info: ``description`` has `***` for it.
public struct WebURL: Sendable {
  /// Servers accept 8 to 16 KB, and each cache entry contains its key. Anything longer is a mistake in a list (a
  /// `data:` URL, a missing line break) and is rejected at once.
  public static let lengthLimit = 65536

  /// Shared by all copies: a URL is passed through many layers, and a copy should cost one reference count
  /// instead of one per string.
  private let parts: Parts

  final class Parts: Sendable {
    let requestURL: String
    // Nil in these three means the same as `requestURL`, as with most URLs.
    let canonical: String?
    let typed: String?
    let display: String?
    let origin: Origin
    let userInfo: String?
    let account: S3Account?
    let path: Range<Int>

    init(
      requestURL: String, canonical: String?, origin: Origin, typed: String, userInfo: String?, path: Range<Int>,
      account: S3Account? = nil
    ) {
      self.requestURL = requestURL
      self.canonical = canonical
      self.origin = origin
      self.typed = typed
      // Computed once: every event, report and entry uses it.
      display = userInfo == nil && WebURL.isPlain(typed) ? typed : WebURL.masked(typed)
      self.userInfo = userInfo
      self.account = account
      self.path = path
    }

    init(_ plain: PlainURL, _ bytes: borrowing Span<UInt8>, _ text: String) {
      requestURL = text
      (canonical, typed, display, userInfo, account) = (nil, nil, nil, nil, nil)
      origin = Origin(isSecure: plain.isSecure, host: String(bytes, plain.host), port: plain.port)
      path = plain.path
    }
  }

  init(_ parts: Parts) { self.parts = parts }

  /// The URL to request, without user info and fragment.
  public var requestURL: String { parts.requestURL }
  /// The form that decides which URLs are equal: the cache key before any ``KeyFilter``.
  ///
  /// Scheme and host in lower case, IDN as punycode, no default port, fragment or user info, dot segments resolved,
  /// percent-escapes in capitals and decoded where possible, `/` for an empty path. It is ASCII, and never contains a
  /// space, a quotation mark or any of `<`, `>`, `\`, `^`, the backtick, `{`, `|` and `}`.
  public var canonical: String { parts.canonical ?? parts.requestURL }
  /// The host in lower case: a name in punycode, an IPv4 address as typed, an IPv6 address without brackets.
  public var host: String { parts.origin.host }
  /// The port; the scheme's default where the URL has none.
  public var port: UInt16 { parts.origin.port }
  /// True if the scheme is https.
  public var isSecure: Bool { parts.origin.isSecure }

  /// The URL as typed, for people: user info is `***`, control characters are escaped.
  public var display: String { parts.display ?? parts.requestURL }

  /// True if ``display`` is ``requestURL``.
  var isShownAsSent: Bool { parts.display == nil }

  /// The URL as typed or resolved, which may contain a password.
  var typed: String { parts.typed ?? parts.requestURL }
  /// The user info as typed, with its escapes.
  var userInfo: String? { parts.userInfo }
  /// The account that signs requests to the URL, or nil if they are not signed.
  var account: S3Account? { parts.account }
  /// The byte offset of the path in `requestURL`.
  var pathStart: Int { parts.path.lowerBound }
  /// The byte offset of the path's end in `requestURL`: the `?`, or the end.
  var pathEnd: Int { parts.path.upperBound }

  /// The origin that the request goes to.
  public var origin: Origin { parts.origin }

  /// `http` or `https`.
  public var scheme: String { isSecure ? "https" : "http" }

  /// The path and query as sent in the request line.
  public var requestTarget: String { slice(from: pathStart, to: requestURL.utf8.count) }

  /// The path as sent; it begins with `/`.
  public var path: String { slice(from: pathStart, to: pathEnd) }

  /// The part after the `?` as sent, or nil if there is no `?`.
  public var query: String? {
    pathEnd < requestURL.utf8.count ? slice(from: pathEnd + 1, to: requestURL.utf8.count) : nil
  }

  /// The user's name, percent-decoded, or nil if the URL has no user info.
  public var user: String? { userInfoParts?.user }

  /// The password, percent-decoded, or nil if the user info has no `:`.
  public var password: String? { userInfoParts?.password }

  /// The host as an address, in any spelling that the system's resolver accepts, or nil if it is a name.
  package var address: IPAddress? { IPAddress(host: host) }

  /// The last segment of the path, percent-decoded; empty if the path ends with `/`. It may contain any character, even
  /// `/` and NUL, and must be cleaned before it is used as a file name. Invalid UTF-8 becomes U+FFFD.
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

  func slice(from start: Int, to end: Int) -> String { String(requestURL.utf8Span.span, start..<end) }

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
  /// Compares two URLs: equal ones make the same request with the same credentials, however they were typed.
  public static func == (left: WebURL, right: WebURL) -> Bool {
    left.requestURL == right.requestURL && left.userInfo == right.userInfo && left.account === right.account
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(requestURL)
    hasher.combine(userInfo)
  }
}

extension WebURL: CustomStringConvertible, CustomDebugStringConvertible {
  /// True if the text has nothing to escape, as with nearly every URL.
  static func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8Span.span
    for index in bytes.indices where bytes[index] < 0x20 || bytes[index] >= 0x7F { return false }
    return true
  }

  /// ``display`` with the scheme, which may be missing as typed. Of `s3://` URLs the one that is requested.
  public var displayWithScheme: String {
    let display = display
    let bytes = display.utf8Span.span
    guard let colon = URLSplit.schemeEnd(bytes, bytes.indices), colon + 1 < bytes.count,
      bytes[colon + 1] == UInt8(ascii: "/"), !S3Account.isAddress(display)
    else { return requestURL }
    return display
  }

  /// ``display``, so that a URL in a log line or an assertion never shows a password.
  public var description: String { display }

  /// ``display``.
  public var debugDescription: String { display }

  /// The text that stands for a secret.
  package static let mask = "***"

  /// Makes a text safe to show that may be an invalid URL: what looks like user info becomes `***`,
  /// control characters are escaped.
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
      // Not host and port: it may be a password with a `/`, `?` or `#`, so everything up to the last `@` is masked.
      for index in end..<bytes.count where bytes[index] == UInt8(ascii: "@") { mark = index }
    }
    guard let mark else { return PercentCoding.escapingControls(text) }
    let head = String(bytes, 0..<start)
    let tail = String(bytes, mark..<bytes.count)
    return PercentCoding.escapingControls(head + mask + tail)
  }

  /// The same without user info.
  package static func withoutUserInfo(_ text: String) -> String {
    let masked = Array(masked(text).utf8)
    let mark = Array("//\(mask)@".utf8)
    guard let start = masked.indices.first(where: { masked[$0...].starts(with: mark) }) else {
      return String(decoding: masked, as: UTF8.self)
    }
    return String(decoding: masked[..<(start + 2)] + masked[(start + mark.count)...], as: UTF8.self)
  }

  private static func isPort(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    for index in range where bytes[index] &- UInt8(ascii: "0") >= 10 { return false }
    return true
  }
}
