import ImgfetchCore

/// A picture that is drawn while its image comes. Belongs to the main thread.
package final class LivePicture {
  /// The number of the answer that the picture is of.
  package let answer: Int
  package let facts: ImageFacts
  package private(set) var placed: PlacedPicture
  private var rule: RedrawRule
  /// Nil once it has turned out that no more can be shown before the image is whole.
  private var pictures: ComingPictures?
  private var progress = ComingProgress()
  private var count: Int64 = 0
  private let clock: any Clock

  /// - Parameter executor: The executor that decodes; nil if only the whole image is shown.
  package init(
    _ growth: ArrivingImages.Growth, _ placed: PlacedPicture, executor: (any PixelExecutor)?, clock: any Clock
  ) {
    answer = growth.answer
    facts = growth.facts
    self.placed = placed
    self.clock = clock
    rule = RedrawRule(rows: placed.box.size.height)
    pictures = executor.flatMap { try? ComingPictures(growth.facts, size: placed.box.size, executor: $0) }
  }

  /// The part of the image that is drawn already.
  package var known: ArrivingImages.Known { .init(answer: answer, count: count) }

  /// The most bytes that are read at once.
  private static let piece = 256 << 10

  /// Takes the received bytes.
  package func take(_ body: ImageBody) {
    while count < body.count {
      let bytes = pictures == nil ? [] : body.bytes(from: count, atMost: Self.piece)
      guard !bytes.isEmpty, let pictures else {
        count = body.count
        return
      }
      do throws(PixelFailure) { progress = try pictures.feed(bytes) } catch { self.pictures = nil }
      count += Int64(bytes.count)
    }
  }

  /// Draws the picture so far, if that is worth it now. Returns the time of the next look; nil to look again when more
  /// has come.
  package func drawIfWorthwhile(
    _ draw: (inout PlacedPicture, PixelBuffer) throws(FetchError) -> Void
  ) throws(FetchError) -> Instant? {
    guard let pictures else { return nil }
    let begin = clock.now()
    switch rule.decide(progress, at: begin) {
    case .nothing: return nil
    case .wait(let moment): return moment
    case .draw:
      let picture: PixelBuffer
      do throws(PixelFailure) { picture = try pictures.picture() } catch {
        self.pictures = nil
        return nil
      }
      try draw(&placed, picture)
      rule.drew(progress, from: begin, to: clock.now())
      return nil
    }
  }

  /// Ends the decoding of parts, so that the helper is free for the whole image.
  package func finish() { pictures = nil }

  /// Changes its place on the screen, as its owner draws or removes it.
  package func change(
    _ body: (inout PlacedPicture) throws(FetchError) -> Void
  ) throws(FetchError) { try body(&placed) }
}
