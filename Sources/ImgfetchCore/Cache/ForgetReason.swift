/// The reason why an entry is forgotten.
public enum ForgetReason: Sendable {
  /// The body turned out to be damaged while it was read.
  case damaged
  /// The origin has sent a newer answer.
  case superseded
}
