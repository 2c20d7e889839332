/// Who asks: names, passwords, tokens and cookies, with whom each of them may be told to.
///
/// All of it but ``netrc``, ``jar`` and the user info of URLs belongs to one origin: that of the first URL that a fetcher
/// is asked for. Nothing of it is ever printed or stored.
public struct FetchIdentity: Sendable {
  /// Sent as Basic at once, as Digest where an answer asks for that.
  public var login: Login?
  /// Sent as `Authorization: Bearer`.
  public var bearer: String?
  /// `name=value`, or several of them with semicolons between.
  public var cookies: [String] = []
  /// Logins of many hosts, each for its own.
  public var netrc: Netrc?
  /// Cookies of many hosts, which answers may change.
  public var jar: CookieJar?
  /// What tells this jar from another: its path. What is in it changes too often to tell one asker from another.
  public var jarName = ""

  /// Nobody in particular.
  public init() {}

  /// Whether it is nobody in particular.
  public var isEmpty: Bool { login == nil && bearer == nil && cookies.isEmpty && netrc == nil && jar == nil }
}

/// Nothing of what it holds.
extension FetchIdentity: CustomStringConvertible, CustomDebugStringConvertible {
  /// That it is one.
  public var description: String { "an identity" }
  /// The same.
  public var debugDescription: String { description }
}
