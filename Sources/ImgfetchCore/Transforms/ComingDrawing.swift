/// A decoder of an image whose bytes are still coming.
package protocol ComingSource: AnyObject {
  /// Takes the next bytes. Throws where no more can be shown before the image is whole.
  func feed(_ bytes: [UInt8]) throws -> ComingProgress

  /// A picture of the pixels so far, or nil if there is none yet.
  func picture() throws -> PixelBuffer?
}

/// Draws an image again and again while it comes, as ``RedrawRule`` says.
package struct ComingDrawing {
  /// The source of pictures, or nil once it has turned out that no more can be shown before the image is whole.
  private var source: (any ComingSource)?
  private var rule: RedrawRule
  private var progress = ComingProgress()
  /// The number of bytes that are taken already.
  package private(set) var count: Int64 = 0

  /// The most bytes that are read at once, and the most of one question.
  private static let piece = 256 << 10

  /// - Parameter rows: Rows of the picture on the screen.
  package init(_ source: (any ComingSource)?, rows: Int) {
    self.source = source
    rule = RedrawRule(rows: rows)
  }

  /// Takes the received bytes.
  package mutating func take(_ body: ImageBody) {
    while count < body.count {
      let bytes = source == nil ? [] : body.bytes(from: count, atMost: Self.piece)
      guard !bytes.isEmpty, let source else {
        (self.source, count) = (nil, body.count)
        return
      }
      do { progress = try source.feed(bytes) } catch { self.source = nil }
      count += Int64(bytes.count)
    }
  }

  /// Draws the picture so far, if that is worth it now. Returns the time of the next look; nil to look again when more
  /// has come.
  package mutating func draw<Failure: Error>(
    _ clock: any Clock, _ draw: (PixelBuffer) throws(Failure) -> Void
  ) throws(Failure) -> Instant? {
    guard let source else { return nil }
    let begin = clock.now()
    switch rule.decide(progress, at: begin) {
    case .nothing: return nil
    case .wait(let moment): return moment
    case .draw:
      let picture: PixelBuffer?
      do { picture = try source.picture() } catch {
        self.source = nil
        return nil
      }
      if let picture { try draw(picture) }
      rule.drew(progress, from: begin, to: clock.now())
      return nil
    }
  }

  /// Ends the decoding of parts, so that the helper is free for the whole image.
  package mutating func finish() { source = nil }
}
