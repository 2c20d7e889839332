/// The parameters of a query that are secret, as far as names tell: a URL with one permits everyone to
/// do what it was signed for.
///
/// This is the one list of them, for everything that leaves this machine or its user.
enum SecretQuery {
  /// The names of such parameters, in lower case.
  private static let names: Set<String> = [
    // Presigned URLs of Amazon and similar stores, Google, Azure, CloudFront, Alibaba, Tencent and Akamai.
    "x-amz-signature", "x-amz-credential", "x-amz-security-token", "awsaccesskeyid", "signature", "x-goog-signature",
    "x-goog-credential", "googleaccessid", "sig", "key-pair-id", "x-oss-signature", "ossaccesskeyid", "q-signature",
    "hdnea", "hdnts", "hdntl", "__token__", "__gda__",
    // Names that programs use.
    "access_token", "accesstoken", "api-key", "api_key", "apikey", "auth", "auth_token", "authorization", "bearer",
    "client_secret", "credential", "hmac", "id_token", "jsessionid", "jwt", "passwd", "password", "phpsessid", "pwd",
    "refresh_token", "secret", "session", "session_id", "sessionid", "sign", "ticket", "token",
  ]

  /// True if a URL, or a text with URLs in it, has such a parameter.
  static func isThere(in text: some Collection<UInt8>) -> Bool {
    // A name begins behind one of these, and ends with `=`.
    var name: [UInt8]?
    for byte in text {
      switch byte {
      case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: ";"): name = []
      case UInt8(ascii: "="):
        if let found = name, names.contains(String(decoding: found, as: UTF8.self)) { return true }
        name = nil
      default:
        // No name of the list is longer.
        if let count = name?.count { if count < 32 { name?.append(URLHost.lower(byte)) } else { name = nil } }
      }
    }
    return false
  }
}
