/// An image in a cache.
public struct CachedImage: Sendable {
  /// The key: the canonical URL, after the key filter.
  public let key: String
  /// The image's bytes, checked.
  public let bytes: [UInt8]
  /// The facts about the image, or nil if it was never inspected.
  public let facts: ImageFacts?
  /// The media type.
  public let mime: String
  /// The time since the image was stored, or last confirmed by its origin. Nil means that this time lies in the future,
  /// and has no meaning.
  public let age: Duration?

  init?(_ entry: CachedEntry, now: WallTime) {
    guard let bytes = try? entry.body.bytes() else { return nil }
    self.bytes = bytes
    key = entry.key.url
    facts = entry.metadata.facts
    mime = entry.metadata.mime
    age = entry.age(now: now).map { .lasting($0) }
  }
}
