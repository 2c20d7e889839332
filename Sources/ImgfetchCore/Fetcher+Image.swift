// Asking with `await`. A function that is marked `@export(implementation)` is compiled into the calling
// program, see `AwaitedRequest`.

extension Fetcher {
  /// Fetches one image: from memory, from the disk cache, or over the network.
  ///
  /// The image is complete and in memory; for one that is too large for that there is ``download(_:to:)``. If the task
  /// is cancelled, this throws ``FetchError/Kind/cancelled`` at once, unless the answer is being delivered already.
  /// Other requests for the same image are not affected. No thread is blocked, whatever the number of tasks that ask.
  @export(implementation)
  public func image(for request: FetchRequest) async throws(FetchError) -> FetchedImage {
    let sink = memorySink(for: request)
    let result = await answer(to: request.delivered(to: sink))
    return try sink.outcome(of: result).get()
  }

  /// Fetches one image with these options.
  @export(implementation)
  public func image(
    for url: WebURL, options: FetchOptions = FetchOptions()
  ) async throws(FetchError) -> FetchedImage {
    try await image(for: FetchRequest(url, options: options))
  }

  /// Fetches the image at a URL that is given as text. Throws ``FetchError/Kind/refused`` if it is not one.
  @export(implementation)
  public func image(
    for url: String, options: FetchOptions = FetchOptions()
  ) async throws(FetchError) -> FetchedImage {
    try await image(for: FetchRequest(url: url, options: options))
  }

  /// Fetches one image into a file, and into no more memory than it takes to copy it.
  ///
  /// The file appears whole, by a rename, or not at all; missing folders are made. A file that has the same
  /// bytes already is left alone.
  @discardableResult
  @export(implementation)
  public func download(_ request: FetchRequest, to path: String) async throws(FetchError) -> FetchResult {
    let result = await answer(to: request.delivered(to: fileSink(path, for: request)))
    if let error = result.error { throw error }
    return result
  }

  /// Fetches one image that may be large, to be read piece by piece.
  @export(implementation)
  public func stream(for request: FetchRequest) async throws(FetchError) -> ImageStream {
    let sink = bodySink(for: request)
    let result = await answer(to: request.delivered(to: sink))
    return try stream(of: sink, result)
  }

  /// Fetches one image into the caches only. For many there is ``prefetch(_:atOnce:progress:)``.
  @discardableResult
  @export(implementation)
  public func prefetch(_ request: FetchRequest) async throws(FetchError) -> FetchResult {
    let result = await answer(to: request)
    if let error = result.error { throw error }
    return result
  }

  /// The answer to a request, which is delivered to its ``FetchRequest/sink``; without one the image is only cached.
  /// Does not throw: a failure is the result's ``FetchResult/error``.
  @export(implementation)
  public func answer(to request: FetchRequest) async -> FetchResult {
    let awaited = awaited()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        awaited.begin(request) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      awaited.cancel()
    }
  }

  /// Closes the fetcher like ``close()-2warc``, without blocking a thread of the task's.
  @export(implementation)
  public func close() async {
    await withCheckedContinuation { continuation in closeElsewhere { continuation.resume() } }
  }

  @usableFromInline
  func awaited() -> AwaitedRequest { AwaitedRequest(pipeline, of: self) }

  @usableFromInline
  func memorySink(for request: FetchRequest) -> MemorySink { MemorySink(before: request.sink) }

  @usableFromInline
  func prefetching(_ limit: Int, _ progress: (@Sendable (PrefetchCount) -> Void)?) -> PrefetchList {
    PrefetchList(pipeline, of: self, limit: limit, progress: progress)
  }

  @usableFromInline
  func fileSink(_ path: String, for request: FetchRequest) -> FileSink { FileSink(path, before: request.sink) }

  @usableFromInline
  func bodySink(for request: FetchRequest) -> BodySink { BodySink(before: request.sink) }

  @usableFromInline
  func stream(of sink: BodySink, _ result: FetchResult) throws(FetchError) -> ImageStream {
    if let error = result.error { throw error }
    guard let image = sink.take() else { throw .withoutImage(result.url) }
    return ImageStream(result: result, body: image.body, workers: pipeline.workers, whenDamaged: image.whenDamaged)
  }

  @usableFromInline
  func closeElsewhere(_ done: @escaping @Sendable () -> Void) {
    let pipeline = pipeline
    let close = { @Sendable in
      pipeline.close()
      done()
    }
    // Out of threads: better a thread that waits than a task that does for ever.
    do throws(SystemError) { try Threads.start(name: "imgfetch-close", close) } catch { close() }
  }
}

// MARK: - Pixels. Decoding takes long, and is done on the fetcher's threads or in helper processes.

extension Fetcher {
  /// Fetches an image and makes a thumbnail of it: upright and without metadata. The image and
  /// the thumbnail are cached.
  ///
  /// - Parameters:
  ///   - request: whose ``FetchRequest/transform`` is replaced.
  ///   - width: of the box in pixels, at least 1; else this throws ``FetchError/Kind/refused``.
  ///   - height: of the box in pixels, at least 1.
  ///   - fit: how the picture fits a box of other proportions. By default it is not enlarged.
  ///   - format: of the thumbnail. The default, nil, means PNG if the image has an alpha channel, else JPEG.
  @export(implementation)
  public func thumbnail(
    for request: FetchRequest, width: Int, height: Int, fit: Resize.Fit = .down, format: ImageFormat? = nil
  ) async throws(FetchError) -> FetchedImage {
    var request = request
    request.transform = try thumbnail(of: request, width, height, fit, format)
    return try await image(for: request)
  }

  /// Fetches the image at a URL that is given as text, and makes a thumbnail of it like
  /// ``thumbnail(for:width:height:fit:format:)``.
  @export(implementation)
  public func thumbnail(
    for url: String, width: Int, height: Int, fit: Resize.Fit = .down, format: ImageFormat? = nil,
    options: FetchOptions = FetchOptions()
  ) async throws(FetchError) -> FetchedImage {
    try await thumbnail(
      for: FetchRequest(url: url, options: options), width: width, height: height, fit: fit, format: format)
  }

  @usableFromInline
  func thumbnail(
    of request: FetchRequest, _ width: Int, _ height: Int, _ fit: Resize.Fit, _ format: ImageFormat?
  ) throws(FetchError) -> ImageTransform {
    guard width > 0, height > 0 else {
      throw FetchError(.refused, request.url.display, "a thumbnail of \(width)x\(height) pixels cannot be made")
    }
    return .thumbnail(width: width, height: height, fit: fit, format: format)
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
