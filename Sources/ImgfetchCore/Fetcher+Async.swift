/// An image that was fetched.
public struct FetchedImage: Sendable {
  /// Where the image came from, and what it is.
  public let result: FetchResult
  /// The image's bytes.
  public let body: ImageBody
}

extension Fetcher {
  /// Fetches one image. If the task is cancelled, this throws ``FetchError/Kind/cancelled`` at once, unless the answer
  /// is being delivered already. Other requests for the same image are not affected.
  @export(implementation)
  public func fetch(_ url: WebURL, options: FetchOptions = FetchOptions()) async throws(FetchError) -> FetchedImage {
    // Compiled into the calling program. A program without a call, such as our own, does not link Swift's concurrency
    // runtime and libdispatch. They take 0.8 MB, and a tenth of the time of `--version`.
    let awaited = AwaitedFetch(self)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        awaited.begin(url, options) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      awaited.cancel()
    }
    return try outcome.get()
  }
}

/// A fetch that a task awaits.
@usableFromInline
final class AwaitedFetch: ImageSink {
  private let fetcher: Fetcher
  /// The image, until it is returned to the task.
  private let body = Guarded<ImageBody?>(nil)
  /// A task may be cancelled before its request has a number, while it waits, or after. Of the two events, the second
  /// one acts.
  private let state = Guarded<(number: UInt64?, isCancelled: Bool)>((nil, false))

  @usableFromInline
  init(_ fetcher: Fetcher) { self.fetcher = fetcher }

  @usableFromInline
  func begin(
    _ url: WebURL, _ options: FetchOptions, deliver: @escaping @Sendable (Result<FetchedImage, FetchError>) -> Void
  ) {
    let request = FetchRequest(url, options: options, sink: self)
    let number = fetcher.submit(request) { [self] in deliver(outcome(of: $0, url)) }
    fetcher.pipeline.kick()
    let isCancelled = state.withLock { state in
      state.number = number
      return state.isCancelled
    }
    if isCancelled { fetcher.cancel(number) }
  }

  @usableFromInline
  func cancel() {
    let number = state.withLock { state in
      state.isCancelled = true
      return state.number
    }
    if let number { fetcher.cancel(number) }
  }

  @usableFromInline
  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    body.withLock { $0 = image.body }
    return Delivery(output: nil, isNew: false)
  }

  private func outcome(of result: FetchResult, _ url: WebURL) -> Result<FetchedImage, FetchError> {
    if let error = result.error { return .failure(error) }
    guard let body = body.withLock({ $0 }) else {
      return .failure(FetchError(.cancelled, url.display, "there was an answer and no image"))
    }
    return .success(FetchedImage(result: result, body: body))
  }
}
