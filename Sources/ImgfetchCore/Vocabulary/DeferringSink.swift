/// A sink that finishes with an image later, on another thread: its destination is slow, and takes many images at once.
package protocol DeferringSink: ImageSink {
  /// Called on a disk thread, with the arguments of ``ImageSink/receive(_:for:)``. An error is that of the image. The
  /// returned closure is called once, and calls its own argument once, from any thread.
  func prepare(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> PendingDelivery
}

extension DeferringSink {
  package func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    throw FetchError(.file, request.url.display, "this sink is done later only")
  }
}
