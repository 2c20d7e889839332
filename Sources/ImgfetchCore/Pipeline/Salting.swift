/// Collects the values that distinguish the answers to one requester from those to others under the same URL: the
/// credentials, and the options and fields by which another image, or another server's, may come.
///
/// They are written into one unambiguous sequence of bytes, which holds passwords. Only 64 bits of an HMAC of these
/// bytes, under the cache's secret, leave this process.
enum Salting {
  /// The bytes to salt a key with, or nil if the answer is the same for all.
  ///
  /// - Parameters:
  ///   - credentials: the credentials for the URL's origin.
  ///   - headers: the fields that the user gave. Under HTTP's own rules the answer's Vary decides about those, and
  ///     about formats.
  ///   - options: the options that decide which formats servers are asked for, whether redirects from https to http
  ///     are followed, and which fields are harmless.
  static func material(
    _ credentials: OriginCredentials, _ headers: [IdentityRule.Header], _ policy: CachePolicy,
    _ network: NetworkOptions, asking options: FetchOptions = FetchOptions(), mirrors: [WebURL] = []
  ) -> [UInt8]? {
    var writer = ByteWriter()
    func note(_ label: String, _ values: String...) {
      writer.put(label)
      for value in values { writer.put(value) }
    }
    if let login = credentials.login { note("login", login.user, login.password) }
    if let keys = credentials.account?.keys { note("s3", keys.accessKey) }
    if let authorization = credentials.authorization { note("authorization", authorization) }
    if let cookie = credentials.cookie { note("cookie", cookie) }
    if let certificate = credentials.certificate { note("certificate", certificate.file, certificate.key ?? "") }
    if let jar = credentials.jar { note("jar", jar) }
    for field in credentials.further { note("field", field.name, field.value) }
    for mirror in mirrors {
      if let user = mirror.user { note("mirror", user, mirror.password ?? "") }
      if let keys = mirror.account?.keys { note("mirror", keys.accessKey) }
    }
    if network.isInsecure { note("insecure") }
    if options.allowsDowngrade { note("downgrade") }
    for address in network.resolve { note("resolve", address) }
    if policy != .http {
      if !options.acceptedFormats.isEmpty {
        note("formats", options.acceptedFormats.map(\.rawValue).joined(separator: ","))
      }
      for (name, value) in fields(in: headers, without: options.ignoredFields) { note("header", name, value) }
    }
    return writer.bytes.isEmpty ? nil : writer.bytes
  }

  /// 64 bits of an HMAC of such bytes under a cache's secret. They distinguish users and reveal nothing about them.
  static func salt(_ material: [UInt8], under secret: [UInt8]) -> UInt64 {
    SHA256.keyed(secret, material).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The fields that may make another image. The order of fields with different names means nothing, and that of fields
  /// with one name is kept (RFC 9110 §5.3).
  private static func fields(
    in headers: [IdentityRule.Header], without ignored: Set<String>
  ) -> [(name: String, value: String)] {
    let given = headers.compactMap { header in header.value.map { (name: header.name.lowercased(), value: $0) } }
      .filter { FieldNature.of($0.name).isDisjoint(with: [.sameImage, .credential]) && !ignored.contains($0.name) }
    let order = given.indices.sorted { (given[$0].name, $0) < (given[$1].name, $1) }
    return order.map { given[$0] }
  }
}

extension DiskCache {
  /// The key of an image as a run without further options asks for it: an object of a bucket with its account.
  ///
  /// - Parameter text: the URL in the form that keys have.
  package func key(_ text: String, of url: WebURL) -> CacheKey {
    guard let material = Salting.material(OriginCredentials(account: url.account), [], .age, NetworkOptions()),
      let secret = try? self.secret()
    else { return CacheKey(url: text) }
    return CacheKey(url: text, salt: Salting.salt(material, under: secret))
  }
}
