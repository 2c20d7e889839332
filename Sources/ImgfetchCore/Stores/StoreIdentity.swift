/// The credentials for the user's own stores: the cache that machines share, and the places that are written. Origins
/// of images get none of them.
public struct StoreIdentity: Sendable {
  /// A token, sent as `Authorization: Bearer` if neither the URL nor an account has credentials.
  public var bearer: String?
  /// A file with the client's certificate, in PEM, for stores that want one.
  public var certificate: String?
  /// A file with its private key, in PEM, which must not be encrypted. With nil the key is in the same file.
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
