/// Identifies a cache entry: a canonical URL and, where the URL alone is not enough, a salt and a variant.
///
/// Immutable, and made with one hash of the URL. A class, because nearly everything that handles an image holds it. All
/// entries of a URL are in one folder under names with the same beginning, so that removing a URL lists one folder.
public final class CacheKey: Sendable {
  /// The canonical URL after the key filter. It is stored with the entry and compared when that is read: if two URLs
  /// have the same hash, the result is a miss and never a wrong image.
  public let url: String
  /// Identifies the requester, as 64 bits under the cache's secret, or nil for public entries.
  package let salt: UInt64?
  /// The number of this answer among several of the URL, or nil for the first.
  package let variant: UInt64?
  /// The signature of the transformation that made a derived image, or nil for the answer itself.
  package let derivation: UInt64?
  /// XXH3-128 of the URL.
  package let hash: ContentHash
  /// The entry's folder and name. Stored, because every system call about the entry needs it.
  package let path: String

  /// Distinguishes all keys, in letters, digits, `/` and `-`: a name for the entry in another store.
  public var name: String { path }

  /// The beginning of the names of all entries of its URL: those of other users, other answers, and derived images.
  public var family: String { String(path.utf8.prefix(33)) ?? path }

  package init(url: String, salt: UInt64? = nil, variant: UInt64? = nil, derivation: UInt64? = nil) {
    self.url = url
    self.salt = salt
    self.variant = variant
    self.derivation = derivation
    hash = ContentHash(of: url.utf8Span.span)
    path = Self.path(hash, Self.discriminator(salt: salt, variant: variant, derivation: derivation))
  }

  /// The number of folders that the entries are spread over, by the first byte of the hash, so that none gets large.
  package static let shardCount = 256

  package var shardIndex: Int { Int(hash.high >> 56) }
  /// The entry's folder, two hex digits.
  package var shard: String { String(path.prefix(2)) }
  /// The entry's name in the folder.
  package var fileName: String { String(path.dropFirst(3)) }
  /// The file that its download is written to.
  package var partPath: String { path + Self.partSuffix }

  /// The beginning of the names of all entries of this URL: the hash without the folder's digits.
  package var stem: String { String(hash.hex.dropFirst(2)) }

  static let partSuffix = ".part"

  var failurePath: String { path + Self.failureSuffix }

  static let failureSuffix = ".gone"

  /// The key of an image derived from this key's answer.
  package func derived(by signature: UInt64) -> CacheKey {
    CacheKey(url: url, salt: salt, variant: variant, derivation: signature)
  }

  /// Distinguishes the entries of one URL, or nil for its first answer. It also tells a cleaner, which opens no entry,
  /// which entries are derived from which. An answer has an even number. Images derived from it have odd ones with the
  /// same first half (zeros for the first answer).
  private static func discriminator(salt: UInt64?, variant: UInt64?, derivation: UInt64?) -> UInt64? {
    if salt == nil && variant == nil && derivation == nil { return nil }
    let answer = answerNumber(salt: salt, variant: variant)
    return derivation.map { (answer & ~0xFFFF_FFFF) | ($0 & 0xFFFF_FFFF) | 1 } ?? answer
  }

  private static func answerNumber(salt: UInt64?, variant: UInt64?) -> UInt64 {
    if salt == nil && variant == nil { return 0 }
    var bytes = ByteWriter()
    bytes.put(UInt8((salt == nil ? 0 : 1) + (variant == nil ? 0 : 2)))
    bytes.put(salt ?? 0)
    bytes.put(variant ?? 0)
    return ContentHash(of: bytes.bytes.span).low & ~1
  }

  /// `ab/REST`, or `ab/REST-` and sixteen more digits.
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

  /// The name of a shard's folder.
  package static func shardName(_ index: Int) -> String {
    let digits = String(index & 0xFF, radix: 16)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }
}

extension CacheKey: Hashable {
  /// Compares two keys: equal ones name the same entry.
  public static func == (left: CacheKey, right: CacheKey) -> Bool {
    left === right
      || left.hash == right.hash && left.salt == right.salt && left.variant == right.variant
        && left.derivation == right.derivation && left.url == right.url
  }

  /// Feeds the URL's own hash: hashing the URL again would cost more than the look-up. Few keys
  /// differ in their salts only.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash.low) }
}

extension CacheKey {
  /// The number of answers of one URL that are kept besides the first, for requests that differ in the fields named by
  /// Vary. Each goes to a slot by the hash of those fields, and replaces another one there: so their number is bounded
  /// without counting them. With this many slots, the few answers for one user's requests hardly ever collide: of four,
  /// two share a slot for one in ten thousand URLs (with 64 slots, for one in eleven).
  static let variantSlots: UInt64 = 1 << 16

  /// Marks variants of Vary. Other variants use all 64 bits of a hash.
  private static let varyMark: UInt64 = 0x7661_7279 << 32

  /// The key of an answer whose request has these selecting fields, if the first answer of its URL had others.
  ///
  /// - Parameter selecting: the fields in their normal form (`Variance.selecting(from:)`).
  package func variant(selecting: HeaderFields) -> CacheKey {
    let hash = ContentHash(of: selecting.encoded().span)
    return CacheKey(url: url, salt: salt, variant: Self.varyMark | hash.low % Self.variantSlots)
  }

  /// Marks a partial answer, which is kept beside the complete one: one of each variant, the latest.
  private static let partMark: UInt64 = 0x7061_7274 << 32

  /// The key of bytes that were requested by a range.
  package var ofPart: CacheKey {
    // One more than the variant's slot. 0 is the first answer's.
    let place = variant.map { $0 % Self.variantSlots + 1 } ?? 0
    return CacheKey(url: url, salt: salt, variant: Self.partMark | place)
  }
}
