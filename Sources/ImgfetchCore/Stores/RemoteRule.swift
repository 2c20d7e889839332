/// Decides which images are put into a remote cache, which other users read: only images that any of them might have
/// got from the origin. A pure value.
enum RemoteRule {
  /// The reason why an answer is not put there, or nil if it may be.
  ///
  /// - Parameter isPublic: true if nothing in the request identifies the requester.
  static func obstacle(
    to key: CacheKey, from finalURL: String, status: Int, fields: HeaderFields, facts: ImageFacts?,
    for request: FetchRequest, isPublic: Bool
  ) -> String? {
    if key.salt != nil || !isPublic { return "the request says who asks" }
    if let secret = secret(in: fields, key, finalURL, request) { return secret }
    if !isHeld(key) { return "it is one of several answers" }
    if status != 200 || facts == nil { return "it is no whole image that was inspected" }
    return PersonalMark.first(in: fields).map { "its \($0)" }
  }

  /// The secret that all readers of the store would learn: a query that anyone who knows it can use.
  private static func secret(
    in fields: HeaderFields, _ key: CacheKey, _ finalURL: String, _ request: FetchRequest
  ) -> String? {
    if SecretQuery.isThere(in: key.url.utf8) || SecretQuery.isThere(in: finalURL.utf8) {
      return "its URL is signed, or holds a token"
    }
    if !request.options.keyFilter.isNone, finalURL.utf8.contains(UInt8(ascii: "?")) {
      return "its URL has a query of which the key is not to depend"
    }
    // The fields of the request that Vary names are stored.
    if case .fields(let names) = Variance(fields), names.contains("referer"),
      request.options.headers.contains(where: { field in
        field.name.lowercased() == "referer" && field.value?.utf8.contains(UInt8(ascii: "?")) == true
      })
    {
      return "its Referer has a query, and the answer depends on it"
    }
    var isTold = false
    fields.forEachLine { _, value in isTold = isTold || SecretQuery.isThere(in: value) }
    return isTold ? "its header names a URL that is signed, or holds a token" : nil
  }

  /// True if entries of this key can be in a remote cache. Of the answers of one URL, only the first can.
  static func isHeld(_ key: CacheKey) -> Bool { key.salt == nil && key.variant == nil && key.derivation == nil }
}
