import ImgfetchCore

/// Images that wait for their rows (`--framed`): a row says how many bytes follow it, and is made when its image is
/// complete.
///
/// An image is here from its delivery to its row, which the same thread makes next, so there are no more images than
/// threads. A body in memory is kept and not copied, and one in a file stays there.
final class FramedImages: ImageSink {
  private let bodies = Guarded<[Int: ImageBody]>([:])

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    // Checked now: behind a row that tells their number, all bytes have to come.
    do throws(BodyReadFailure) {
      if !image.body.isChecked { try image.body.read { (_) throws(SystemError) in } }
    } catch { throw FetchError(OutputFailure(error, "standard output"), for: request.url.display) }
    bodies.withLock { $0[request.tag] = image.body }
    return Delivery(output: "-", isNew: true)
  }

  /// Returns the image of a line, and keeps it no longer. Nil means that there is none.
  func take(_ number: Int) -> ImageBody? { bodies.withLock { $0.removeValue(forKey: number) } }
}
