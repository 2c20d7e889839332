import ImgfetchCore

/// A picture that is drawn while its image comes. Belongs to the main thread.
package final class LivePicture {
  /// The number of the answer that the picture is of.
  package let answer: Int
  package let facts: ImageFacts
  package private(set) var placed: PlacedPicture
  private var coming: ComingDrawing
  private let clock: any Clock

  /// - Parameter executor: The executor that decodes; nil if only the whole image is shown.
  package init(
    _ growth: ArrivingImages.Growth, _ placed: PlacedPicture, executor: (any PixelExecutor)?, clock: any Clock
  ) {
    answer = growth.answer
    facts = growth.facts
    self.placed = placed
    self.clock = clock
    let size = placed.box.size
    coming = ComingDrawing(
      executor.flatMap { try? ComingPictures(growth.facts, size: size, executor: $0) }, rows: size.height)
  }

  /// The part of the image that is drawn already.
  package var known: ArrivingImages.Known { .init(answer: answer, count: coming.count) }

  /// Takes the received bytes.
  package func take(_ body: ImageBody) { coming.take(body) }

  /// Draws the picture so far, if that is worth it now. Returns the time of the next look; nil to look again when more
  /// has come.
  package func drawIfWorthwhile(
    _ draw: (inout PlacedPicture, PixelBuffer) throws(FetchError) -> Void
  ) throws(FetchError) -> Instant? {
    try coming.draw(clock) { (picture) throws(FetchError) in try draw(&placed, picture) }
  }

  /// Ends the decoding of parts, so that the helper is free for the whole image.
  package func finish() { coming.finish() }

  /// Changes its place on the screen, as its owner draws or removes it.
  package func change(
    _ body: (inout PlacedPicture) throws(FetchError) -> Void
  ) throws(FetchError) { try body(&placed) }
}
