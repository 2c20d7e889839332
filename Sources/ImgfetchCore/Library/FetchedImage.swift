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
  /// The media type; `application/octet-stream` if neither the bytes nor the server tell it.
  public var mime: String { result.mime ?? "application/octet-stream" }
  /// Format, size and more, according to the bytes, or nil under ``Verification/none``.
  public var facts: ImageFacts? { result.facts }
}

/// Takes an image into memory on its way, while a damaged stored one can still be fetched anew.
@usableFromInline
final class MemorySink: ImageSink {
  private let bytes = Guarded<[UInt8]?>(nil)
  private let next: (any ImageSink)?

  /// - Parameter next: the request's own sink, which gets the image, too.
  init(before next: (any ImageSink)?) { self.next = next }

  /// The bytes that were read, until they are given away.
  var readBytes: [UInt8]? { bytes.withLock { $0 } }

  @usableFromInline
  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    let all = try image.bytes()
    bytes.withLock { $0 = all }
    return try next?.receive(image, for: request) ?? Delivery(output: nil, isNew: false)
  }

  /// The image; its bytes are given away.
  @usableFromInline
  func outcome(of result: FetchResult) -> Result<FetchedImage, FetchError> {
    if let error = result.error { return .failure(error) }
    guard let taken = bytes.withLock({ $0.take() }) else {
      return .failure(.withoutImage(result.url))
    }
    return .success(FetchedImage(result: result, bytes: taken))
  }
}
