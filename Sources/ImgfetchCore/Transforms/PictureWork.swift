/// Pictures of an image for a screen, made in steps: those of an animation one after another.
package struct PictureWork: ShownWork, Hashable {
  package let size: PixelSize

  package init(size: PixelSize) { self.size = size }

  package static var mark: UInt8 { 0x70 }

  package func begin(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> any PixelSteps {
    try FrameSteps(body, facts, size, memory: memory)
  }
}

/// The questions of ``PictureWork``, by their first byte.
enum PictureQuestion {
  /// The next picture: its duration in milliseconds as 32 bits and its pixels; nothing where there is none left.
  static let next: UInt8 = 1
}

/// The pictures of a whole image.
private final class FrameSteps: PixelSteps {
  private let decoder: ImageDecoder
  private let scaling: ShownScaling
  private let memory: Int64

  init(_ body: ImageBody, _ facts: ImageFacts, _ size: PixelSize, memory: Int64) throws(PixelFailure) {
    scaling = try ShownScaling(facts, to: size)
    decoder = try ImageDecoder(body, facts, eighths: scaling.eighths, memory: memory)
    self.memory = memory
  }

  func answer(_ question: [UInt8]) throws(PixelFailure) -> [UInt8] {
    guard question.first == PictureQuestion.next, let milliseconds = try decoder.next() else { return [] }
    var writer = ByteWriter()
    writer.put(UInt32(clamping: milliseconds))
    return writer.bytes
      + (try scaling.pixels(decoder, profile: decoder.profile, held: decoder.held, memory: memory))
  }
}
