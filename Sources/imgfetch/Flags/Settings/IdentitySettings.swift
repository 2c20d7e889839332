import ImgfetchCore

/// Who asks, and whom we believe.
struct IdentitySettings: Hashable, Sendable {
  /// In the order given; a field may stand several times.
  var headers: [HeaderSetting]
  /// Nil: our own.
  var userAgent: String?
  var referer: String?
  var user: UserSetting?
  /// The file with names and passwords for hosts.
  var netrc: String?
  var bearerFile: String?
  var cookies: [String]
  var cookieJar: String?
  /// Nil: the system's.
  var authorities: String?
  /// Where the system's are, if the usual variables say so (SSL_CERT_FILE, SSL_CERT_DIR).
  var systemAuthorities: String?
  var systemAuthorityFolder: String?
  var insecure: Bool
}

extension IdentitySettings {
  init(_ reader: SettingsReader, environment: Environment) throws(UsageError) {
    headers = try reader.values(.header, Values.header)
    userAgent = try reader.value(.userAgent, Self.line)
    referer = try reader.value(.referer, Self.line)
    user = try reader.value(.user, Values.user)
    if reader.isOn(.netrc) {
      guard let home = environment.filled("HOME") else {
        throw UsageError("--netrc reads ~/.netrc, and HOME is not set", of: reader.command)
      }
      netrc = home + "/.netrc"
    }
    bearerFile = try reader.text(.bearerFile)
    cookies = try reader.values(.cookie, Self.cookie)
    cookieJar = try reader.text(.cookieJar)
    authorities = try reader.text(.cacert)
    systemAuthorities = environment.filled("SSL_CERT_FILE")
    systemAuthorityFolder = environment.filled("SSL_CERT_DIR")
    insecure = reader.isOn(.insecure)
  }

  /// curl takes what has no `=` for the name of a file.
  private static func cookie(_ text: String) throws(Values.Wanted) -> String {
    guard text.utf8.contains(UInt8(ascii: "=")) else {
      throw Values.Wanted("NAME=VALUE is wanted; --cookie-jar FILE reads cookies from a file")
    }
    return try line(text)
  }

  /// What becomes part of a header field may not end it.
  private static func line(_ text: String) throws(Values.Wanted) -> String {
    guard RequestText.isFieldValue(text) else { throw Values.Wanted("one line without control characters is wanted") }
    return try Values.text(text)
  }
}
