/// 64 bits that stand for a URL in the tables of one run, which may hold millions and spend 16 bytes on each.
///
/// The hash that names a cache's files has no secret. Two URLs that share half of it can be searched for in advance, so
/// a server that contributes one line of a list could make another line's image count as failed. This hash (SipHash)
/// has a secret that is new in each process and never leaves it. Two URLs share a digest only by chance: once in 37
/// million runs of a million URLs.
///
/// Computed when a table is asked: after the first failure, under policies that ask once a run, and before
/// another process is waited for. A list without failures needs none.
struct RunDigest {
  let value: UInt64

  /// Creates the digest of a key, and of the demands on its answer.
  init(_ key: CacheKey, demands: Int = 0) {
    var hasher = Hasher()
    hasher.combine(key.url)
    hasher.combine(key.salt)
    hasher.combine(key.variant)
    hasher.combine(demands)
    value = UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
