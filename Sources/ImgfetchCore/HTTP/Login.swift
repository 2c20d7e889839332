/// A name and its password. It never shows the password when it is printed.
public struct Login: Hashable, Sendable {
  /// The name.
  public var user: String
  /// What goes with it; may be empty.
  public var password: String

  /// A login of these.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

extension Login: CustomStringConvertible, CustomDebugStringConvertible {
  /// The name, and `***`.
  public var description: String { "\(user):***" }
  /// The same, so that no assertion or log shows more.
  public var debugDescription: String { description }
}
