/// A user name and its password. Printing it never shows the password.
public struct Login: Hashable, Sendable {
  /// The user name.
  public var user: String
  /// The password; may be empty.
  public var password: String

  /// Creates a login.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

extension Login: CustomStringConvertible, CustomDebugStringConvertible {
  /// The name, and `***`.
  public var description: String { "\(user):***" }
  /// The same, so that assertions and logs show no password.
  public var debugDescription: String { description }
}

extension WebURL {
  /// The login that is written into the URL, or nil if there is none. A netrc file may have the password of its user.
  func login(_ netrc: Netrc?) -> Login? {
    guard let user, !user.isEmpty || password != nil else { return nil }
    return Login(user: user, password: password ?? netrc?.login(for: host, user: user)?.password ?? "")
  }
}
