import Synchronization

/// The credentials that requests to one origin carry.
struct OriginCredentials {
  /// The login for Basic or Digest.
  var login: Login?
  /// The account that signs the request.
  var account: S3Account?
  /// The Authorization field, if there is neither a login nor an account.
  var authorization: String?
  /// The certificate for a server that wants one.
  var certificate: ClientCertificate?
  /// Cookies that do not come from the jar.
  var cookie: String?
  /// The name of the jar that adds cookies, or nil for none.
  var jar: String?
  /// The cookies that the jar adds for one URL.
  var jarCookies: String?
  /// Other fields that are credentials.
  var further: [(name: String, value: String)] = []

  /// The fields that are sent, except the login, which the transport sends.
  var fields: [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    if let authorization { fields.append(("Authorization", authorization)) }
    let cookies = [jarCookies, cookie].compactMap(\.self)
    if !cookies.isEmpty { fields.append(("Cookie", cookies.joined(separator: "; "))) }
    return fields + further
  }
}
