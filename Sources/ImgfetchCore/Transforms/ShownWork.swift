/// Stepped work that makes pictures of one size for a screen. So the kind and the size are all that a helper has to be
/// told.
package struct ShownWork: SteppedPixelWork, Hashable {
  /// The first byte of the encoded work. Checks and transforms have numbers below 0x70.
  package enum Kind: UInt8, Sendable {
    /// The pictures of a whole image: those of an animation one after another.
    case frames = 0x70
    /// Pictures of an image whose bytes are still coming: bytes go in, and pictures of what has come go out.
    case coming = 0x71
  }

  let kind: Kind
  let size: PixelSize

  /// Four bytes a pixel, and what precedes them.
  package var longestAnswer: Int { Int(clamping: size.area * 4 + 64) }

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.put(kind.rawValue)
    writer.put(UInt32(clamping: size.width))
    writer.put(UInt32(clamping: size.height))
    return writer.bytes
  }

  /// The body of a coming image is empty: its bytes come in questions.
  package func begin(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> any PixelSteps {
    switch kind {
    case .frames: try FrameSteps(body, facts, size, memory: memory)
    case .coming: try ComingSteps(facts, size, memory: memory)
    }
  }
}

extension ShownWork {
  /// Nil where the bytes are not ``encoded`` work.
  init?(encoded bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let kind = reader.take(UInt8.self).flatMap(Kind.init(rawValue:)), let width = reader.take(UInt32.self),
      let height = reader.take(UInt32.self), width > 0, height > 0
    else { return nil }
    self.init(kind: kind, size: PixelSize(Int(width), Int(height)))
  }
}

/// The questions of ``ShownWork``, by their first byte.
enum ShownQuestion {
  /// The next picture: its duration in milliseconds as 32 bits and its pixels; nothing where there is none left.
  static let next: UInt8 = 1
  /// Bytes follow. Answered with the progress: three numbers of 32 bits.
  static let feed: UInt8 = 2
  /// A look at the picture as far as it has come. Answered with its pixels.
  static let look: UInt8 = 3
}

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
    guard question.first == ShownQuestion.next, let milliseconds = try decoder.next() else { return [] }
    var writer = ByteWriter()
    writer.put(UInt32(clamping: milliseconds))
    return writer.bytes
      + (try scaling.pixels(decoder, profile: decoder.profile, held: decoder.held, memory: memory))
  }
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
    case ShownQuestion.feed:
      let progress = try decoder.feed(question.dropFirst())
      var writer = ByteWriter()
      for number in [progress.pass, progress.rows, progress.height] { writer.put(UInt32(clamping: number)) }
      return writer.bytes
    case ShownQuestion.look: return try scaling.pixels(decoder.look(), profile: decoder.profile, memory: memory)
    default: return []
    }
  }
}

extension PixelBuffer {
  /// The pixels of such work, which a helper may have answered with: they must be as many as were asked for.
  init(
    _ size: PixelSize, milliseconds: Int = 0, answered pixels: [UInt8], by format: ImageFormat
  ) throws(PixelFailure) {
    guard pixels.count == size.width * size.height * 4 else {
      throw .damaged(format, reason: "its decoder answered with a picture of another size")
    }
    self.init(unchecked: size, pixels, milliseconds: milliseconds)
  }
}
