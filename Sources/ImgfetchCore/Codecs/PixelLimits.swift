/// The limits for decoding an image, and where it is decoded.
package struct PixelLimits: Sendable {
  /// Pixels times frames, as in `--max-pixels`.
  package var maxPixels: Int64
  /// The shared memory for pixels.
  package var memory: PixelMemory
  package var executor: any PixelExecutor

  package init(
    maxPixels: Int64 = InspectionLimits.usualPixels, memory: PixelMemory = .shared,
    executor: any PixelExecutor = InProcessExecutor()
  ) {
    // A program may have no limit. The bytes of this many pixels can still be counted.
    self.maxPixels = min(maxPixels, 1 << 53)
    self.memory = memory
    self.executor = executor
  }

  /// EXIF blocks and colour profiles are some KB long; the largest profiles, for printing presses, have 3 MB.
  static let metadata: UInt32 = 8 << 20

  /// The number of scans of a progressive JPEG. Encoders write about ten; the format's finest split has a few hundred.
  /// All scans together of 2^33 pixels take a processor about half a minute.
  static func scans(pixels: Int64) -> UInt32 { UInt32(clamping: min(500, max(16, (1 << 33) / max(1, pixels)))) }

  /// Throws if the image has too many pixels.
  ///
  /// - Parameter frames: The pictures of it that are decoded, or nil for all.
  func admit(_ facts: ImageFacts, frames: Int? = nil) throws(PixelFailure) {
    do {
      try InspectionLimits(maxPixels: maxPixels)
        .admit(width: facts.width, height: facts.height, frames: frames ?? facts.frames)
    } catch { throw .overLimit(facts.format, reason: "\(error)") }
  }

  /// The most memory that decoding may need, whatever the file contains: two canvases and a frame of an animation, all
  /// coefficients of a progressive JPEG, all rows of an interlaced PNG.
  static func need(_ facts: ImageFacts, encoded: Int64) -> Int64 {
    let pixels = Int64(facts.width) * Int64(facts.height)
    let bytes = facts.format.traits.decodingBytes
    return pixels * (facts.isComposed ? bytes.animated : bytes.still) + encoded + facts.format.traits.decoderBytes
  }
}
