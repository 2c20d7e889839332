/// One cookie, and the rules for which requests it is sent with (RFC 6265).
package struct Cookie: Hashable, Sendable {
  /// The domain in lower case, without a leading dot.
  package var domain: String
  /// True if the cookie is also sent to hosts below the domain.
  package var includesSubdomains: Bool
  package var path: String
  package var isSecure: Bool
  /// Seconds since 1970. 0 for a session cookie, which a jar in a file keeps until the file drops it.
  package var expires: Int64
  package var name: String
  package var value: String
  package var isHTTPOnly = false

  /// True if both have the same name, domain and path. A jar holds one such cookie.
  package func isSame(as other: Cookie) -> Bool { name == other.name && domain == other.domain && path == other.path }

  package func isExpired(at now: WallTime) -> Bool { expires != 0 && expires <= now.seconds }

  /// True if the cookie is sent with a request for `url`.
  package func matches(_ url: WebURL, at now: WallTime) -> Bool {
    guard !isExpired(at: now), url.isSecure || !isSecure else { return false }
    guard url.host == domain || (includesSubdomains && Self.isHost(url.host, below: domain)) else { return false }
    let (asked, slash) = (url.path.utf8, UInt8(ascii: "/"))
    guard asked.starts(with: path.utf8) else { return false }
    return asked.count == path.utf8.count || path.utf8.last == slash || asked.dropFirst(path.utf8.count).first == slash
  }

  /// True if a host is below a domain. An IP address is below none.
  static func isHost(_ host: String, below domain: String) -> Bool {
    host.hasSuffix("." + domain) && IPAddress(host: host) == nil
  }
}

// As a line of a file in Netscape's format, which curl, wget and browsers' exports share.
extension Cookie {
  private static let httpOnlyMark = "#HttpOnly_"

  /// Nil for a comment, an empty line and an invalid line.
  package init?(line: Substring) {
    let isHTTPOnly = line.hasPrefix(Self.httpOnlyMark)
    let text = isHTTPOnly ? line.dropFirst(Self.httpOnlyMark.count) : line
    guard !text.hasPrefix("#") else { return nil }
    let fields = text.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
    guard fields.count >= 6, let expires = Int64(fields[4]), !fields[5].isEmpty else { return nil }
    let value = fields.count > 6 ? fields[6] : ""
    guard Self.isLegal(fields[5]), Self.isLegal(value) else { return nil }
    let domain = Self.withoutDots(fields[0][...]).lowercased()
    // A domain with a leading `#` would be read as a comment the next time.
    guard !domain.isEmpty, domain.utf8.first != UInt8(ascii: "#") else { return nil }
    self.init(
      domain: domain, includesSubdomains: fields[1].uppercased() == "TRUE",
      path: fields[2].hasPrefix("/") ? fields[2] : "/", isSecure: fields[3].uppercased() == "TRUE",
      expires: max(0, expires), name: fields[5], value: value, isHTTPOnly: isHTTPOnly)
  }

  package var line: String {
    let words = [
      (isHTTPOnly ? Self.httpOnlyMark : "") + (includesSubdomains ? "." : "") + domain,
      includesSubdomains ? "TRUE" : "FALSE", path, isSecure ? "TRUE" : "FALSE", String(expires), name, value,
    ]
    return words.joined(separator: "\t")
  }

  /// True if the text can be part of a request line and of a line of the file.
  static func isLegal(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
  }
}

// As a server sets it.
extension Cookie {
  /// Larger cookies are refused, as browsers do.
  private static let sizeLimit = 4096

  /// Parses a Set-Cookie field from a response of `url`, or nil if it must not be kept. `domain` is the wider
  /// domain asked for, if any.
  package static func parse(
    _ text: String, from url: WebURL, now: WallTime
  ) -> (cookie: Cookie, domain: String?)? {
    guard text.utf8.count <= sizeLimit else { return nil }
    let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
    guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
    let name = trimmed(pair[..<equals])
    let value = trimmed(pair[pair.index(after: equals)...])
    guard !name.isEmpty, isLegal(String(name)), isLegal(String(value)) else { return nil }
    var cookie = Cookie(
      domain: url.host, includesSubdomains: false, path: defaultPath(url.path), isSecure: false, expires: 0,
      name: String(name), value: String(value))
    var domain: String?
    var maxAge: Int64?
    for part in parts.dropFirst() {
      let key = trimmed(part.prefix { $0 != "=" }).lowercased()
      let value = trimmed(part.drop { $0 != "=" }.dropFirst())
      switch key {
      case "expires": cookie.expires = HTTPDate.parse(String(value), now: now).map { max(1, $0.seconds) } ?? 0
      case "max-age": maxAge = Int64(value)
      case "domain": domain = withoutDots(value, atMost: 1).lowercased()
      case "path": if value.hasPrefix("/"), isLegal(String(value)) { cookie.path = String(value) }
      case "secure": cookie.isSecure = true
      case "httponly": cookie.isHTTPOnly = true
      default: break
      }
    }
    if let maxAge {
      let end = now.seconds.addingReportingOverflow(maxAge)
      cookie.expires = maxAge <= 0 ? 1 : end.overflow ? .max : end.partialValue
    }
    guard url.isSecure || !cookie.isSecure else { return nil }
    let namesDomain = domain?.isEmpty == false
    if let asked = domain {
      if asked == url.host {
        // Its own domain is for the hosts below it, too, of which an address has none.
        cookie.includesSubdomains = IPAddress(host: asked) == nil
        domain = nil
      } else if asked.isEmpty {
        domain = nil
      } else if !isHost(url.host, below: asked) {
        return nil
      }
    }
    // In any case: a server may compare them so.
    let lowered = cookie.name.lowercased().utf8
    if lowered.starts(with: "__secure-".utf8), !cookie.isSecure { return nil }
    if lowered.starts(with: "__host-".utf8), !cookie.isSecure || namesDomain || cookie.path != "/" { return nil }
    return (cookie, domain)
  }

  /// Compares bytes: a dot with a combining accent is one character, and that character is no dot.
  private static func withoutDots(_ text: Substring, atMost limit: Int = .max) -> Substring {
    text[text.utf8.prefix(limit).prefix { $0 == UInt8(ascii: ".") }.endIndex...]
  }

  /// RFC 6265 §5.1.4: the path up to its last slash.
  private static func defaultPath(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.utf8.first, HeaderFields.isBlank(first) { text.removeFirst() }
    while let last = text.utf8.last, HeaderFields.isBlank(last) { text.removeLast() }
    return text
  }
}
