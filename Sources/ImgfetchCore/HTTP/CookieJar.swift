/// Cookies in a file's order: which of them go with a request, and what answers change about them. A value.
///
/// **Domains.** A server sets cookies for its own host. For a domain above it it may only change what the file has for that
/// domain already: which domains are somebody's own and which are a registry's (`co.uk`) would take a list of thousands
/// that changes by the week, and without one `a.co.uk` could set what is sent to `b.co.uk`. What the file itself says is
/// the user's word.
public struct CookieJar: Sendable {
  private var cookies: [Cookie] = []
  /// Whether answers have changed it.
  public private(set) var isChanged = false

  /// A server that sets more than this replaces its oldest: what browsers allow.
  private static let perHostLimit = 180
  /// And this in all, so that a long list of hosts cannot fill the memory.
  private static let limit = 3000

  /// An empty one.
  public init() {}

  /// Reads a file's text; what is no cookie is passed over.
  public init(_ text: String) {
    // Not at what else Unicode calls a new line: a cookie may hold that.
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if let cookie = Cookie(line: Substring(line)) { cookies.append(cookie) }
    }
  }

  /// The file's text.
  public var text: String {
    (["# Netscape HTTP Cookie File", "# Written by imgfetch; changes made while it runs are lost.", ""]
      + cookies.map(\.line)).joined(separator: "\n") + "\n"
  }

  /// What goes into a request's Cookie field, those of longer paths first (RFC 6265 §5.4); nil: nothing does.
  package func field(for url: WebURL, at now: WallTime) -> String? {
    let fitting = cookies.filter { $0.matches(url, at: now) }
    guard !fitting.isEmpty else { return nil }
    let ordered = fitting.enumerated().sorted {
      let (left, right) = ($0.element.path.utf8.count, $1.element.path.utf8.count)
      return left == right ? $0.offset < $1.offset : left > right
    }
    return ordered.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
  }

  /// Takes in what an answer of `url` sets.
  package mutating func take(_ fields: HeaderFields, from url: WebURL, at now: WallTime) {
    // Of more than it may have at all, the last ones would be what is left.
    for text in fields.all("set-cookie").suffix(Self.perHostLimit) {
      guard let parsed = Cookie.parse(text, from: url, now: now) else { continue }
      var cookie = parsed.cookie
      if let domain = parsed.domain, cookies.contains(where: { $0.includesSubdomains && $0.domain == domain }) {
        cookie.domain = domain
        cookie.includesSubdomains = true
      }
      put(cookie, at: now, isSecure: url.isSecure)
    }
  }

  private mutating func put(_ cookie: Cookie, at now: WallTime, isSecure: Bool) {
    var ofHost = 0
    var (oldest, same): (Int?, Int?) = (nil, nil)
    for (place, held) in cookies.enumerated() where held.domain == cookie.domain {
      ofHost += 1
      oldest = oldest ?? place
      if same == nil, held.isSame(as: cookie) { same = place }
    }
    if let place = same {
      // Who can be overheard cannot change what only goes out unheard.
      if cookies[place].isSecure && !isSecure { return }
      if cookie.isExpired(at: now) {
        cookies.remove(at: place)
      } else if cookies[place] != cookie {
        cookies[place] = cookie
      } else {
        return
      }
      isChanged = true
    } else if !cookie.isExpired(at: now) {
      if ofHost >= Self.perHostLimit, let oldest { cookies.remove(at: oldest) }
      if cookies.count >= Self.limit { cookies.removeFirst() }
      cookies.append(cookie)
      isChanged = true
    }
  }
}
