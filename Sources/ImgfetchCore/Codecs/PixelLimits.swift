/// What decoding an image may cost at most, and where it is done.
package struct PixelLimits: Sendable {
  /// Pixels times frames; what `--max-pixels` says.
  package var maxPixels: Int64
  /// Where memory for pixels comes from.
  package var memory: PixelMemory
  package var executor: any PixelExecutor

  package init(
    maxPixels: Int64 = 256 << 20, memory: PixelMemory = .shared, executor: any PixelExecutor = InProcessExecutor()
  ) {
    self.maxPixels = maxPixels
    self.memory = memory
    self.executor = executor
  }

  /// EXIF and colour profiles are some KB long; the largest profiles of printing presses have 3 MB.
  static let metadata: UInt32 = 8 << 20

  /// Passes over a progressive JPEG's pixels. Encoders write ten or so; the format's finest split has a few hundred, and
  /// 2^33 pixels in all passes together keep a processor busy for about half a minute.
  static func scans(pixels: Int64) -> UInt32 { UInt32(clamping: min(500, max(16, (1 << 33) / max(1, pixels)))) }

  /// Refuses what has too many pixels.
  func admit(_ facts: ImageFacts) throws(PixelFailure) {
    do {
      try InspectionLimits(maxPixels: maxPixels).admit(width: facts.width, height: facts.height, frames: facts.frames)
    } catch { throw .tooLarge(facts.format, reason: "\(error)") }
  }

  /// The most memory that a decoder of such an image may need, whatever turns up in it: of an animation two canvases and
  /// a frame, of a progressive JPEG all coefficients, of an interlaced PNG all rows.
  static func need(_ facts: ImageFacts, encoded: Int64) -> Int64 {
    let pixels = Int64(facts.width) * Int64(facts.height)
    let each: Int64 =
      switch facts.format {
      case .jpeg: 8
      case .png: facts.frames > 1 ? 12 : 8
      case .gif: 12
      case .webp: 16
      }
    return pixels * each + encoded + (1 << 20)
  }
}
