/// Credentials: names, passwords, tokens and cookies, and which hosts each may be sent to.
///
/// Except for ``netrc``, ``jar`` and the user info of URLs, they are sent to one origin only: that of the first URL
/// that a fetcher is asked for. They are never printed or stored.
public struct FetchIdentity: Sendable {
  /// Sent as Basic with the first request, and as Digest if an answer demands that.
  public var login: Login?
  /// Sent as `Authorization: Bearer`.
  public var bearer: String?
  /// `name=value`, or several of them with semicolons between.
  public var cookies: [String] = []
  /// Logins for many hosts. Each is sent to its own host.
  public var netrc: Netrc?
  /// Cookies for many hosts. Answers may change them.
  public var jar: CookieJar?
  /// Identifies the jar in cache keys: its path. Its content changes too often for that.
  public var jarName = ""

  /// No credentials.
  public init() {}

  /// Whether it has no credentials.
  public var isEmpty: Bool { login == nil && bearer == nil && cookies.isEmpty && netrc == nil && jar == nil }
}

/// Shows no secrets.
extension FetchIdentity: CustomStringConvertible, CustomDebugStringConvertible {
  /// A fixed text.
  public var description: String { "an identity" }
  /// The same.
  public var debugDescription: String { description }
}

/// Who asks the stores of a user's own: the cache that machines share, and the places that are written. Nothing of it goes to an origin of
/// images.
public struct StoreIdentity: Sendable {
  /// A token, sent as `Authorization: Bearer` where neither the URL nor an account says who asks.
  public var bearer: String?
  /// A file with the client's certificate, in PEM, for stores that want one.
  public var certificate: String?
  /// A file with its private key, in PEM; nil: that is in the same file. It must not be encrypted.
  public var key: String?

  /// No token and no certificate.
  public init() {}
}

extension StoreIdentity: CustomStringConvertible, CustomDebugStringConvertible {
  /// The certificate, and `***`.
  public var description: String { "\(bearer == nil ? "no token" : "a token ***"), \(certificate ?? "no certificate")" }
  /// The same, so that assertions and logs show no secret.
  public var debugDescription: String { description }
}
