/// The images that this process has in memory, as they came: shared with whoever writes them, without copying.
///
/// May be called from any thread.
package final class MemoryCache: Sendable {
  /// An image and what is known of it. A reference: it goes through the table of the least recently used as one.
  package final class Kept: Sendable {
    package let metadata: EntryMetadata
    package let body: [UInt8]
    /// The same for those who hand it on.
    package let image: ImageBody
    /// When it was stored, or last called right by its origin.
    package let stored: WallTime

    init(metadata: EntryMetadata, body: [UInt8], hash: ContentHash?, stored: WallTime) {
      self.metadata = metadata
      self.body = body
      image = ImageBody(.bytes(body), hash: hash)
      self.stored = stored
    }
  }

  private let images: Guarded<LeastRecentlyUsed<CacheKey, Kept>>

  /// - Parameter limit: bytes for all images together.
  package init(limit: Int) {
    let images = LeastRecentlyUsed<CacheKey, Kept>(limit: limit)
    largest = images.largest - Self.overhead
    self.images = Guarded(images)
  }

  /// How large an image may be to be kept.
  package let largest: Int

  package func lookup(_ key: CacheKey) -> Kept? { images.withLock { $0.use(key) } }

  /// Keeps an image, unless it alone would take the place of many: more than a quarter of the limit is not kept.
  ///
  /// - Parameter hash: of the bytes, where it is known.
  package func insert(
    _ key: CacheKey, metadata: EntryMetadata, body: [UInt8], hash: ContentHash? = nil, stored: WallTime
  ) {
    let kept = Kept(metadata: metadata, body: body, hash: hash, stored: stored)
    // An entry of nothing costs something too, or there would be no end to them.
    let cost = body.count + metadata.storedFields.count + key.url.utf8.count + Self.overhead
    images.withLock { _ = $0.keep(kept, for: key, cost: cost) }
  }

  package func remove(_ key: CacheKey) { images.withLock { _ = $0.remove(key) } }

  /// What an image takes besides its bytes: its slot, its place in the table, the headers of its arrays.
  private static let overhead = 512
}
