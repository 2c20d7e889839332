/// An amount of images in a cache, or removed from it.
public struct CacheAmount: Sendable, Hashable {
  /// The bytes, including the metadata of images.
  public let bytes: Int64
  /// Images, counting those that were made of others.
  public let images: Int64

  /// Creates an amount.
  public init(bytes: Int64, images: Int64) {
    self.bytes = bytes
    self.images = images
  }

  init(_ usage: CacheUsage) { self.init(bytes: usage.bytes, images: usage.entries) }
}
