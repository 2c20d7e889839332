/// The cookies of a file, in its order. Decides which are sent with a request, and how responses change them. A value.
///
/// **Domains.** A server may set cookies for its own host, and for the hosts below it. For a domain above it, it may
/// only change cookies that the file already has for that domain; others are kept for its own host. To know which
/// domains have one owner and which are a registry's (`co.uk`) would take a list of thousands that changes every week;
/// without it `a.co.uk` could set cookies that are sent to `b.co.uk`. The file is trusted, since it is the user's.
///
/// **Bounds.** A host has 50 cookies, and all hosts together have 3,000. A further one takes the place of the oldest
/// that came in this run: of its own host, or of any. A cookie of the file is never dropped for another host's: if
/// nothing else is left to drop, the further one is not kept.
public struct CookieJar: Sendable {
  private struct Held {
    var cookie: Cookie
    /// True if the file has brought the cookie.
    let isOfFile: Bool
  }

  private var cookies: [Held] = []
  /// True if responses have changed the jar.
  public private(set) var isChanged = false

  /// The number that servers may rely on (RFC 6265 §6.1).
  private static let perHostLimit = 50
  /// The limit for all hosts together, so that a long list of hosts cannot fill the memory. RFC 6265 §6.1 has it, too.
  private static let limit = 3000

  /// An empty jar.
  public init() {}

  /// Parses a file's text; lines that are not cookies are ignored.
  public init(_ text: String) {
    // Only at line feeds: a cookie may hold Unicode's other line separators.
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if let cookie = Cookie(line: Substring(line)) { cookies.append(Held(cookie: cookie, isOfFile: true)) }
    }
  }

  /// True if a text has lines beside comments, and none of them is a cookie: it is something else, such as an export in
  /// JSON, and must not be written over.
  package static func isForeign(_ text: String) -> Bool {
    let space = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
    let lines = text.utf8.split(separator: UInt8(ascii: "\n")).filter { line in
      line.first != UInt8(ascii: "#") && !line.allSatisfy(space.contains)
    }
    return !lines.isEmpty && CookieJar(text).cookies.isEmpty
  }

  /// The file's text.
  public var text: String {
    (["# Netscape HTTP Cookie File", "# Written by imgfetch; changes made while it runs are lost.", ""]
      + cookies.map(\.cookie.line)).joined(separator: "\n") + "\n"
  }

  /// The value of a request's Cookie field, cookies with longer paths first (RFC 6265 §5.4), or nil if there is none.
  package func field(for url: WebURL, at now: WallTime) -> String? {
    let fitting = cookies.lazy.map(\.cookie).filter { $0.matches(url, at: now) }
    guard !fitting.isEmpty else { return nil }
    let ordered = fitting.enumerated().sorted {
      let (left, right) = ($0.element.path.utf8.count, $1.element.path.utf8.count)
      return left == right ? $0.offset < $1.offset : left > right
    }
    return ordered.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
  }

  /// Stores the cookies that a response of `url` sets.
  package mutating func take(_ fields: HeaderFields, from url: WebURL, at now: WallTime) {
    // If there are more than the limit, only the last ones would remain.
    for text in fields.all("set-cookie").suffix(Self.perHostLimit) {
      guard let parsed = Cookie.parse(text, from: url, now: now) else { continue }
      var cookie = parsed.cookie
      if let domain = parsed.domain,
        cookies.contains(where: { $0.cookie.includesSubdomains && $0.cookie.domain == domain })
      {
        cookie.domain = domain
        cookie.includesSubdomains = true
      }
      put(cookie, at: now, isSecure: url.isSecure)
    }
  }

  private mutating func put(_ cookie: Cookie, at now: WallTime, isSecure: Bool) {
    if let place = cookies.firstIndex(where: { $0.cookie.isSame(as: cookie) }) {
      // An insecure connection must not overwrite a cookie that is only sent over secure ones.
      if cookies[place].cookie.isSecure && !isSecure { return }
      if cookie.isExpired(at: now) {
        cookies.remove(at: place)
      } else if cookies[place].cookie != cookie {
        cookies[place].cookie = cookie
      } else {
        return
      }
      isChanged = true
    } else if !cookie.isExpired(at: now), makeRoom(for: cookie, at: now) {
      cookies.append(Held(cookie: cookie, isOfFile: false))
      isChanged = true
    }
  }

  /// Makes room for one more cookie, by dropping the oldest that may be dropped. False if none may.
  private mutating func makeRoom(for cookie: Cookie, at now: WallTime) -> Bool {
    if cookies.count >= Self.limit { cookies.removeAll { $0.cookie.isExpired(at: now) } }
    let own = cookies.indices.filter { cookies[$0].cookie.domain == cookie.domain }
    if own.count >= Self.perHostLimit {
      guard let oldest = own.first(where: { !cookies[$0].isOfFile }) ?? own.first else { return false }
      cookies.remove(at: oldest)
    } else if cookies.count >= Self.limit {
      guard let oldest = cookies.firstIndex(where: { !$0.isOfFile }) else { return false }
      cookies.remove(at: oldest)
    }
    return true
  }
}
