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
