// Pixels, with `await`: decoding takes long, and is done on the fetcher's threads or in helper processes.

extension Fetcher {
  /// Fetches an image and makes a thumbnail of it: upright, without metadata, as a JPEG unless another format is given. The image and the
  /// thumbnail are cached.
  @export(implementation)
  public func thumbnail(
    for url: String, width: Int, height: Int, fit: Resize.Fit = .down, format: ImageFormat? = .jpeg,
    options: FetchOptions = FetchOptions()
  ) async throws(FetchError) -> FetchedImage {
    var request = try FetchRequest(url: url, options: options)
    request.transform = .thumbnail(width: width, height: height, fit: fit, format: format)
    return try await image(for: request)
  }

  /// Decodes the (first) picture of an image.
  @export(implementation)
  public func decode(
    _ image: [UInt8], _ options: DecodingOptions = DecodingOptions()
  ) async throws(FetchError) -> PixelBuffer {
    try await withCheckedContinuation { continuation in
      decode(image, options, all: false) { continuation.resume(returning: $0.map { $0[0] }) }
    }.get()
  }

  /// Decodes the (first) picture of an image.
  @export(implementation)
  public func decode(
    _ image: FetchedImage, _ options: DecodingOptions = DecodingOptions()
  ) async throws(FetchError) -> PixelBuffer {
    try await decode(image.bytes, options)
  }

  /// Decodes all pictures of an image: those of an animation as they are shown, each with its time.
  @export(implementation)
  public func decodeAll(
    _ image: [UInt8], _ options: DecodingOptions = DecodingOptions()
  ) async throws(FetchError) -> [PixelBuffer] {
    try await withCheckedContinuation { continuation in
      decode(image, options, all: true) { continuation.resume(returning: $0) }
    }.get()
  }

  /// Calls `deliver` once, with at least one picture.
  @usableFromInline
  func decode(
    _ image: [UInt8], _ options: DecodingOptions, all: Bool,
    deliver: @escaping @Sendable (Result<[PixelBuffer], FetchError>) -> Void
  ) {
    let (decoding, workers) = (decoding, pipeline.workers)
    workers.addOrRun { [self] in
      let pictures = workers.engage {
        Result { () throws(FetchError) in
          try decoding.pictures(of: image, options, all: all, about: "an image of \(image.count) bytes")
        }
      }
      deliver(pictures)
      withExtendedLifetime(self) {}
    }
  }
}
