/// Pictures of an image whose bytes are still coming. Must be used by one thread at a time.
///
/// Give it the bytes in their order, and ask for a picture when ``RedrawRule`` says that it is worth it. These partial
/// pictures are for display only: the complete image decides whether it is accepted, and makes the last picture.
package final class ComingPictures {
  private let steps: any PixelSteps
  private let size: PixelSize
  private let format: ImageFormat

  /// The most memory for encoded bytes, pixels and scaling together. An image that needs more is
  /// shown when it is complete.
  package static let memory: Int64 = 256 << 20
  /// The most bytes of one question.
  private static let piece = 256 << 10

  /// - Parameters:
  ///   - facts: The facts in the image's header.
  ///   - size: The size of the pictures, upright.
  ///   - executor: The executor that decodes it. It must have a place that stays taken until this is released.
  package init(_ facts: ImageFacts, size: PixelSize, executor: any PixelExecutor) throws(PixelFailure) {
    self.size = size
    format = facts.format
    steps = try executor.begin(
      ShownWork(kind: .coming, size: size), ImageBody(.bytes([])), facts, memory: Self.memory)
  }

  /// Takes the next bytes. Throws where no more can be shown before the image is whole.
  package func feed(_ bytes: [UInt8]) throws(PixelFailure) -> ComingProgress {
    var progress = ComingProgress()
    var at = 0
    while at < bytes.count {
      let end = min(bytes.count, at + Self.piece)
      var reader = ByteReader(try steps.answer([ShownQuestion.feed] + bytes[at..<end]))
      guard let pass = reader.take(UInt32.self), let rows = reader.take(UInt32.self),
        let height = reader.take(UInt32.self)
      else { throw .damaged(format, reason: "its decoder did not answer") }
      progress = ComingProgress(pass: Int(pass), rows: Int(rows), height: Int(height))
      at = end
    }
    return progress
  }

  /// A picture of the pixels so far, transparent where there are none.
  package func picture() throws(PixelFailure) -> PixelBuffer {
    try PixelBuffer(size, answered: steps.answer([ShownQuestion.look]), by: format)
  }
}
