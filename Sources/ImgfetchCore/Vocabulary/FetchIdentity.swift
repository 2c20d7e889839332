/// Credentials: names, passwords, tokens and cookies, and which hosts each may be sent to.
///
/// Except for ``netrc``, ``jar`` and the user info of URLs, they are sent to one origin only: that of the first URL
/// that a fetcher is asked for. They are never printed or stored.
public struct FetchIdentity: Sendable {
  /// Sent as Basic with the first request, and as Digest if an answer demands that. Nil by default, like all that
  /// follows.
  public var login: Login?
  /// Sent as `Authorization: Bearer`.
  public var bearer: String?
  /// `name=value`, or several of them with semicolons between.
  public var cookies: [String] = []
  /// A file with the client's certificate, in PEM, for an origin that wants one.
  public var certificate: String?
  /// A file with its private key, in PEM, which must not be encrypted. With nil the key is in the same file.
  public var certificateKey: String?
  /// Logins for many hosts. Each is sent to its own host.
  public var netrc: Netrc?
  /// Cookies for many hosts. Answers may change them.
  public var jar: CookieJar?
  /// Identifies the jar in cache keys: its path. Its content changes too often for that.
  public var jarName = ""

  /// No credentials.
  public init() {}

  /// True if the identity has no credentials.
  public var isEmpty: Bool {
    login == nil && bearer == nil && cookies.isEmpty && certificate == nil && netrc == nil && jar == nil
  }
}

/// Shows no secrets.
extension FetchIdentity: CustomStringConvertible, CustomDebugStringConvertible {
  /// A fixed text.
  public var description: String { "an identity" }
  /// The same.
  public var debugDescription: String { description }
}
