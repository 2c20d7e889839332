/// An image that was fetched.
public struct FetchedImage: Sendable {
  /// Where it came from, and what it is.
  public let result: FetchResult
  /// Its bytes.
  public let body: ImageBody
}

extension Fetcher {
  /// Fetches one image. A cancelled task is answered at once with ``FetchError/Kind/cancelled``, unless its answer was on its
  /// way already; others who wait for the same image are none the worse for it.
  public func fetch(_ url: WebURL, options: FetchOptions = FetchOptions()) async throws(FetchError) -> FetchedImage {
    let keeper = Keeper()
    let request = FetchRequest(url, options: options, sink: keeper)
    let cancellation = Cancellation()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let number = submit(request) { continuation.resume(returning: $0) }
        engine.kick()
        if cancellation.register(number) { cancel(number) }
      }
    } onCancel: {
      if let number = cancellation.cancel() { cancel(number) }
    }
    if let error = result.error { throw error }
    guard let body = keeper.body.withLock({ $0 }) else {
      throw FetchError(.cancelled, url.display, "there was an answer and no image")
    }
    return FetchedImage(result: result, body: body)
  }

  /// Keeps the body for the one who awaits it.
  private final class Keeper: ImageSink {
    let body = Guarded<ImageBody?>(nil)

    func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
      body.withLock { $0 = image.body }
      return Delivery(output: nil, isNew: false)
    }
  }

  /// A task may be cancelled before its request has a number, while it waits, or after: whichever of the two sides comes second acts.
  private final class Cancellation: Sendable {
    private let state = Guarded<(number: UInt64?, isCancelled: Bool)>((nil, false))

    /// True: it was cancelled already.
    func register(_ number: UInt64) -> Bool {
      state.withLock { state in
        state.number = number
        return state.isCancelled
      }
    }

    /// The request's number, if it has one already.
    func cancel() -> UInt64? {
      state.withLock { state in
        state.isCancelled = true
        return state.number
      }
    }
  }
}
