/// The place of the buckets of `s3://BUCKET/KEY`, and the keys to ask for them with: Amazon's S3, or any store that
/// speaks its protocol.
///
/// ``url(_:)`` makes URLs that carry their account along, as others carry user info: requests to them are signed, and
/// what a server redirects to never is. Printing an account shows no secret.
public final class S3Account: Sendable {
  /// The keys that requests are signed with.
  public struct Keys: Hashable, Sendable {
    /// The public half.
    public var accessKey: String
    /// The secret half.
    public var secretKey: String
    /// The token that temporary keys are valid with.
    public var sessionToken: String?

    /// Creates keys.
    public init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
      self.accessKey = accessKey
      self.secretKey = secretKey
      self.sessionToken = sessionToken
    }
  }

  /// The place of a bucket's name in a URL.
  public enum Addressing: String, CaseIterable, Sendable {
    /// The bucket is in the path if an endpoint is given or the name could not be part of a
    /// certificate's; else in the host.
    case auto
    /// The bucket is in the path.
    case path
    /// The bucket is in the host.
    case virtual
  }

  /// The store's URL, or nil for Amazon's, of the region.
  let endpoint: WebURL?
  /// The region that requests are signed for.
  let region: String
  /// The keys. With nil, requests are not signed, which public buckets allow.
  let keys: Keys?
  let addressing: Addressing

  /// Creates an account at a store. `region` becomes part of host names, and must be of letters, digits and dashes.
  public init(endpoint: WebURL? = nil, region: String = "us-east-1", keys: Keys?, addressing: Addressing = .auto) {
    self.endpoint = endpoint
    self.region = region
    self.keys = keys
    self.addressing = addressing
  }

  static let scheme = "s3://"

  /// True if a text is meant as an address in a bucket.
  public static func isAddress(_ text: String) -> Bool {
    // Asked for each line of a list, of which nearly all begin otherwise.
    guard let first = text.utf8.first, first | 0x20 == UInt8(ascii: "s") else { return false }
    return text.utf8.prefix(scheme.utf8.count).map(URLHost.lower).elementsEqual(scheme.utf8)
  }

  /// The URL of `s3://BUCKET/KEY`. The key is taken literally: each character stands for itself, `%`, `?` and `#` too.
  ///
  /// - Throws: ``URLFailure/bucket(_:)`` if the name cannot be a bucket's, ``URLFailure/scheme(_:)`` if
  ///   it is another kind of URL.
  public func url(_ text: String) throws(URLFailure) -> WebURL {
    guard Self.isAddress(text) else { throw .scheme(String(text.prefix { $0 != ":" })) }
    guard text.utf8.count <= WebURL.lengthLimit else { throw .tooLong }
    let parts = text.dropFirst(Self.scheme.count).utf8
      .split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    let bucket = String(decoding: Array(parts[0]), as: UTF8.self)
    guard Self.isBucket(bucket) else { throw .bucket(bucket) }
    let key = parts.count > 1 ? SignatureV4.encoded(Array(parts[1]), keepingSlashes: true) : ""
    let folder = try self.folder(of: bucket)
    return try WebURL(folder: folder, key: key, typed: text, account: keys == nil ? nil : self)
  }

  /// The beginning of a bucket's URLs, up to the slash before the key.
  private func folder(of bucket: String) throws(URLFailure) -> WebURL {
    let base: WebURL
    if let endpoint {
      base = endpoint
    } else {
      base = try WebURL("https://s3.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")/")
    }
    let path = base.path + (base.path.hasSuffix("/") ? "" : "/")
    if !isInHost(bucket) { return try WebURL("\(base.origin)\(path)\(bucket)/") }
    return try WebURL("\(base.scheme)://\(bucket).\(base.origin.hostAndPort)\(path)")
  }

  private func isInHost(_ bucket: String) -> Bool {
    switch addressing {
    case .path: false
    case .virtual: true
    // A dot would make a name of two labels, which no wildcard of a certificate covers.
    case .auto:
      endpoint == nil && !bucket.contains(".")
        && bucket.utf8.allSatisfy { URLHost.lower($0) == $0 && $0 != UInt8(ascii: "_") }
    }
  }

  /// Old buckets have names that new ones must not have any more; and a dot alone would be taken for a dot segment.
  private static func isBucket(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count) && name != "." && name != ".."
      && name.utf8.allSatisfy { PercentCoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }
  }

  /// The fields that sign a request to one of its URLs at a time; none if it has no keys.
  ///
  /// The body is not signed: objects have sums of their own, and a hash would have to be known
  /// before the first byte is sent.
  ///
  /// - Parameters:
  ///   - query: the operation on the object, in place of the URL's own query.
  ///   - given: further fields of the request, which are signed if they must be.
  ///   - hasBody: true if a body is sent.
  func fields(
    method: String, _ url: WebURL, query: String? = nil, with given: [(name: String, value: String)] = [],
    hasBody: Bool = false, at time: WallTime
  ) -> [(name: String, value: String)] {
    guard let keys else { return [] }
    let signer = SignatureV4(keys: keys, region: region, time: time)
    let payload = hasBody ? SignatureV4.unsignedPayload : SignatureV4.emptyPayload
    var fields = [(name: "x-amz-content-sha256", value: payload), (name: "x-amz-date", value: signer.timestamp)]
    if let token = keys.sessionToken { fields.append(("x-amz-security-token", token)) }
    let request = SignatureV4.Request(
      method: method, path: url.path, query: query ?? url.query,
      fields: [(name: "host", value: url.origin.hostAndPort)] + fields
        + given.filter { $0.name.lowercased().hasPrefix("x-amz-") }, payload: payload)
    fields.append(("Authorization", signer.authorization(for: request)))
    return fields
  }
}

extension S3Account: CustomStringConvertible, CustomDebugStringConvertible {
  /// The region and store.
  public var description: String { "an account at \(endpoint?.display ?? "Amazon S3, \(region)")" }
  /// The same.
  public var debugDescription: String { description }
}

extension S3Account.Keys: CustomStringConvertible, CustomDebugStringConvertible {
  /// The public half, and `***`.
  public var description: String { "\(accessKey):***" }
  /// The same, so that assertions and logs show no secret.
  public var debugDescription: String { description }
}
