/// What decides a cache entry: a canonical URL and, where the URL alone does not decide, a salt and a variant.
///
/// Made with one hash of the URL, and never changed. A reference, since nearly everything that an image goes through holds it. All that
/// belongs to one URL lies in one folder under names that begin alike, so that removing a URL means listing one folder.
package final class CacheKey: Sendable {
  /// The canonical URL after the key filter. It is stored with the entry and compared on reading: two URLs of one hash
  /// are a miss, never a wrong image.
  package let url: String
  /// Who asks, as 64 bits under the cache's secret; nil for the public.
  package let salt: UInt64?
  /// Which of several answers it is; nil for the first.
  package let variant: UInt64?
  /// What was made of that answer, by its maker's signature; nil for the answer as it came.
  package let derivation: UInt64?
  /// XXH3-128 of the URL.
  package let hash: ContentHash
  /// The entry's folder and name. Kept, since every call to the system about the entry names it.
  package let path: String

  package init(url: String, salt: UInt64? = nil, variant: UInt64? = nil, derivation: UInt64? = nil) {
    self.url = url
    self.salt = salt
    self.variant = variant
    self.derivation = derivation
    hash = ContentHash(of: url.utf8Span.span)
    path = Self.path(hash, Self.discriminator(salt: salt, variant: variant, derivation: derivation))
  }

  /// How many folders the entries are spread over: by the first byte of the hash, so that none is ever large.
  package static let shardCount = 256

  package var shardIndex: Int { Int(hash.high >> 56) }
  /// The folder it lies in, two hex digits.
  package var shard: String { String(path.prefix(2)) }
  /// The entry's name in its folder.
  package var fileName: String { String(path.dropFirst(3)) }
  /// The file that a download for it is written to.
  package var partPath: String { path + Self.partSuffix }

  /// What the names of all entries of this URL begin with: the hash without the folder's digits.
  package var stem: String { String(hash.hex.dropFirst(2)) }

  static let partSuffix = ".part"

  /// Where it is noted that its URL failed for good.
  var failurePath: String { path + Self.failureSuffix }

  static let failureSuffix = ".gone"

  /// Where something is kept that was made of this key's answer.
  package func derived(by signature: UInt64) -> CacheKey {
    CacheKey(url: url, salt: salt, variant: variant, derivation: signature)
  }

  /// What tells the entries of one URL apart; nil for its first answer.
  ///
  /// It tells a cleaner, who opens no entry, what was made of what: those of an answer make an even number, of what was
  /// made of it an odd one with the same first half (zeros for the first answer).
  private static func discriminator(salt: UInt64?, variant: UInt64?, derivation: UInt64?) -> UInt64? {
    if salt == nil && variant == nil && derivation == nil { return nil }
    let answer = answerNumber(salt: salt, variant: variant)
    return derivation.map { (answer & ~0xFFFF_FFFF) | ($0 & 0xFFFF_FFFF) | 1 } ?? answer
  }

  /// Which of a URL's answers it is about.
  private static func answerNumber(salt: UInt64?, variant: UInt64?) -> UInt64 {
    if salt == nil && variant == nil { return 0 }
    var bytes = ByteWriter()
    bytes.put(UInt8((salt == nil ? 0 : 1) + (variant == nil ? 0 : 2)))
    bytes.put(salt ?? 0)
    bytes.put(variant ?? 0)
    return ContentHash(of: bytes.bytes.span).low & ~1
  }

  /// `ab/REST`, or `ab/REST-` with sixteen digits more.
  private static func path(_ hash: ContentHash, _ discriminator: UInt64?) -> String {
    var path = InlineArray<50, UInt8>(repeating: UInt8(ascii: "/"))
    var count = 33
    for place in 0..<2 { path[place] = hash.hexDigit(at: place) }
    for place in 2..<32 { path[place + 1] = hash.hexDigit(at: place) }
    if let discriminator {
      path[33] = UInt8(ascii: "-")
      let digits = ContentHash(high: discriminator, low: 0)
      for place in 0..<16 { path[34 + place] = digits.hexDigit(at: place) }
      count = 50
    }
    return String(path.span, 0..<count)
  }

  package static func shardName(_ index: Int) -> String {
    let digits = String(index & 0xFF, radix: 16)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }
}

extension CacheKey: Hashable {
  package static func == (left: CacheKey, right: CacheKey) -> Bool {
    left === right
      || left.hash == right.hash && left.salt == right.salt && left.variant == right.variant
        && left.derivation == right.derivation && left.url == right.url
  }

  /// The URL is hashed already; doing it again would cost more than the look-up. Keys that only their salts tell apart are few.
  package func hash(into hasher: inout Hasher) { hasher.combine(hash.low) }
}
