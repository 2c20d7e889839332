/// 64 bits that stand for a URL in the tables of one run, which may hold millions and give each 16 bytes.
///
/// The hash that names a cache's files has no key, so two URLs that share half of it can be searched for at leisure: a server that gives one
/// line of a list could have another line's image called failed. This one has a key that is new in each process and never leaves
/// it (SipHash), so that two URLs share it by chance only: once in 37 million runs of a million URLs.
///
/// It is made where a table is asked: after the first failure, under policies that ask once a run, and before another process is waited
/// for. A list in which nothing fails makes none.
struct RunDigest {
  let value: UInt64

  /// Of the URL alone, independent of who asks.
  init(url: String) {
    var hasher = Hasher()
    hasher.combine(url)
    value = UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Of all that makes a key.
  init(_ key: CacheKey) {
    var hasher = Hasher()
    hasher.combine(key.url)
    hasher.combine(key.salt)
    hasher.combine(key.variant)
    value = UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
