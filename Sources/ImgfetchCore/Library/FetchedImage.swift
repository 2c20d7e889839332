/// An image that was fetched: complete, verified, and in memory.
public struct FetchedImage: Sendable {
  /// The source of the image, and the facts about it.
  public let result: FetchResult
  /// The image's bytes, as the origin sent them or as ``FetchRequest/transform`` made them. Shared with the
  /// memory cache, not copied.
  public let bytes: [UInt8]

  /// Creates an image, for a program's own tests.
  public init(result: FetchResult, bytes: [UInt8]) {
    self.result = result
    self.bytes = bytes
  }

  /// The cache that the image came from, or ``CacheType/network`` if it came over the network.
  public var cache: CacheType { result.cache }
  /// The media type; `application/octet-stream` if neither the bytes nor the server say it.
  public var mime: String { result.mime ?? "application/octet-stream" }
  /// Format, size and more, according to the bytes, or nil under ``Verification/none``.
  public var facts: ImageFacts? { result.facts }
}

extension MemorySink {
  /// Creates an image from a result and the bytes in a sink, which gives them away.
  @usableFromInline
  func outcome(of result: FetchResult) -> Result<FetchedImage, FetchError> {
    if let error = result.error { return .failure(error) }
    guard let taken = give() else { return .failure(.withoutImage(result.url)) }
    return .success(FetchedImage(result: result, bytes: taken))
  }
}
