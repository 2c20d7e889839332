/// A sink that is done with an image later, on another thread: what it goes to is slow, and many images go there at once.
package protocol DeferringSink: ImageSink {
  /// Called on a disk thread, with what ``ImageSink/receive(_:for:)`` would get. An error is that of the image; what is returned is called
  /// once, and calls what it is given once, from any thread.
  func prepare(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> PendingDelivery
}

extension DeferringSink {
  package func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    throw FetchError(.file, request.url.display, "this sink is done later only")
  }
}

/// The rest of a delivery.
package typealias PendingDelivery = @Sendable (@escaping @Sendable (Result<Delivery, FetchError>) -> Void) -> Void
