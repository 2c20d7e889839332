/// Pictures of an image whose bytes are still coming. Must be used by one thread at a time.
///
/// These partial pictures are for display only: the complete image decides whether it is accepted, and makes the last
/// picture.
package final class ComingPictures: ComingSource {
  private let steps: any PixelSteps
  private let size: PixelSize
  private let format: ImageFormat

  /// The most memory for encoded bytes, pixels and scaling together. An image that needs more is
  /// shown when it is complete.
  package static let memory: Int64 = 256 << 20

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

  package func feed(_ bytes: [UInt8]) throws(PixelFailure) -> ComingProgress {
    var reader = ByteReader(try steps.answer([ShownQuestion.feed] + bytes))
    guard let pass = reader.take(UInt32.self), let rows = reader.take(UInt32.self),
      let height = reader.take(UInt32.self)
    else { throw .damaged(format, reason: "its decoder did not answer") }
    return ComingProgress(pass: Int(pass), rows: Int(rows), height: Int(height))
  }

  /// Transparent where there are no pixels yet.
  package func picture() throws(PixelFailure) -> PixelBuffer? {
    try PixelBuffer(size, answered: steps.answer([ShownQuestion.look]), by: format)
  }
}
