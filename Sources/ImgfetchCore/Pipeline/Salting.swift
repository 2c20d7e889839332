/// What tells one asker's images from another's, beside their URL.
///
/// A pure value: it gathers what is to be kept apart, in one unambiguous row of bytes. The bytes hold passwords; all that
/// leaves this process of them are 64 bits under the cache's secret.
enum Salting {
  /// Fields that say how, not who: an image had with any of them is the same image.
  private static let harmless: Set<String> = [
    "accept", "accept-language", "user-agent", "referer", "cache-control", "pragma",
  ]

  /// Whether a request field's value may be somebody's secret: all may but those that say how, or on what condition.
  static func mayBeSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    return !harmless.contains(name) && !name.hasPrefix("accept-") && !name.hasPrefix("if-") && name != "range"
  }

  /// Nil for the public, whose keys have no salt.
  ///
  /// - Parameters:
  ///   - introduction: what is told to the URL's origin.
  ///   - headers: the fields that the user gave. Under HTTP's own rules the answer's Vary decides about those.
  static func material(
    _ introduction: Introduction, _ headers: [IdentityRule.Header], _ policy: CachePolicy, _ network: NetworkOptions,
    mirrors: [WebURL] = []
  ) -> [UInt8]? {
    var writer = ByteWriter()
    func note(_ label: String, _ values: String...) {
      writer.put(label)
      for value in values { writer.put(value) }
    }
    if let login = introduction.login { note("login", login.user, login.password) }
    if let authorization = introduction.authorization { note("authorization", authorization) }
    if let cookie = introduction.cookie { note("cookie", cookie) }
    if let jar = introduction.jar { note("jar", jar) }
    for field in introduction.further { note("field", field.name, field.value) }
    for mirror in mirrors { if let user = mirror.user { note("mirror", user, mirror.password ?? "") } }
    if network.isInsecure { note("insecure") }
    for address in network.resolve { note("resolve", address) }
    if policy != .http {
      for header in headers {
        let name = header.name.lowercased()
        guard let value = header.value, !harmless.contains(name), !IdentityRule.secretFields.contains(name) else {
          continue
        }
        note("header", name, value)
      }
    }
    return writer.bytes.isEmpty ? nil : writer.bytes
  }
}
