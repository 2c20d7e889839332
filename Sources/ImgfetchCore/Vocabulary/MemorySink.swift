/// Keeps an image in memory when it is delivered, since a damaged stored image can still be fetched anew then.
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

  /// Returns the bytes and forgets them, or returns nil if there are none.
  func give() -> [UInt8]? { bytes.withLock { $0.take() } }
}
