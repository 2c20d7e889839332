/// A fetcher's memory cache. No call waits for a disk, except that ``image(for:)`` reads a large image from its open
/// file if no request has had its bytes yet.
///
/// Keys are made of requests, since credentials and the key filter are parts of them. The answer to a fetch depends on
/// the request's policy; these calls only say whether an image is there.
public struct ImageMemory: Sendable {
  let pipeline: Pipeline

  /// True if there is an image, however old.
  public func contains(_ request: FetchRequest) -> Bool { pipeline.memory.contains(pipeline.identity.key(of: request)) }

  /// Changes the limits while the fetcher works, and drops images that exceed them.
  ///
  /// - Parameters:
  ///   - bytes: the limit on the bytes of all images together, in place of ``Fetcher/Configuration/memoryLimit``.
  ///   - count: the limit on images, in place of ``Fetcher/Configuration/memoryCount``, or nil for any number.
  public func setLimits(bytes: Int, count: Int? = nil) { pipeline.memory.setLimits(bytes, count: count ?? .max) }

  /// The image, however old, or nil if there is none.
  public func image(for request: FetchRequest) -> CachedImage? {
    entry(request).flatMap { CachedImage($0, now: pipeline.clock.wallTime()) }
  }

  /// Stores an image of the program's own, as if it had just been fetched. Throws if the bytes are not a complete image
  /// and images are verified. An image that is larger than a quarter of ``Fetcher/Configuration/memoryLimit`` is not
  /// kept.
  public func store(_ bytes: [UInt8], for request: FetchRequest) throws(FetchError) {
    let metadata = try EntryMetadata(ofOwn: bytes, for: request, in: pipeline)
    pipeline.memory.keep(ImageBody(.bytes(bytes)), metadata, stored: metadata.responseTime)
  }

  /// Removes an image with everything that was made of it.
  public func remove(_ request: FetchRequest) { pipeline.memory.removeAll(of: pipeline.identity.key(of: request)) }

  /// Removes everything.
  public func clear() { pipeline.memory.clear() }

  /// The present amount of images.
  public var size: CacheAmount { CacheAmount(pipeline.memory.size) }

  private func entry(_ request: FetchRequest) -> CachedEntry? {
    pipeline.memory.lookup(pipeline.identity.key(of: request), withBody: true) {}
  }
}
