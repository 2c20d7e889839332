/// The last entries that were removed by cleaning, so that a miss can be explained: eight bytes of each URL's hash, in
/// a ring in a file beside the ledger. Nothing else depends on it, so failures to write or read it are ignored.
///
/// Written under the lock of the cleaner only.
enum EvictionRing {
  /// The number of hashes, enough for a list that does not fit, in 32 KB.
  static let capacity = 4096
  private static let magic: UInt64 = 0x7374_6369_7665_6D69  // "imevicts" as a little-endian number
  private static let header = 16

  static func note(_ hashes: [UInt64], in folder: CacheFolder) {
    let hashes = hashes.suffix(capacity)
    guard !hashes.isEmpty,
      let file = try? folder.namespace.open(CacheFolder.Names.evicted, [.readWrite, .create, .noFollow, .nonBlocking]),
      let status = try? file.status(), folder.trust.trusts(status)
    else { return }
    var (ring, next) = read(file) ?? ([], 0)
    for hash in hashes {
      if next < ring.count { ring[next] = hash } else { ring.append(hash) }
      next = (next + 1) % capacity
    }
    var writer = ByteWriter(capacity: header + 8 * ring.count)
    writer.put(magic)
    writer.put(UInt64(next))
    for hash in ring { writer.put(hash) }
    // If a full disk cut it, it is read as far as it goes.
    try? file.write(writer.bytes.span, at: 0)
  }

  static func contains(_ key: CacheKey, in folder: CacheFolder) -> Bool {
    guard let file = try? folder.namespace.open(CacheFolder.Names.evicted, [.read, .noFollow, .nonBlocking]),
      let status = try? file.status(), folder.trust.trusts(status)
    else { return false }
    return read(file)?.ring.contains(key.hash.high) == true
  }

  private static func read(_ file: borrowing Descriptor) -> (ring: [UInt64], next: Int)? {
    var bytes: [UInt8] = []
    guard (try? file.read(into: &bytes, count: header + 8 * capacity, at: 0)) != nil else { return nil }
    var reader = ByteReader(bytes)
    guard reader.take(UInt64.self) == magic, let next = reader.take(UInt64.self), next < UInt64(capacity) else {
      return nil
    }
    var ring: [UInt64] = []
    while let hash = reader.take(UInt64.self) { ring.append(hash) }
    return (ring, min(Int(next), ring.count))
  }
}
