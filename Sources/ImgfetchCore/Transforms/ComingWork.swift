/// Makes pictures of an image whose bytes are still coming, in steps: bytes go in, and pictures of what has come go
/// out.
package struct ComingWork: ShownWork, Hashable {
  package let size: PixelSize

  package init(size: PixelSize) { self.size = size }

  package static var mark: UInt8 { 0x71 }

  /// The body is empty: bytes come in questions.
  package func begin(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> any PixelSteps {
    try ComingSteps(facts, size, memory: memory)
  }
}

/// The questions of ``ComingWork``, by their first byte.
enum ComingQuestion {
  /// Bytes follow. Answered with the progress: three numbers of 32 bits.
  static let feed: UInt8 = 1
  /// A look at the picture as far as it has come. Answered with its pixels.
  static let look: UInt8 = 2
}

private final class ComingSteps: PixelSteps {
  private let decoder: ComingDecoder
  private let scaling: ShownScaling
  private let memory: Int64

  init(_ facts: ImageFacts, _ size: PixelSize, memory: Int64) throws(PixelFailure) {
    scaling = try ShownScaling(facts, to: size)
    // A third each for the encoded image, its pixels and the scaling.
    self.memory = memory / 3
    decoder = try ComingDecoder(facts, eighths: scaling.eighths, memory: memory / 3)
  }

  func answer(_ question: [UInt8]) throws(PixelFailure) -> [UInt8] {
    switch question.first {
    case ComingQuestion.feed:
      let progress = try decoder.feed(question.dropFirst())
      var writer = ByteWriter()
      for number in [progress.pass, progress.rows, progress.height] { writer.put(UInt32(clamping: number)) }
      return writer.bytes
    case ComingQuestion.look: return try scaling.pixels(decoder.look(), profile: decoder.profile, memory: memory)
    default: return []
    }
  }
}
